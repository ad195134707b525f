// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Stands for shipped headers that have no part in what is checked, but use what fibers, as which
// Relacy runs threads, do not have: thread-local objects with destructors, an io_context of their
// own, the system's threads. Include it before any shipped header.

#ifndef ASIO_EWYK_TEST_WEAK_MEMORY_STAND_INS_HPP
#define ASIO_EWYK_TEST_WEAK_MEMORY_STAND_INS_HPP

#define ASIO_EWYK_DETAIL_OS_CPU_BINDING_HPP
#define ASIO_EWYK_DETAIL_OS_HOME_PROCESS_HPP
#define ASIO_EWYK_DETAIL_TASK_RECYCLED_MEMORY_HPP
#define ASIO_EWYK_DETAIL_OS_SCHEDULING_HPP
#define ASIO_EWYK_DETAIL_OS_SIGNALS_HPP
#define ASIO_EWYK_DETAIL_OS_THIS_THREAD_HPP
#define ASIO_EWYK_DETAIL_OS_THREAD_END_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_THREAD_ACTIVITY_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_TRACE_POINT_HPP

#include <asio_ewyk/detail/observe/task_action.hpp>
#include <asio_ewyk/detail/observe/trace_event.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/core/typeinfo.hpp>
#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

using thread_id = int;

inline void name_this_thread(std::string const&, std::size_t) noexcept {}
inline thread_id (*number_of_this_thread)() = [] { return 1; };
inline thread_id this_thread_id() noexcept { return number_of_this_thread(); }
inline int this_cpu() noexcept { return 0; }
inline bool sleeps(thread_id) noexcept { return true; }
inline int allowed_cpus() noexcept { return 1; }

template <class T>
struct until_thread_end
{
    template <class... Arguments>
    explicit until_thread_end(Arguments&&... arguments)
        : object{arguments...}
    {
    }

    T object;
};

template <class T>
using last_of_thread = until_thread_end<T>;

// There is one process.
struct home_process
{
    bool is_here() const noexcept { return true; }
    void move_here() noexcept {}
};

template <class T>
void make_anew(T&) noexcept
{
}

struct block_signals
{
    block_signals() noexcept {}
    ~block_signals() {}
};

struct wake_up_place
{
    void choose(thread_id) noexcept {}
    void leave() noexcept {}
};

struct cpu_mask
{
    static cpu_mask all() noexcept { return {}; }
    int apply(thread_id = 0) const noexcept { return 0; }
};

struct signal_mask
{
    signal_mask() noexcept {}
    void apply() const noexcept {}
};

struct scheduling
{
    scheduling() noexcept {}
    void apply() const noexcept {}
};

inline bool become_normal() noexcept { return true; }
inline void unblock_signal(int) noexcept {}

struct unbound
{
    unbound() noexcept {}
    ~unbound() {}
};

template <class F>
void with_recycled_memory(F f)
{
    f();
}

class thread_activity
{
public:
    static thread_activity& mine() noexcept
    {
        static thread_activity one;
        return one;
    }

    static void forget_others() noexcept {}
    struct state
    {
        task_action what = nullptr;
        void const* owner = nullptr;
    };
    struct outer_service
    {
        outer_service() noexcept {}
    };
    outer_service serve(void const*) noexcept { return {}; }
    void end_service(outer_service) noexcept {}
    state now() const noexcept { return {}; }
    thread_id thread() const noexcept { return 0; }

    // No record: what asks how many threads are inside something takes that for a hint.
    template <class F>
    static void for_each(F const&) noexcept
    {}
};

struct handler_scope
{
    explicit handler_scope(task_action, void const* = nullptr, std::uint64_t = 0) noexcept {}
    ~handler_scope() {}
};

#ifndef ASIO_EWYK_DETAIL_OS_THREAD_PROBE_HPP
#define ASIO_EWYK_DETAIL_OS_THREAD_PROBE_HPP
struct thread_probe
{
    enum class state
    {
        unknown,
        runs,
        polls,
        locks,
        blocks,
    };
};
#endif

#ifndef ASIO_EWYK_DETAIL_WATCH_CPU_SENTINEL_HPP
#define ASIO_EWYK_DETAIL_WATCH_CPU_SENTINEL_HPP
class watched_lease;

struct cpu_sentinel
{
    template <class Sleep>
    static cpu_sentinel* activate(int, Sleep&) noexcept
    {
        return nullptr;
    }
    static bool is_refused() noexcept { return false; }
    static void reset_refusal() noexcept {}

    void request_end() noexcept {}
    void join() noexcept {}
    watched_lease* take_told() noexcept { return nullptr; }
    void forget_thread() noexcept {}
};
#endif

inline void test_point(trace_event = trace_event::step) noexcept {}
inline void trace_point(
    trace_event, void const* = nullptr, std::uint64_t = 0, task_action = nullptr) noexcept
{}

struct trace_span
{
    explicit trace_span(
        trace_event, void const* = nullptr, task_action = nullptr, std::uint64_t = 0) noexcept
    {}
    ~trace_span() {}
};

}

#endif
