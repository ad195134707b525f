// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_FRAME_CALL_INLINE_HPP
#define ASIO_EWYK_DETAIL_FRAME_CALL_INLINE_HPP

#include <boost/config.hpp>

#include <exception>
#include <type_traits>
#include <utility>

#if __has_include(<cxxabi.h>)
#include <cxxabi.h>

#include <cstring>
#include <typeinfo>
#endif

namespace asio_ewyk::detail {

// Whether Boost.Context or Boost.Coroutine unwinds the stack of a coroutine, destroyed while it is
// suspended, by the exception being handled. By name, as neither need be installed; if the name is
// not available, it counts as any other exception.
inline bool unwinds_a_coroutine() noexcept
{
#if __has_include(<cxxabi.h>)
    constexpr char const* names[] = {
        "N5boost7context6detail13forced_unwindE",
        "N5boost10coroutines6detail13forced_unwindE",
    };
    if (std::type_info const* const type = abi::__cxa_current_exception_type())
        for (char const* const name : names)
            if (std::strcmp(type->name(), name) == 0)
                return true;
#endif
    return false;
}

// The exception being handled, if a handler has thrown it. Null if it only unwinds the stack of a
// coroutine, or of a thread that is cancelled, and must be rethrown.
BOOST_NOINLINE inline std::exception_ptr exception_of_a_handler() noexcept
{
    // Null by itself for what is no exception of C++, such as a thread's cancellation.
    std::exception_ptr e = std::current_exception();
    return e && unwinds_a_coroutine() ? nullptr : e;
}

// Calls f here, for code that no exception may pass through: what f throws goes to caught(error).
template <class F, class Caught>
void call_inline(F&& f, Caught caught)
{
    static_assert(std::is_nothrow_invocable_v<Caught&, std::exception_ptr>);
    try
    {
        std::decay_t<F> function(std::forward<F>(f));
        std::move(function)();
    }
    catch (...)
    {
        std::exception_ptr error = exception_of_a_handler();
        if (!error)
            throw;
        caught(std::move(error));
    }
}

} // namespace asio_ewyk::detail

#endif
