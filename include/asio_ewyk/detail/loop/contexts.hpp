// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_CONTEXTS_HPP
#define ASIO_EWYK_DETAIL_LOOP_CONTEXTS_HPP

#include <asio_ewyk/detail/loop/event_loop_service.hpp>

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

inline bool is_loop(asio::execution_context& context)
{
    return asio::has_service<event_loop_service>(context);
}

// Whether the context is a loop that has ended; other contexts can be run again.
inline bool has_ended(asio::execution_context& context)
{
    return is_loop(context) && asio::use_service<event_loop_service>(context).ended();
}

// The next one; if that has ended, another one; an ended one only if all have.
template <contexts T>
auto& next_live_context(T& all)
{
    auto* chosen = &next_context(all);
    for_each_context(all, [&](auto& other) {
        if (has_ended(*chosen))
            chosen = &other;
    });
    return *chosen;
}

template <contexts T>
using executor_of =
    decltype(next_context(std::declval<T&>()).get_executor());

} // namespace asio_ewyk::detail

#endif
