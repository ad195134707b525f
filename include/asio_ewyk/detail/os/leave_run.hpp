// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_LEAVE_RUN_HPP
#define ASIO_EWYK_DETAIL_OS_LEAVE_RUN_HPP

#include <boost/asio/io_context.hpp>
#include <boost/asio/multiple_exceptions.hpp>
#include <boost/config.hpp>

#include <cstddef>
#include <exception>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// Has a thread leave io_context::run() when its current handler is over: Asio keeps an exception of
// a function that a handler dispatches until then.
class BOOST_SYMBOL_VISIBLE leave_run
{
public:
    // On a thread that is inside run_until_left(). A handler of ours can `throw leave_run()`.
    static void request(asio::io_context& ioc) noexcept
    {
        ioc.get_executor().execute([] { throw leave_run(); });
    }

    // run(). Returns how many handlers there were; 0 if it was left, as that is not known then.
    // `stays`: whether this thread has not requested it.
    static std::size_t run_until_left(asio::io_context& ioc, bool const& stays)
    {
        try
        {
            return ioc.run();
        }
        catch (leave_run const&)
        {
            return 0;
        }
        // A handler has thrown as well, or several functions that it has dispatched.
        catch (asio::multiple_exceptions const& several)
        {
            if (stays)
                throw;
            try
            {
                std::rethrow_exception(several.first_exception());
            }
            catch (leave_run const&)
            {
                throw several;
            }
        }
    }
};

} // namespace asio_ewyk::detail

#endif
