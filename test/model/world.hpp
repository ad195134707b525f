// What the threads of the model share, what each of them is about to do, and what a model consists
// of.

#ifndef ASIO_EWYK_TEST_MODEL_WORLD_HPP
#define ASIO_EWYK_TEST_MODEL_WORLD_HPP

#include "small_list.hpp"

#include <asio_ewyk/detail/choose.hpp>
#include <asio_ewyk/detail/production.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace model {

namespace ewyk = asio_ewyk;
using ewyk::detail::production_event;
using ewyk::detail::production_state;
using ewyk::detail::production_step;
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
    stand_by,
    abdicate,
    loop,
    run_task,
    source_produce,    // a producer that never waits
    pool_work,         // elastic_threads
    pool_try_execute,
    pool_execute,
    give,              // pool_threads, crew
    start,
    try_start,
    wake_guest,
    wake_all,
    reactor_produce,   // reactor
    fall_asleep,
    announce,
    post,
    wake_up,
    woken,
    expel,
    take_part,         // strategy_service
    rest,
    leave_run,
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

/// What a thread knows. Its functions' flags are those of its call_frame and its turn.
struct thread_state
{
    std::array<activation, 8> stack{};
    byte depth = 0;      // 0: done
    byte result = 0;     // of the function that returned last
    byte thrown = 0;     // an exception is on its way
    byte position = 0;   // in the script
    byte job = 0;        // written by who claimed this thread

    byte producing = 0;
    byte loan = 0;       // the number of its last one
    byte occupies = 0;   // a place among the pool's threads that produce
    byte looping = 0;
    byte must_not_block = 0;
    byte inside_run = 0;    // is in so many calls of run() or a sibling
    byte stepping = 0;
    byte no_wait = 0;       // poll()
    byte nested = 0;        // a call further down produces
    byte outer_loan = 0;    // the number of the last one of that call
    byte foreign = 0;       // runs the io_context itself
    byte limited = 0;       // run_one
    byte counted = 0;       // a task was counted
    byte has_deadline = 0;
    byte expired = 0;
    byte kept = 0;          // what the io_context keeps for this thread, in a queue of its own
};

inline bool turn_is_done(thread_state const& t)
{
    return t.expired || (t.limited && t.counted);
}

inline constexpr std::size_t max_threads = 5;

struct world
{
    byte word = 0;         // production, packed
    byte holder = 0;       // who has the right to produce, by what the verdicts say; 1 is thread 0
    byte ran = 0;          // tasks that have begun
    list source;           // what source_produce gives

    list pool_queue;
    byte parked = 0;       // threads of the pool that are parked
    byte absent = 0;       // threads of the pool that are not started
    byte starting = 0;
    byte occupied = 0;         // places of threads that produce, or are to
    byte pending_occupies = 0; // one of them is the pending thread's
    byte pending_may_wait = 0; // the pending thread may be in the pool's queue
    byte wants_to_leave = 0;   // who stands by is needed elsewhere

    list posted;
    list ready;
    byte asleep = 1;
    byte asleep_late = 0;  // a relaxed store to asleep that others do not see yet: 1 false, 2 true
    byte wake_queued = 0;
    byte present = 0;      // how many threads stand by
    byte woken = 0;        // a wake-up for who stands by is there
    byte stopped_flag = 0; // reactor's
    byte pool_inside = 0;   // threads of the pool that say they are inside the producer
    byte in_io_context = 0; // and those that are inside the io_context

    list ioc;              // the io_context's queue
    byte ioc_waits = 0;    // threads that sleep in the io_context, where that makes a difference
    byte ioc_stopped = 0;
    byte work = 0;         // the io_context's outstanding work

    byte runners = 0;      // threads inside run() or a sibling
    byte not_stepping = 0; // how many of them do not step
    byte guests = 0;       // which of them are parked
    byte expelling = 0;    // how many are in expel(),
    byte expel_waits = 0;  // and which ones sleep there

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
    byte posts = 0;          // another task, to the reactor or to the source
    bool produces = false;   // then calls produce() of its own strategy
    byte waits_for = 0;      // blocks until that task has begun
    bool again = false;      // posts itself, without end
    bool section = false;    // says before it waits that it is going to block
    byte completes = 0;      // completes the operation of that task
    step steps = none;       // then drives the context itself by such a call
};

