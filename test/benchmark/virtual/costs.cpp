// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "costs.hpp"

#include "../primitives.hpp"

#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/os/thread_probe.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/value_to.hpp>

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace virtual_time {

namespace {

namespace asio = boost::asio;

// The median of a call's time.
template <class F>
duration median(std::size_t calls, F f)
{
    std::vector<duration> all(calls);
    for (duration& each : all)
    {
        auto const began = std::chrono::steady_clock::now();
        f();
        each = std::chrono::steady_clock::now() - began;
    }
    auto const middle = all.begin() + static_cast<std::ptrdiff_t>(calls / 2);
    std::ranges::nth_element(all, middle);
    return *middle;
}

duration poll_cost()
{
    int const file = ::epoll_create1(EPOLL_CLOEXEC);
    if (file < 0)
        throw std::system_error(errno, std::generic_category(), "epoll_create1");
    ::epoll_event happened;
    auto const cost = median(999, [&] { ::epoll_wait(file, &happened, 1, 0); });
    ::close(file);
    return cost;
}

duration probe_cost()
{
    using asio_ewyk::detail::thread_id;
    std::atomic<thread_id> id{};
    std::atomic<bool> done{false};
    std::jthread sleeps([&] {
        id.store(asio_ewyk::detail::this_thread_id());
        id.notify_one();
        done.wait(false);
    });
    id.wait(thread_id());
    asio_ewyk::detail::thread_probe probe;
    auto const cost = median(99, [&] { probe.of(id.load()); });
    done.store(true);
    done.notify_one();
    return cost;
}

duration thread_start_cost()
{
    std::vector<std::jthread> threads;
    return median(49, [&threads] { threads.emplace_back([] {}); });
}

// What Asio takes for a handler that posts itself again, as one of sixteen.
duration handler_time()
{
    struct chain
    {
        asio::io_context& on;
        void operator()() const { asio::post(on, *this); }
    };
    constexpr std::size_t calls = 20'000;
    asio::io_context on;
    asio::steady_timer const io(on);
    for (int i = 0; i != 16; ++i)
        asio::post(on, chain{on});
    return median(25, [&on] {
        for (std::size_t i = 0; i != calls / 16; ++i)
            on.run_one(); // brings the first of them into the cache
        on.poll_one();
    }) / (calls / 16 + 1);
}

} // namespace

costs measured_costs()
{
    costs c;
    auto const primitives = benchmark::measure_primitives();
    auto const is = [&](char const* name, duration otherwise) {
        auto const& value = primitives.at(name);
        return value.is_null() ? otherwise
                               : duration(static_cast<duration::rep>(value.to_number<double>()));
    };
    c.atomic = std::max(duration(1), is("atomic", c.atomic));
    c.line_transfer = is("line_transfer", c.line_transfer);
    c.system_call = is("system_call", c.system_call);
    c.wake_call = is("wake_call", c.wake_call);
    c.wake_up = is("futex_other_core", c.wake_up);
    c.context_switch = std::max(c.system_call,
        is("futex_same_core", c.context_switch) - is("wake_call_queued", duration::zero()));
    c.timer_late = std::max(duration::zero(), is("sleep_late", c.timer_late) - c.wake_up);
    c.poll = poll_cost();
    c.probe = probe_cost();
    c.thread_start = thread_start_cost();
    // Beside nine atomic changes: four of the mutex, two of the count of work, three of other lines.
    c.handler = std::max(duration(10), handler_time() - 9 * c.atomic - c.poll / 16);
    return c;
}

} // namespace virtual_time
