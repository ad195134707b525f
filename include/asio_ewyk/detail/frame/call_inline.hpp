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

// Whether the exception being handled is how Boost.Context or Boost.Coroutine unwinds the stack of
// a coroutine that is destroyed while it is suspended. By name, as it need not be installed; where
// nothing tells the name it counts as any other exception.
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

// The exception being handled, if it is of a handler's. Null if it only unwinds the stack, and has
// to be thrown on: that of a coroutine, or of a thread that is cancelled.
BOOST_NOINLINE inline std::exception_ptr exception_of_a_handler() noexcept
{
    // Null by itself for what is no exception of C++, such as a thread's cancellation.
    std::exception_ptr e = std::current_exception();
    return e && unwinds_a_coroutine() ? nullptr : e;
}

// Calls f here, for code that it must not throw through: what it throws goes to caught(error).
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
