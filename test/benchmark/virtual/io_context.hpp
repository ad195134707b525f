// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_IO_CONTEXT_HPP
#define ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_IO_CONTEXT_HPP

#include "locks.hpp"
#include "machine.hpp"

#include <cstddef>
#include <deque>
#include <vector>

namespace virtual_time {

class operation;

/// Is told when a thread asks for I/O.
class poll_observer
{
public:
    virtual void begin(bool waits) = 0;
    virtual void end() = 0;

protected:
    ~poll_observer() = default;
};

/// A call of run() or a sibling.
struct call
{
    poll_observer* observer = nullptr; // null: nobody is told
    bool has_lock = false;
    std::vector<operation*> posted{}; // by the handler, where only one thread calls run()
    long work = 0;                 // that this call has added, and not yet counted
};

/// What an io_context runs.
class operation
{
public:
    virtual routine<> run(call& here) = 0;

    /// What the operation consists of.
    cache_line memory;

    /// The io_context's: whether it is in the queue.
    bool is_queued = false;

protected:
    ~operation() = default;
};

/** The scheduler of Asio 1.24 (Boost 1.81), function by function: one mutex, one queue, one condition.
    A thread that finds the reactor in the queue asks for I/O, and waits for it if there is nothing
    else in the queue. There is no I/O but the wake-up of that thread. An operation that is pushed
    while it is in the queue throws std::logic_error.
*/
class io_context
{
public:
    /// `one_thread`: as with the hint 1.
    io_context(machine& m, bool one_thread);
    io_context(io_context const&) = delete;
    io_context& operator=(io_context const&) = delete;

    /// Never returns: there is always work.
    routine<> run(poll_observer* observer = nullptr);
    routine<std::size_t> run_one(poll_observer* observer = nullptr);
    routine<std::size_t> run_one_for(duration time, poll_observer* observer = nullptr);
    routine<std::size_t> poll_one(poll_observer* observer = nullptr);

    /// As boost::asio::post(). `from`: the call that runs the handler that posts; null in another
    /// thread.
    routine<> post(operation& o, call* from);

    /// Before a thread runs: what is ready at the beginning.
    void add(operation& o) { push(o); }

private:
    class reactor_operation final : public operation
    {
        routine<> run(call&) override { co_return; }
    };

    routine<std::size_t> do_run_one(call& here);
    routine<std::size_t> do_wait_one(call& here, time_point then);
    routine<> run_handler(operation& o, bool more, call& here);
    routine<> ask_for_io(call& here, bool waits, time_point then);
    routine<> wake_one_thread_and_unlock();
    routine<> lock(call& here);
    routine<> unlock(call& here);
    void push(operation& o);
    operation* take();
    duration in_queue() noexcept;

    machine& machine_;
    bool const one_thread_;
    mutex mutex_;
    event wakeup_event_;
    cache_line data_; // beside the mutex
    cache_line work_; // how much is to be done
    std::deque<operation*> queue_;
    reactor_operation reactor_;
    bool reactor_interrupted_ = true;
    bool has_interrupt_ = false;
    thread* in_reactor_ = nullptr;
};

} // namespace virtual_time

#endif
