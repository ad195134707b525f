// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OBSERVE_STALL_OBSERVER_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_STALL_OBSERVER_HPP

#include <asio_ewyk/detail/config.hpp>

#include <boost/asio/execution_context.hpp>
#include <boost/config.hpp>

#include <atomic>
#include <chrono>

namespace asio_ewyk::detail {

// The seam to what reports stalls: the core tells it when a context comes or goes, and includes
// nothing of it. A program that includes stalls.hpp, or is compiled separately, has it.
class stall_observer
{
public:
    // The threshold of a context with that one in its options: the environment may say another.
    virtual std::chrono::nanoseconds threshold(std::chrono::nanoseconds option) const noexcept = 0;

    // A context with a threshold comes, or goes. `stack_signal`: as in its options.
    virtual void join(int stack_signal) noexcept = 0;
    virtual void leave() noexcept = 0;

    // Of a context: before a fork it has no threads, and afterwards they may come again.
    virtual void notify_fork(boost::asio::execution_context::fork_event event) noexcept = 0;

protected:
    ~stall_observer() = default;
};

#if defined(ASIO_EWYK_SEPARATE_COMPILATION)

// The program's; null: it has none.
stall_observer* linked_stall_observer() noexcept;

#else

class BOOST_SYMBOL_VISIBLE stall_observer_link
{
public:
    using getter = stall_observer& (*)() noexcept;

    explicit stall_observer_link(getter g) noexcept { get_.store(g); }

    static stall_observer* get() noexcept
    {
        getter const g = get_.load();
        return g ? &g() : nullptr;
    }

private:
    static inline std::atomic<getter> get_{nullptr};
};

inline stall_observer* linked_stall_observer() noexcept
{
    return stall_observer_link::get();
}

#endif

} // namespace asio_ewyk::detail

#endif
