#ifndef ASIO_EWYK_DETAIL_CONFIG_HPP
#define ASIO_EWYK_DETAIL_CONFIG_HPP

// What differs between versions and configurations of Asio: here, and nowhere else.

// Asio's strand asks executors for the interface of the Networking TS, unless it is told not to.
#if !defined(BOOST_ASIO_NO_TS_EXECUTORS)
#define ASIO_EWYK_DETAIL_TS_EXECUTORS
#endif

// A property that executors of Asio answer since Boost 1.90.
#if __has_include(<boost/asio/execution/inline_exception_handling.hpp>)
#define ASIO_EWYK_DETAIL_INLINE_EXCEPTION_HANDLING
#endif

#endif
