// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DIAGNOSTICS_LOCATION_HPP
#define ASIO_EWYK_DIAGNOSTICS_LOCATION_HPP

#include <asio_ewyk/detail/observe/thread_activity.hpp>

#include <boost/assert/source_location.hpp>

namespace asio_ewyk::this_invocation {

/** Says where the handler that this thread runs is, for stall reports, `dump` and traces: by
    default, here.

    The location counts until the handler ends, sets another one, or runs other handlers inside of
    it. What a coroutine does after a `co_await` is another handler, which has to say it again. This
    costs some nanoseconds, and has no effect on a thread that runs no handler. The strings of
    `where` must have static storage, as those of a compiler-made `boost::source_location` have.

    @par Exception Safety
    No-throw guarantee.
*/
inline void set_location(
    boost::source_location const& where = BOOST_CURRENT_LOCATION) noexcept
{
    detail::place_handler(detail::thread_activity::mine(),
        {where.file_name(), where.function_name(), static_cast<unsigned>(where.line())}, false);
}

} // namespace asio_ewyk::this_invocation

#endif
