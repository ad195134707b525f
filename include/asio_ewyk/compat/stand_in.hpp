// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_COMPAT_STAND_IN_HPP
#define ASIO_EWYK_COMPAT_STAND_IN_HPP

/** @file
    Has the words `io_context` and `io_service` mean a context of this library in all that follows.
    This header is for the compiler's option `-include asio_ewyk/compat/stand_in.hpp`, not for
    `#include`, and serves frameworks that make their context themselves, and so cannot be handed
    one: see the page _Third-party code_.

    Do not use it for

    - a part of the sources: all that see an `io_context` of each other need it, else the program
      violates the One Definition Rule, and no compiler has to say so;
    - a framework that is a compiled library, which would not see it;
    - Asio without Boost;
    - sources that count on one thread without saying so, unless `ASIO_EWYK_STAND_IN_STRATEGY` is
      defined as `produce_consume`;
    - sources that declare `class io_context;` themselves, or make another thing of that name.
*/

#include <asio_ewyk/strategy_context.hpp>

// What names it: afterwards the word no longer means Asio's io_context. Not all of Asio, or what
// frameworks call read(), unqualified, could be asio::read().
#include <boost/asio/basic_io_object.hpp>
#include <boost/asio/basic_socket_streambuf.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/io_context_strand.hpp>
#include <boost/asio/io_service.hpp>
#include <boost/asio/spawn.hpp>
#if defined(BOOST_ASIO_HAS_IOCP)
#include <boost/asio/windows/overlapped_ptr.hpp>
#endif

#if !defined(ASIO_EWYK_STAND_IN_STRATEGY)
/// The strategy of each context that a framework makes: the name of a `strategy_t`.
#define ASIO_EWYK_STAND_IN_STRATEGY eat_what_you_kill
#endif

namespace asio_ewyk {

class stand_in_context;

namespace detail {

// Whose `context` is what `io_context` means, as code expects that has the executor only.
struct BOOST_SYMBOL_VISIBLE stand_in_traits : strategy_executor_traits
{
    static stand_in_context& context(strategy_service& service) noexcept;
};

} // namespace detail

/** What `io_context` means where `stand_in.hpp` is included: a `strategy_context` of
    `ASIO_EWYK_STAND_IN_STRATEGY`, whatever concurrency hint it is given.

    @par Thread Safety
    As `strategy_context`.
*/
class stand_in_context : public strategy_context
{
public:
    /// As `strategy_executor`; its `context` is a `stand_in_context`.
    using executor_type =
        detail::basic_executor<detail::stand_in_traits, std::allocator<void>, false>;

    explicit stand_in_context(int /*concurrency_hint*/ = 0)
        : strategy_context(strategy_t::ASIO_EWYK_STAND_IN_STRATEGY)
        , service_(*detail::strategy_service::installed_in(*this))
    {
    }

    /// An executor with the context's strategy. No-throw guarantee.
    executor_type get_executor() noexcept
    {
        return executor_type(
            service_, {.strategy = strategy_t::ASIO_EWYK_STAND_IN_STRATEGY, .invocation = {}});
    }

private:
    detail::strategy_service& service_;
};

inline stand_in_context& detail::stand_in_traits::context(strategy_service& service) noexcept
{
    return static_cast<stand_in_context&>(service.context());
}

} // namespace asio_ewyk

namespace boost::asio {

using asio_ewyk::stand_in_context;

} // namespace boost::asio

/// From here on these names mean a context of this library.
#define io_context stand_in_context
#define io_service stand_in_context

#endif
