#ifndef ASIO_EWYK_DETAIL_CONTEXTS_HPP
#define ASIO_EWYK_DETAIL_CONTEXTS_HPP

#include <boost/asio/execution_context.hpp>

#include <concepts>
#include <utility>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

template <class T>
concept single_context = std::derived_from<T, asio::execution_context>;

template <class T>
concept group_of_contexts = requires(T& group) {
    { group.next() } -> std::convertible_to<asio::execution_context&>;
    { *group.begin() } -> std::convertible_to<asio::execution_context&>;
};

template <class T>
concept contexts = single_context<T> || group_of_contexts<T>;

template <contexts T>
auto& next_context(T& all)
{
    if constexpr (single_context<T>)
        return all;
    else
        return all.next();
}

template <contexts T, class F>
void for_each_context(T& all, F f)
{
    if constexpr (single_context<T>)
        f(all);
    else
        for (auto& context : all)
            f(context);
}

template <contexts T>
using executor_of =
    decltype(next_context(std::declval<T&>()).get_executor());

} // namespace asio_ewyk::detail

#endif
