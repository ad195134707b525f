// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the threads of the model share, what each of them is about to do, and what a model consists
// of.

#ifndef ASIO_EWYK_TEST_MODEL_WORLD_HPP
#define ASIO_EWYK_TEST_MODEL_WORLD_HPP

#include "small_list.hpp"

#include <asio_ewyk/detail/engine/choose.hpp>
#include <asio_ewyk/detail/engine/production.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace model {

namespace ewyk = asio_ewyk;
using ewyk::detail::production_event;
using ewyk::detail::production_state;
using ewyk::detail::production_verdict;

/// What a thread can be given, or a queue hold: tasks are 1, 2, ...; 0 is none.
inline constexpr byte wake_up_handler = 13;   // in the io_context's queue
inline constexpr byte production_job = 14;    // come and produce: the engine itself
inline constexpr byte look_around = 15;       // a thread is woken without a task

using list = small_list<5>;

/// The functions that a thread of the model can be in; each has the name of what it is modelled on.
enum class program : byte
{
    script,            // what a thread of the caller's does
    enter,             // strategy_engine
    dispatch,
    arrive,
    watch,             // sentinel and watchdog
    pass_on,
    release,
    start_pending,
    abdicate,
    loop,
    run_task,
    pool_work,         // elastic_threads
    pool_try_execute,
    pool_execute,
    give,              // pool_threads, context's threads
    start,
    try_start,
    try_give,
    wake_idle_caller,
    wake_all,
    reactor_produce,   // reactor
    fall_asleep,
    announce,
    post,
    wake_up,
    woken,
    take_part,         // strategy_service
    rest,
    leave_run,
    clear_pool,
    recall,
    stop,
};

struct activation
{
    program what{};
    byte line = 0;   // where it goes on
    byte a = 0;      // its argument
    byte b = 0;      // its own
};

/// What a thread knows. Its functions' flags are those of its call_frame and its call of run().
struct thread_state
{
    std::array<activation, 8> stack{};
    byte depth = 0;      // 0: done
    byte result = 0;     // of the function that returned last
    byte thrown = 0;     // an exception is on its way
    byte position = 0;   // in the script
    byte job = 0;        // written by the claimer of this thread

    byte producing = 0;
    byte leased = 0;     // it has leased the right, and does not know of the end of that
    byte its_lease = 0;  // that has not ended
    byte sees_lease = 0; // the lease that it has seen has not ended
    byte kept = 0;       // leased, while a task runs that keeps the right
    byte occupies = 0;   // a place among the pool's threads that produce
    byte must_not_block = 0;
    byte inside_run = 0;    // is in so many calls of run() or a sibling
    byte stepping = 0;
    byte no_wait = 0;       // poll()
    byte nested = 0;        // a call further down produces
    byte inner = 0;         // it is in a call within a task
    byte foreign = 0;       // runs the io_context itself
    byte limited = 0;       // run_one
    byte counted = 0;       // a task was counted
    byte has_deadline = 0;
    byte expired = 0;
    byte has_polled = 0;    // before a wait
    byte own_queue = 0;     // what the io_context keeps for this thread, in a queue of its own
};

inline bool call_is_done(thread_state const& t)
{
    return t.expired || (t.limited && t.counted);
}

inline constexpr std::size_t max_threads = 6;

/// What the producer does on a lease, as it says itself.
enum activity : byte
{
    waits,
    runs_task,
    keeps,
};

struct world
{
    byte word = 0;         // production, packed
    byte holder = 0;       // which thread has the right to produce, by what the verdicts say; 1 is thread 0
    byte ran = 0;          // tasks that have begun

    list pool_queue;
    byte parked = 0;       // threads of the pool that are parked
    byte absent = 0;       // threads of the pool that are not started
    byte starting = 0;
    byte occupied = 0;         // places of threads that produce, or are to
    byte pending_occupies = 0; // one of them is the pending thread's
    byte pending_may_wait = 0; // the pending thread may be in the pool's queue
    byte pins = 0;             // threads of the pool that have something to run

    byte leased = 0;           // there is a lease,
    byte lease_what = 0;       // the mark,
    byte lease_occupies = 0;   // whether a place belongs to the right that is leased
    byte blocked = 0;          // threads that are in a handler that nothing marks
    byte needs_start = 0;      // a thread has to be started that comes to produce

    list posted;
    list ready;
    byte asleep = 1;
    byte asleep_late = 0;  // a relaxed store to asleep that others do not see yet: 1 false, 2 true
    byte wake_queued = 0;
    byte stopped_flag = 0; // reactor's

    list ioc;              // the io_context's queue
    byte ioc_waits = 0;    // threads that sleep in the io_context, where that makes a difference
    byte ioc_stopped = 0;
    byte work = 0;         // the io_context's outstanding work

    byte runners = 0;      // threads inside run() or a sibling
    byte not_stepping = 0; // how many of them do not step
    byte callers = 0;       // which of them are parked

    std::array<thread_state, max_threads> threads{};
};

struct task_kind
{
    enum step : byte
    {
        none,
        poll,
        run_one,
    };

    ewyk::invocation_t invocation = ewyk::invocation.blocking;
    bool throws = false;
    byte posts = 0;          // another task
    byte waits_for = 0;      // blocks until that task has begun
    bool again = false;      // posts itself, without end
    bool section = false;    // says before it waits that it is going to block
    byte completes = 0;      // completes the operation of that task
    byte then = 0;           // a task that the same handler of the io_context dispatches afterwards
    bool native = false;     // is a handler that is none of ours, and nothing marks
    step steps = none;       // then drives the context itself by such a call
};

