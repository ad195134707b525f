#ifndef ASIO_EWYK_BIND_INVOCATION_HPP
#define ASIO_EWYK_BIND_INVOCATION_HPP

#include <asio_ewyk/detail/with_invocation.hpp>
#include <asio_ewyk/invocation.hpp>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/async_result.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace asio_ewyk {

namespace asio = boost::asio;

/** A completion token or handler, and the invocation type of what it is called in.

    What `bind_invocation` returns; to be named only by who stores one.

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

    A coroutine that awaits goes on in a task of that type, up to the next operation that it awaits.

    It means what completes later. `asio::post(executor, token)` submits by `executor` itself first,
    whatever the token is bound to: there, require the invocation type of `executor`.

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

namespace detail {

// Starts an operation whose handler, made from the token, is bound as the token was.
template <class Initiation>
struct bound_initiation
{
    template <class Handler, class... Args>
    void operator()(Handler&& handler, Args&&... args) &&
    {
        std::move(initiation)(bind_invocation(invocation, std::forward<Handler>(handler)),
            std::forward<Args>(args)...);
    }

    template <class Handler, class... Args>
    void operator()(Handler&& handler, Args&&... args) const&
    {
        initiation(bind_invocation(invocation, std::forward<Handler>(handler)),
            std::forward<Args>(args)...);
    }

    Initiation const& get() const noexcept { return initiation; }

    invocation_t invocation;
    Initiation initiation;
};

// Asio of Boost 1.81 looks for these where the token is a handler.
template <class Result>
struct bound_result
{
};

template <class Result>
    requires requires { typename Result::completion_handler_type; }
struct bound_result<Result>
{
    using completion_handler_type = invocation_binder<typename Result::completion_handler_type>;
    using return_type = typename Result::return_type;
};

// Everything that is associated with the target is associated with what wraps it.
template <template <class, class> class Associator, class Wrapper, class T, class Candidate>
struct forwarding_associator : Associator<T, Candidate>
{
    static auto get(Wrapper const& wrapper) noexcept
    {
        return Associator<T, Candidate>::get(wrapper.get());
    }

    static auto get(Wrapper const& wrapper, Candidate const& candidate) noexcept
    {
        return Associator<T, Candidate>::get(wrapper.get(), candidate);
    }
};

} // namespace detail

} // namespace asio_ewyk

namespace boost::asio {

template <class T, class... Signatures>
class async_result<asio_ewyk::invocation_binder<T>, Signatures...>
    : public asio_ewyk::detail::bound_result<async_result<T, Signatures...>>
{
public:
    template <class Initiation, class Token, class... Args>
    static auto initiate(Initiation&& initiation, Token&& token, Args&&... args)
        -> decltype(async_initiate<T, Signatures...>(
            std::declval<asio_ewyk::detail::bound_initiation<std::decay_t<Initiation>>>(),
            token.get(), std::forward<Args>(args)...))
    {
        return async_initiate<T, Signatures...>(
            asio_ewyk::detail::bound_initiation<std::decay_t<Initiation>>{
                token.get_invocation(), std::forward<Initiation>(initiation)},
            token.get(), std::forward<Args>(args)...);
    }
};

template <template <class, class> class Associator, class T, class Candidate>
struct associator<Associator, asio_ewyk::invocation_binder<T>, Candidate>
    : asio_ewyk::detail::forwarding_associator<Associator, asio_ewyk::invocation_binder<T>, T,
          Candidate>
{
};

template <template <class, class> class Associator, class T, class Candidate>
struct associator<Associator, asio_ewyk::detail::bound_initiation<T>, Candidate>
    : asio_ewyk::detail::forwarding_associator<Associator,
          asio_ewyk::detail::bound_initiation<T>, T, Candidate>
{
};

template <class T, class Executor>
struct associated_executor<asio_ewyk::invocation_binder<T>, Executor>
{
    using binder = asio_ewyk::invocation_binder<T>;
    using type = decltype(asio_ewyk::detail::with_invocation(
        std::declval<typename associated_executor<T, Executor>::type>(), asio_ewyk::invocation));

    static type get(binder const& b, Executor const& candidate = {}) noexcept
    {
        return asio_ewyk::detail::with_invocation(
            associated_executor<T, Executor>::get(b.get(), candidate), b.get_invocation());
    }
};

} // namespace boost::asio

#endif
