// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_STRATEGY_HPP
#define ASIO_EWYK_STRATEGY_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/utility/named_values.hpp>

#include <boost/asio/execution/executor.hpp>

#include <array>
#include <iosfwd>
#include <string_view>

namespace asio_ewyk {

namespace asio = boost::asio;

namespace detail {

inline constexpr named_values strategy_names{
    std::array<std::string_view, 5>{"produce_consume", "produce_execute_consume",
        "execute_produce_consume", "eat_what_you_kill", "custom"}};

} // namespace detail

/** An execution strategy: which thread runs a produced task, and which one produces next.

    | strategy                  | runs the task          | produces next          |
    |---------------------------|------------------------|------------------------|
    | `produce_consume`         | the producer           | the producer           |
    | `produce_execute_consume` | a thread of the pool   | the producer           |
    | `execute_produce_consume` | the producer           | another thread         |
    | `eat_what_you_kill`       | chosen for each task   | chosen for each task   |
    | `custom`                  | as the policy says     | as the policy says     |

    The first four are those of Jetty (`org.eclipse.jetty.util.thread.ExecutionStrategy`); the last
    of them is Jetty's `AdaptiveExecutionStrategy`, formerly `EatWhatYouKill`. For `custom` a
    `strategy_policy` is asked; without one it is `eat_what_you_kill`.

    A strategy is also a property in Asio's sense: `asio::require(ex, strategy.produce_consume)` and
    `asio::prefer` return an executor that uses that strategy, `asio::query(ex, strategy)` tells
    which one an executor uses.

    @par Thread Safety
    Distinct objects: safe. Shared objects: safe; an object does not change.

    @par Exception Safety
    No member throws.

    @par Example
    @snippet example/6_cookbook/say_what_blocks.cpp properties
*/
class strategy_t
{
public:
    /// The strategies as numbers.
    enum class kind : unsigned char
    {
        produce_consume,
        produce_execute_consume,
        execute_produce_consume,
        eat_what_you_kill,
        custom,
    };

    // What Asio asks of a property.
    template <class T>
    static constexpr bool is_applicable_property_v = asio::execution::is_executor<T>::value;
    static constexpr bool is_requirable = true;
    static constexpr bool is_preferable = true;
    using polymorphic_query_result_type = strategy_t;

    /// The strategies: `strategy.produce_consume`, or `strategy_t::produce_consume`.
    static const strategy_t produce_consume;
    static const strategy_t produce_execute_consume;
    static const strategy_t execute_produce_consume;
    static const strategy_t eat_what_you_kill;
    static const strategy_t custom;

    /// The strategy that is used where none is named: `eat_what_you_kill`.
    constexpr strategy_t() noexcept = default;

    /// The strategy of that number, or the default if no strategy has it.
    constexpr explicit strategy_t(kind value) noexcept
        : value_(detail::strategy_names.known(value, kind::eat_what_you_kill))
    {
    }

    /// The strategy as a number, for a `switch`.
    constexpr kind value() const noexcept { return value_; }

    friend constexpr bool operator==(strategy_t, strategy_t) noexcept = default;

private:
    kind value_ = kind::eat_what_you_kill;
};

inline constexpr strategy_t strategy_t::produce_consume{kind::produce_consume};
inline constexpr strategy_t strategy_t::produce_execute_consume{kind::produce_execute_consume};
inline constexpr strategy_t strategy_t::execute_produce_consume{kind::execute_produce_consume};
inline constexpr strategy_t strategy_t::eat_what_you_kill{kind::eat_what_you_kill};
inline constexpr strategy_t strategy_t::custom{kind::custom};

/// The property to query, and the scope of its values: `strategy.produce_consume`.
inline constexpr strategy_t strategy{};

/// The name of a strategy, as in the source: `"eat_what_you_kill"`. No-throw guarantee.
constexpr std::string_view to_string(strategy_t s) noexcept
{
    return detail::strategy_names.name(s.value());
}

/// The strategy of that name. Throws `std::invalid_argument`, which lists the known names.
inline strategy_t strategy_from_string(std::string_view name)
{
    return strategy_t(detail::strategy_names.parse<strategy_t::kind>("strategy", name));
}

/// Writes the name.
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, strategy_t s)
{
    return out << to_string(s);
}

} // namespace asio_ewyk

#endif