/// What a thread of the caller's does, one after the other.
struct action
{
    enum kind_type : byte
    {
        post,          // that task
        complete,      // an I/O operation whose completion becomes that task
        release_work,  // a work guard is reset
        run,           // again if a task throws
        run_for,       // returns at any time
        run_one,       // once
        run_one_loop,  // until it returns 0
        poll,          // once
        plain_run,     // of the io_context; again if a task throws
        stop,
        restart,       // when all calls of run() and its siblings have returned
    } kind;
    byte task = 0;
};

/// Where the protocol is made worse, to see whether that is found.
enum class flaw
{
    none,
    blocks_producer,           // the producer runs what it should give to the pool
    starts_before_release,     // hand-over asks for a thread and then gives up the right
    thrower_goes_on,           // a task that throws after a hand-over returns to the loop (jetty#2468)
    thrower_keeps_right,       // a task that throws leaves the loop with the right to produce
    thrower_tells_none,      // the same, without it, but asks no thread to produce
    thrower_leaves_awake,      // the same, and a thread that posts then sends no wake-up
    announces_before_leaving,  // the wake-up for what is left is sent before the right is given up
    number_is_not_checked,     // the lease that is taken over may be another one by now
    late_goes_on,              // it does not take its lease back, and produces on
    hands_over_before_end,     // the one that takes over gives up the right before it has ended the lease
    place_is_kept,             // it forgets the place that belongs to the right
    start_is_forgotten,        // where a thread has to be started none is
    released_in_silence,       // a task that says that it is going to block asks no other thread to come
    capture_is_own,            // what a late thread captures goes to where the producer's own is
    keeps_by_mark,             // a task that keeps the right says so, but its lease can be taken over
    leases_before_look,        // a late thread that produces again leases, and then looks at what is its own
    superseded_gives_up,       // a thread that was late inside the io_context leaves the loop as the producer does
    superseded_tells_none,   // it leaves the io_context without a wake-up
    section_is_forgotten,      // a task on a lease that says that it is going to block is not heard
    stepper_keeps_right,       // a caller that steps runs a task that blocks and keeps the right
    stepper_awaits_idle_caller,      // one that leaves counts on a thread that it cannot get
    stepper_asks_no_pool,      // nor asks the pool, although others are inside run()
    sleeps_before_saying_so,   // asleep is set after the look at the queue
    sleeps_after_poll,         // a thread that polls before it waits does not look what others have left
    last_thread_is_taken,      // a thread that waits in the io_context is taken over where no other could come
    visits_as_it_runs_tasks,   // it does not lease inside the io_context while no other thread could come
    says_so_weakly,            // asleep is set by a relaxed store (netty#9561)
    clears_wake_up_late,       // wake_queued is cleared after the look at the queue, not before
    leaves_awake,              // asleep is not set when production ends
    leaves_without_look,       // nor is what is queued then announced
    idle_caller_parks_without_look,
    leaver_asks_none,        // the runner that leaves production does not ask another one
    given_task_is_not_shown,   // a thread that gives a task to the pool does not look for an idle caller afterwards
    queued_production_is_not_shown, // nor does one that queues the engine itself there
    last_runner_just_leaves,   // without waiting for the pool's threads
    last_runner_forgets_queue, // it waits until none runs a task, and not until none waits for one
    await_forgets_newcomers,   // it waits on although another caller has come
    foreign_keeps_wake_up,     // a foreign thread takes the wake-up that was meant for the producer
    poll_waits,                // poll() waits in the io_context like run_one()
    nested_call_waits_leased,  // a task on a lease drives the context and does not end that first
    nested_call_hands_over,    // and hands over what belongs to the call around it
    nested_call_gives_up,      // or gives it up when it finds nothing more to do
    stop_outlives_restart,     // the flag that it was stopped is believed without asking
    stop_is_forgotten,         // the flag is taken back after the look at the io_context, not before
    stop_wakes_none,         // nor does the producer that finds the io_context stopped
    plain_stop_wakes_none,   // only the latter
    end_wakes_none,          // the same where the work ends by itself
};

/// A model: which threads there are, and what they do.
struct setup
{
    ewyk::strategy_t strategy = ewyk::strategy.eat_what_you_kill;
    std::vector<task_kind> tasks = {};
    std::vector<std::vector<action>> callers = {};
    byte parked = 0;                 // threads of the pool that are parked at first,
    byte startable = 0;              // and those that can be started; none of both: it was stopped
    byte nonblocking_callers = 0;    // the first so many callers must not block
    bool grace = false;              // the right is leased while tasks run,
    bool endless = false;            // and no task is ever late by itself
    bool two_watch = false;          // threads are started by a second thread that watches
    bool places = false;             // the pool counts its threads that produce
    bool in_place = false;           // completions run on a lease inside the io_context
    bool polls_first = false;        // each caller polls the io_context before it first waits there
    bool own_queues = false;         // which keeps for a thread what that thread completes
    bool tasks_may_be_left = false;  // it is stopped before they have run
    bool weak_memory = false;        // relaxed stores become visible late, relaxed loads are stale
    bool stale_stop = false;         // it has been stopped and restarted before
    flaw wrong = flaw::none;

    ewyk::invocation_t invocation(byte task) const { return tasks[task - 1u].invocation; }
    task_kind const& kind(byte task) const { return tasks[task - 1u]; }
    std::size_t pool_threads() const { return std::size_t{parked} + startable; }
    std::size_t watchers() const { return !grace || endless ? 0u : two_watch ? 2u : 1u; }
    std::size_t threads() const { return callers.size() + pool_threads() + watchers(); }
};

}

#endif