/// What a thread of the caller's does, one after the other.
struct action
{
    enum kind_type : byte
    {
        supply,        // the source has that task from now on
        produce,
        dispatch,
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
    thrower_tells_nobody,      // the same, without it, but asks nobody to produce
    thrower_leaves_awake,      // the same, and whoever posts then sends no wake-up
    nested_run_forgets,        // produce() from a task does nothing
    announces_before_leaving,  // the wake-up for what is left is sent before the right is given up
    lends_unwatched,           // whoever stands by may leave between the lender's look and the loan
    watcher_just_leaves,       // it does not look whether somebody counts on it
    watcher_stays_away,        // it does not come although nobody produces
    last_place_is_taken,       // all threads of the pool may produce
    place_is_kept,             // who loses the right while its task is late keeps its place
    stands_by_unseen,          // it looks and then says that it is there
    idle_wakes_no_standby,     // who leaves the right to it does not wake it
    superseded_is_awake,       // whoever was late inside the io_context clears asleep as the producer does
    superseded_gives_up,       // it leaves the loop as the producer does
    superseded_tells_nobody,   // it leaves what the io_context has kept for it without a wake-up
    section_is_forgotten,      // a task on loan that says that it is going to block is not heard
    stepper_keeps_right,       // a caller that steps runs a task that blocks and keeps the right
    stepper_awaits_guest,      // one that leaves counts on a thread that it cannot get
    stepper_asks_no_pool,      // nor asks the pool, although others are inside run()
    sleeps_before_saying_so,   // asleep is set after the look at the queue
    says_so_weakly,            // asleep is set by a relaxed store (netty#9561)
    clears_wake_up_late,       // wake_queued is cleared after the look at the queue, not before
    leaves_awake,              // asleep is not set when production ends
    leaves_without_look,       // nor is what is queued then announced
    guest_parks_without_look,
    leaver_asks_nobody,        // the runner that leaves production does not ask another one
    given_task_is_not_shown,   // who gives a task to the pool does not look for a guest afterwards
    queued_production_is_not_shown, // nor does who queues the engine itself there
    enters_before_look,        // a pool thread looks for runners and then says that it is inside
    last_runner_just_leaves,   // without expelling
    expel_forgets_newcomers,   // who expels the pool waits on although somebody has entered run()
    newcomer_tells_nobody,     // who enters run() does not tell who expels the pool
    foreign_keeps_wake_up,     // a foreign thread takes the wake-up that was meant for the producer
    poll_waits,                // poll() waits in the io_context like run_one()
    nested_call_waits_on_loan, // a task on loan drives the context and does not end the loan first
    nested_call_hands_over,    // and hands over what belongs to the call around it
    nested_call_gives_up,      // or gives it up when it finds nothing more to do
    stop_outlives_restart,     // the flag that it was stopped is believed without asking
    stop_is_forgotten,         // the flag is taken back after the look at the io_context, not before
    stop_wakes_nobody,         // nor does the producer that finds the io_context stopped
    plain_stop_wakes_nobody,   // only the latter
    end_wakes_nobody,          // the same where the work ends by itself
};

/// A model: who there is, and what they do.
struct setup
{
    ewyk::strategy_t strategy = ewyk::strategy.eat_what_you_kill;
    std::vector<task_kind> tasks = {};
    std::vector<std::vector<action>> callers = {};
    byte parked = 0;                 // threads of the pool that are parked at first,
    byte startable = 0;              // and those that can be started; none of both: it was stopped
    byte nonblocking_callers = 0;    // the first so many callers must not block
    bool grace = false;              // the right is lent while a thread can stand by
    bool endless = false;            // no loan is ever late by itself, nor does who stands by wake
    bool places = false;             // the pool counts its threads that produce
    bool in_place = false;           // completions run on loan inside the io_context
    bool own_queues = false;         // which keeps for a thread what that thread completes
    bool reactor = false;            // tasks come from an io_context
    bool tasks_may_be_left = false;  // it is stopped before they have run
    bool weak_memory = false;        // relaxed stores become visible late, relaxed loads are stale
    bool stale_stop = false;         // it has been stopped and restarted before
    flaw wrong = flaw::none;

    /// Stands for one row of the production table, to see whether a change of it is found.
    struct replacement
    {
        production_event event;
        ewyk::detail::production now;
        production_step step;
    };
    std::optional<replacement> other_step = {};

    /// Called with each row that is used.
    std::function<void(production_event, ewyk::detail::production)> on_apply = {};

    ewyk::invocation_t invocation(byte task) const { return tasks[task - 1u].invocation; }
    task_kind const& kind(byte task) const { return tasks[task - 1u]; }
    std::size_t pool_threads() const { return std::size_t{parked} + startable; }
    std::size_t threads() const { return callers.size() + pool_threads(); }
};

}

#endif
