#ifndef ASIO_EWYK_IMPL_WITH_INVOCATION_HPP
#define ASIO_EWYK_IMPL_WITH_INVOCATION_HPP

#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy_executor.hpp>
#include <asio_ewyk/strategy_service.hpp>

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

// The executor with that invocation type; unchanged if it has none, as far as one can see.
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

} // namespace asio_ewyk::detail

#endif
