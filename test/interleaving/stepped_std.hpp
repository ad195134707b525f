// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A standard library for the shipped headers each of whose atomic operations is one step. Include
// first all that they include, then this one, then
//
//   #define std stepped
//   #include <asio_ewyk/detail/...>
//   #undef std
//
// Sequentially consistent: what weaker orders allow is checked by test/weak_memory.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_STEPPED_STD_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_STEPPED_STD_HPP

#include "interleavings.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>

namespace stepped {

using namespace ::std;

/// Whether a flag is not written in that function, where that is a flaw. An exchange then finds
/// what it was to write.
inline bool (*leaves_out)(char const* where) noexcept = nullptr;

/// What it guards is one step. Nothing else that is shared may be touched meanwhile.
class mutex
{
public:
    void lock() noexcept { step_.emplace(); }
    void unlock() noexcept { step_.reset(); }

private:
    optional<interleaving::one_step> step_;
};

/// Nothing waits for one here.
struct condition_variable
{
    template <class... Args>
    void wait(Args const&...) noexcept
    {
        interleaving::fail("waits for a condition");
    }
    template <class... Args>
    void wait_until(Args const&...) noexcept
    {
        interleaving::fail("waits for a condition");
    }
    void notify_all() noexcept {}
};

template <class T>
class atomic
{
    static_assert(std::is_integral_v<T>);

public:
    atomic(T value = T()) noexcept
        : word_(static_cast<std::uint64_t>(value))
    {
    }

    T load(std::memory_order = std::memory_order_seq_cst,
        char const* where = __builtin_FUNCTION()) const noexcept
    {
        interleaving::point();
        T const value = get();
        interleaving::observe(static_cast<std::uint64_t>(value));
        tell(where, "reads", value);
        return value;
    }

    void store(T value, std::memory_order = std::memory_order_seq_cst,
        char const* where = __builtin_FUNCTION()) noexcept
    {
        interleaving::point();
        if (is_left_out(where))
            return;
        word_.set(static_cast<std::uint64_t>(value));
        tell(where, "writes", value);
    }

    T exchange(T value, std::memory_order = std::memory_order_seq_cst,
        char const* where = __builtin_FUNCTION()) noexcept
    {
        interleaving::point();
        T const before = get();
        if (is_left_out(where))
            return value;
        word_.set(static_cast<std::uint64_t>(value));
        interleaving::observe(static_cast<std::uint64_t>(before));
        tell(where, "exchanges for", value);
        return before;
    }

    T fetch_add(T by, std::memory_order = std::memory_order_seq_cst,
        char const* where = __builtin_FUNCTION()) noexcept
    {
        return add(by, where);
    }

    T fetch_sub(T by, std::memory_order = std::memory_order_seq_cst,
        char const* where = __builtin_FUNCTION()) noexcept
    {
        return add(static_cast<T>(-by), where);
    }

    // It does not fail for no reason: its caller would only try again.
    bool compare_exchange_weak(T& expected, T desired,
        std::memory_order = std::memory_order_seq_cst,
        char const* where = __builtin_FUNCTION()) noexcept
    {
        return change(expected, desired, where);
    }

    bool compare_exchange_strong(T& expected, T desired,
        std::memory_order = std::memory_order_seq_cst,
        std::memory_order = std::memory_order_seq_cst,
        char const* where = __builtin_FUNCTION()) noexcept
    {
        return change(expected, desired, where);
    }

    // For a look from outside, which is no step.
    T get() const noexcept { return static_cast<T>(word_.get()); }

private:
    static bool is_left_out(char const* where) noexcept
    {
        return leaves_out && (std::is_same_v<T, bool> || std::is_same_v<T, int>)
            && leaves_out(where);
    }

    T add(T by, char const* where) noexcept
    {
        interleaving::point();
        T const before = get();
        if (is_left_out(where))
            return before;
        word_.set(static_cast<std::uint64_t>(static_cast<T>(before + by)));
        interleaving::observe(static_cast<std::uint64_t>(before));
        tell(where, "has", before);
        return before;
    }

    bool change(T& expected, T desired, char const* where) noexcept
    {
        interleaving::point();
        T const value = get();
        bool const done = value == expected;
        if (done)
            word_.set(static_cast<std::uint64_t>(desired));
        interleaving::observe(static_cast<std::uint64_t>(value));
        tell(where, done ? "changes to" : "finds", done ? desired : value);
        expected = value;
        return done;
    }

    static void tell(char const* where, char const* what, T value)
    {
        if (interleaving::tells())
            interleaving::tell(
                std::string(where) + ' ' + what + ' ' + std::to_string(value));
    }

    interleaving::word word_;
};

}

#endif
