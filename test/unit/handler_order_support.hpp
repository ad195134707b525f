// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What handler_order*.cpp share. One thread runs a pattern with Asio's io_context, which is the
// oracle, and then with a strategy_context in each set-up. The orders of the handlers are equal.
//
// Nothing depends on time or on the system's scheduler: a pattern starts only what is ready at
// once, or what another handler makes ready. A late handler would move the others to another
// thread, so no grace ends before the test does. It is checked that nothing was late.

#ifndef ASIO_EWYK_TEST_UNIT_HANDLER_ORDER_SUPPORT_HPP
#define ASIO_EWYK_TEST_UNIT_HANDLER_ORDER_SUPPORT_HPP

#include "support.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string_view>

namespace support {

/// What the handler is that does what a pattern says.
enum class origin
{
    post,         ///< posted to the context
    post_to_base, ///< posted to the io_context's own executor
    completion,   ///< of an operation of the context
};

inline std::ostream& operator<<(std::ostream& os, origin o)
{
    return os << (o == origin::post            ? "post"
                   : o == origin::post_to_base ? "post to base"
                                               : "completion");
}

/// The names of the handlers that have run, in order.
class record
{
public:
    explicit record(origin from) noexcept : from_(from) {}

    origin from() const noexcept { return from_; }

    /// A handler of any signature that adds its name.
    auto operator()(char const* name)
    {
        return [this, name](auto const&...) { add(name); };
    }

    void add(std::string_view what)
    {
        one_thread_ = one_thread_ && std::this_thread::get_id() == thread_;
        if (!names_.empty())
            names_ += ' ';
        names_ += what;
    }

    /// What run() or a sibling has returned.
    void add(std::size_t count) { add(std::to_string(count)); }

    std::string const& names() const noexcept { return names_; }

    /// Whether the thread that made the record ran them all.
    bool by_one_thread() const noexcept { return one_thread_; }

private:
    origin const from_;
    std::thread::id const thread_ = std::this_thread::get_id();
    std::string names_;
    bool one_thread_ = true;
};

/// The executor of a class that was given an io_context&.
inline asio::io_context::executor_type base_executor(asio::io_context& ctx)
{
    return ctx.get_executor();
}

/// Runs the body as one handler, and then what that has started.
template <class Context, class Body>
void in_one_handler(Context& ctx, record const& ran, Body body)
{
    asio::steady_timer expired(ctx, std::chrono::steady_clock::time_point::min());
    if (ran.from() == origin::completion)
        expired.async_wait([&](auto) { body(); });
    else if (ran.from() == origin::post_to_base)
        asio::post(base_executor(ctx), std::move(body));
    else
        asio::post(ctx, std::move(body));
    ctx.run();
}

struct set_up
{
    char const* name;
    std::unique_ptr<ewyk::strategy_context> (*make)();
    int hint = BOOST_ASIO_CONCURRENCY_HINT_DEFAULT; // of the oracle
};

/// Those with which one thread runs all handlers, while nothing is late.
inline constexpr std::array set_ups{
    set_up{"produce_consume",
        [] { return std::make_unique<ewyk::strategy_context>(ewyk::strategy.produce_consume); }},
    set_up{"eat_what_you_kill",
        [] {
            return std::make_unique<ewyk::strategy_context>(
                ewyk::strategy.eat_what_you_kill, ewyk::strategy_options{.grace = 24h});
        }},
    set_up{"execute_produce_consume",
        [] {
            return std::make_unique<ewyk::strategy_context>(
                ewyk::strategy.execute_produce_consume, ewyk::strategy_options{.grace = 24h});
        }},
    set_up{"hint_1", [] { return std::make_unique<ewyk::strategy_context>(1); }, 1},
};
inline constexpr std::span<set_up const> all(set_ups);
inline constexpr auto all_but_hint_1 = all.first(3);
inline constexpr auto produce_consume_only = all.first(1);

template <class Pattern, class Context>
std::string order_in(Context& ctx, origin from)
{
    record ran(from);
    {
        deadline const in_time(ctx);
        Pattern::in(ctx, ran);
    }
    BOOST_TEST(ran.by_one_thread());
    return ran.names();
}

template <class Pattern>
std::string order_in_asio(origin from, int hint)
{
    asio::io_context ctx(hint);
    return order_in<Pattern>(ctx, from);
}

template <class Pattern>
std::string order_in_ours(set_up const& s, origin from)
{
    auto const ctx = s.make();
    auto const order = order_in<Pattern>(*ctx, from);
    auto const metrics = ctx->metrics();
    BOOST_TEST(metrics.hand_overs() == 0u);
    BOOST_TEST(metrics.superseded == 0u);
    BOOST_TEST(metrics.produce_execute_consume == 0u);
    return order;
}

template <class Pattern>
void compare(std::span<set_up const> tried)
{
    for (auto from : {origin::post, origin::post_to_base, origin::completion})
        for (auto const& s : tried)
        {
            auto const expected = order_in_asio<Pattern>(from, s.hint);
            BOOST_TEST(order_in_asio<Pattern>(from, s.hint) == expected,
                "Asio's order is not determined");
            auto const order = order_in_ours<Pattern>(s, from);
            BOOST_TEST(order == expected,
                s.name << ", in a handler by " << from << ": " << order
                       << "; an io_context: " << expected);
        }
}

/// A pattern: its body is a template over the type of `ctx`; `ran` is the record.
#define ORDER_TEST_CASE_WITH(name, tried)                                                          \
    struct name##_pattern                                                                          \
    {                                                                                              \
        template <class Context>                                                                   \
        static void in(Context& ctx, ::support::record& ran);                                      \
    };                                                                                             \
    BOOST_AUTO_TEST_CASE(name) { ::support::compare<name##_pattern>(tried); }                      \
    template <class Context>                                                                       \
    void name##_pattern::in(Context& ctx, ::support::record& ran)

#define ORDER_TEST_CASE(name) ORDER_TEST_CASE_WITH(name, ::support::all)

} // namespace support

#endif
