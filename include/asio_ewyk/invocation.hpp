// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_INVOCATION_HPP
#define ASIO_EWYK_INVOCATION_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/utility/named_values.hpp>

#include <boost/asio/execution/executor.hpp>
#include <boost/config.hpp>

#include <array>
#include <iosfwd>
#include <string_view>
#include <utility>

namespace asio_ewyk {

namespace asio = boost::asio;

namespace detail {

inline constexpr named_values invocation_names{
    std::array<std::string_view, 3>{"blocking", "non_blocking", "either"}};

} // namespace detail

/** What the submitter of a task says of it: whether running it may block the thread.

    - `blocking`: it may block. The default for whatever is not declared.
    - `non_blocking`: it never blocks; the producer may run it before it looks for more.
    - `either`: it asks `this_invocation::may_block()`, and does not block where that is false.

    The words are those of Jetty (`org.eclipse.jetty.util.thread.Invocable.InvocationType`). Like
    `strategy_t` it is a property in the sense of Asio, for `asio::require`, `prefer` and `query`.

    @par Thread Safety
    Distinct objects: safe. Shared objects: safe; an object does not change.

    @par Exception Safety
    No member throws.

    @par Example
    @snippet example/6_cookbook/say_what_blocks.cpp properties
*/
class invocation_t
{
public:
    /// The types as numbers.
    enum class kind : unsigned char
    {
        blocking,
        non_blocking,
        either,
    };

    // What Asio asks of a property.
    template <class T>
    static constexpr bool is_applicable_property_v = asio::execution::is_executor<T>::value;
    static constexpr bool is_requirable = true;
    static constexpr bool is_preferable = true;
    using polymorphic_query_result_type = invocation_t;

    /// The types: `invocation.non_blocking`, or `invocation_t::non_blocking`.
    static const invocation_t blocking;
    static const invocation_t non_blocking;
    static const invocation_t either;

    /// What an undeclared task is: `blocking`.
    constexpr invocation_t() noexcept = default;

    /// The type of that number, or the default if no type has it.
    constexpr explicit invocation_t(kind value) noexcept
        : value_(detail::invocation_names.known(value, kind::blocking))
    {
    }

    /// The type as a number, for a `switch`.
    constexpr kind value() const noexcept { return value_; }

    friend constexpr bool operator==(invocation_t, invocation_t) noexcept = default;

private:
    kind value_ = kind::blocking;
};

inline constexpr invocation_t invocation_t::blocking{kind::blocking};
inline constexpr invocation_t invocation_t::non_blocking{kind::non_blocking};
inline constexpr invocation_t invocation_t::either{kind::either};

/// The property to query, and the scope of its values: `invocation.non_blocking`.
inline constexpr invocation_t invocation{};

namespace detail {

// Whether the task that this thread runs may block. Written by the thread itself only.
BOOST_SYMBOL_VISIBLE inline thread_local bool this_thread_may_block = true;

// Sets the mark for a scope.
class may_block_scope
{
public:
    explicit may_block_scope(bool value) noexcept
        : outer_(std::exchange(this_thread_may_block, value))
    {
    }

    may_block_scope(may_block_scope const&) = delete;
    may_block_scope& operator=(may_block_scope const&) = delete;

    ~may_block_scope() { this_thread_may_block = outer_; }

private:
    bool outer_;
};

} // namespace detail

/// The name of an invocation type, as in the source: `"non_blocking"`. No-throw guarantee.
constexpr std::string_view to_string(invocation_t i) noexcept
{
    return detail::invocation_names.name(i.value());
}

/// Writes the name.
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, invocation_t i)
{
    return out << to_string(i);
}

namespace this_invocation {

/** Whether the running task may block this thread.

    False while an `invocation.either` task runs on a producer for which no thread could take over:
    a wait would then stop all that it serves. True everywhere else. No-throw guarantee.
*/
// Not inlined: a coroutine may ask again on another thread, for which clang would look at the mark
// of the first one (llvm/llvm-project#47179).
BOOST_NOINLINE inline bool may_block() noexcept
{
    return detail::this_thread_may_block;
}

} // namespace this_invocation

/** Calls f() and returns what it returns; while it runs, this thread must not block.

    This is for a thread that calls `execution_strategy::produce()` and has other things to attend
    to: with `eat_what_you_kill` it runs `non_blocking` and `either` tasks itself, the latter with
    `this_invocation::may_block()` false, and gives `blocking` ones to the pool. With
    `produce_consume` and `execute_produce_consume` it runs all of them nevertheless; and so it does
    where the pool's queue is full, with `queue_full::caller_runs`.

    Calls may be nested, and mean this thread only: a thread that takes over production may block.
    f must return on the thread that called it. A coroutine that it makes is not a part of it.

    Throws what f throws; the thread may block again then as it could before. The function
    corresponds to Jetty's `Invocable.invokeNonBlocking`.

    @par Example
    @snippet test/unit/invoke_non_blocking.cpp produce
*/
template <class F>
decltype(auto) invoke_non_blocking(F&& f)
{
    detail::may_block_scope const mark(false);
    return std::forward<F>(f)();
}

} // namespace asio_ewyk

#endif
