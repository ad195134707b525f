// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_BIND_INVOCATION_HPP
#define ASIO_EWYK_IMPL_BIND_INVOCATION_HPP

#include <asio_ewyk/bind_invocation.hpp>
#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy_executor.hpp>
#include <asio_ewyk/strategy_service.hpp>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/strand.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace asio_ewyk::detail {

// An executor whose real type is known at run time only, such as asio::any_io_executor.
template <class Executor>
concept type_erased_executor =
    std::convertible_to<strategy_executor, Executor> && requires(Executor const& e) {
        { e.template target<strategy_executor>() } -> std::same_as<strategy_executor const*>;
    };

// Whether there was an executor of type Inner in `e`, which then has that invocation type.
template <class Inner, type_erased_executor Executor>
bool require_inside(Executor& e, invocation_t i) noexcept
{
    Inner const* const inner = std::as_const(e).template target<Inner>();
    if (!inner)
        return false;
    e = Executor(asio::require(*inner, i));
    return true;
}

// The executor with that invocation type; unchanged if no invocation types are visible in it.
template <class Executor>
auto with_invocation(Executor const& e, invocation_t i) noexcept
{
    if constexpr (asio::can_require_v<Executor const&, invocation_t>)
        return asio::require(e, i);
    else if constexpr (type_erased_executor<Executor>)
    {
        using tracked = std::decay_t<decltype(asio::require(
            std::declval<strategy_executor>(), asio::execution::outstanding_work.tracked))>;
        Executor result(e);
        static_cast<void>(require_inside<strategy_executor>(result, i)
            || require_inside<tracked>(result, i)
            || require_inside<asio::strand<strategy_executor>>(result, i)
            || require_inside<asio::strand<tracked>>(result, i));
        return result;
    }
    else
        return e;
}


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

// Asio needs these if the token is a handler: Boost 1.81 the types, later ones the result of get().
// Asio calls initiate(), never get().
template <class Result, class = void>
struct bound_result
{
};

template <class Result>
struct bound_result<Result, std::void_t<typename Result::completion_handler_type>>
{
    using completion_handler_type = invocation_binder<typename Result::completion_handler_type>;
    using return_type = typename Result::return_type;
    return_type get();
};

// Everything that is associated with the target is associated with its wrapper.
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

} // namespace asio_ewyk::detail

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
