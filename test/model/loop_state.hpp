// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the threads of the event loop's model share, and what such a model consists of.

#ifndef ASIO_EWYK_TEST_MODEL_LOOP_STATE_HPP
#define ASIO_EWYK_TEST_MODEL_LOOP_STATE_HPP

#include "small_list.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace model::event_loops {

/// Where the loop is made worse.
enum class flaw
{
    none,
    posts_after_look,      // a submitter looks at `scheduled` and then adds the task
    sends_without_exchange,// two that see it clear both send a wake-up
    clears_early,          // the wake-up clears it before it runs tasks
    clears_without_look,   // or, at its end, without another look for tasks
    looks_before_clear,    // or looks for tasks and then clears it (netty#9561)
    forgets_the_rest,      // a round that leaves tasks sends no other wake-up
    thrower_skips_the_end, // a task that throws leaves the wake-up without its end
    no_limit_on_a_round,   // tasks that submit tasks keep I/O away
    ends_with_tasks,       // the quiet period ends although tasks wait
    fresh_loop_stays,      // a loop that never began is not ended by shutdown
    starts_after_the_end,  // a starter of the thread does not look again under the lock
    counts_refused_tasks,  // one that is refused stays counted as pending
};

struct config
{
    std::array<byte, 2> posts{1, 1};  // how many tasks each of the two submitters has
    byte completions = 0;             // of I/O, which come at any time
    bool completion_posts = false;    // each submits a task, on the loop's thread
    bool throws = false;              // each task throws
    bool again = false;               // task 1 submits itself until I/O has completed
    bool shuts_down = false;          // another thread shuts down, waits and destroys,
    bool submits_first = true;        // after a task of its own
    bool times_out = false;           // and the timeout may come at any time
    bool stops = false;               // that thread calls stop() instead
    byte limit = 0;                   // max_pending_tasks
    flaw wrong = flaw::none;
};

inline constexpr std::size_t submitters = 2;
inline constexpr byte last_task = 5;   // 1, 2 and 3, 4 by submitters; 5 by the one that shuts down
inline constexpr byte io_task = 6;     // by a completion
inline constexpr byte wake_up = 13;    // in the io_context's queue
inline constexpr byte begin_end = 14;
inline constexpr byte completion = 15;

using list = small_list<7>;

enum class life : byte { fresh, running, shutting_down, terminated };

/// A thread that submits: where it is, and which of its tasks is next.
struct submitter
{
    byte line = 0;
    byte done = 0;
};

struct state
{
    list posted;
    list ready;
    list ioc;
    byte scheduled = 0;
    byte closed = 0;
    byte stopped = 0;      // the io_context
    life now = life::fresh;
    byte pending = 0;
    byte thread = 0;       // 1: started
    byte line = 0;         // of the loop's thread
    byte back = 0;         // where it goes on after a task was submitted
    byte budget = 0;       // of the round
    byte armed = 0;        // the quiet timer
    byte ran_since = 0;    // whether a task has run since it was set
    byte io_done = 0;
    byte io_left = 0;      // completions that have not come yet
    byte accepted = 0;     // tasks that were not refused,
    byte ran = 0;
    byte destroyed = 0;
    byte before_end = 0;   // and those that must run before a graceful end
    std::array<submitter, submitters + 1> others{};
    byte end_line = 0;     // of the thread that shuts down
};

}

#endif
