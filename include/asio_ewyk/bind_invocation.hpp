// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_BIND_INVOCATION_HPP
#define ASIO_EWYK_BIND_INVOCATION_HPP

#include <asio_ewyk/invocation.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace asio_ewyk {

namespace asio = boost::asio;

/** A completion token or handler, and the invocation type of what it is called in.

    What `bind_invocation` returns. Name the type only to store one.

    @par Thread Safety
    Distinct objects: safe. Shared objects: as safe as those of `T`.
*/
template <class T>
class invocation_binder
{
public:
    using target_type = T;

    /// Throws what the constructor of `T` throws.
    template <class U>
    invocation_binder(invocation_t i, U&& target)
        : invocation_(i)
        , target_(std::forward<U>(target))
    {
    }

    /// The token or handler. No-throw guarantee.
    T& get() noexcept { return target_; }
    T const& get() const noexcept { return target_; }

    /// What it is bound to. No-throw guarantee.
    invocation_t get_invocation() const noexcept { return invocation_; }

    /// Calls the handler, and throws what that throws.
    template <class... Args>
        requires std::invocable<T&, Args...>
    decltype(auto) operator()(Args&&... args)
    {
        return target_(std::forward<Args>(args)...);
    }

    template <class... Args>
        requires std::invocable<T const&, Args...>
    decltype(auto) operator()(Args&&... args) const
    {
        return target_(std::forward<Args>(args)...);
    }

private:
    invocation_t invocation_;
    T target_;
};

/** Says of one completion whether it may block: `bind_invocation(invocation.non_blocking, token)`.

    The token may be a handler (a callback), or any other of Asio's: `use_awaitable`, `deferred`,
    `as_tuple(...)`, `bind_executor(...)`... Its associated executor is the one that it would have
    without this, the I/O object's if it has none of its own, with that invocation type required:

    - A `strategy_executor`, an `any_executor` and strands over them: with it.
    - An `asio::any_io_executor`, as I/O objects and coroutines have by default: with it, if there
      is a `strategy_executor` in it or a strand over one.
    - All others: unchanged. An event loop or an `io_context` has no invocation types;
      `strand<any_io_executor>` and an executor with an allocator in an `any_io_executor` hide what
      they hold; `use_future` sets its promise wherever the operation completes.

    A coroutine that awaits resumes in a task of that type, up to the next operation that it awaits.

    The binding is for what completes later. `asio::post(executor, token)` first submits by
    `executor` itself, whatever the token is bound to: there, require the invocation type of
    `executor`.

    @par Thread Safety
    Distinct objects: safe.

    @par Exception Safety
    Throws what copying or moving the token throws.

    @par Example
    @snippet test/unit/bind_invocation.cpp bind_invocation

    @see invocation_t
*/
template <class T>
[[nodiscard]] invocation_binder<std::decay_t<T>> bind_invocation(invocation_t i, T&& token)
{
    return {i, std::forward<T>(token)};
}

} // namespace asio_ewyk

#include <asio_ewyk/impl/bind_invocation.hpp>

#endif
