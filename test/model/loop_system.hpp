// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A model of event_loop_service.hpp: submitters, rounds of tasks between completions of I/O, the
// quiet period, the timeout, stop() and destruction.

#ifndef ASIO_EWYK_TEST_MODEL_LOOP_SYSTEM_HPP
#define ASIO_EWYK_TEST_MODEL_LOOP_SYSTEM_HPP

#include "explorer.hpp"
#include "loop_submission.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace model::event_loops {

class system
{
public:
    using state = event_loops::state;

    explicit system(config const& c) : config_(c) {}

    // The loop's, the submitters', the one that ends the loop, and the operating system.
    std::size_t threads() const { return submitters + 3; }

    state initial() const
    {
        state s;
        s.io_left = config_.completions;
        if (s.io_left != 0)
        {
            // The operations have begun.
            s.now = life::running;
            s.thread = 1;
        }
        return s;
    }

    step_result step(state& s, std::size_t thread, chance& c, bool with_label) const
    {
        run r{{config_, s, c}};
        char const* label = nullptr;
        if (thread == 0)
            label = r.loop();
        else if (thread <= submitters)
            label = r.submit(thread - 1);
        else if (thread == submitters + 1)
            label = config_.shuts_down || config_.stops ? r.end() : nullptr;
        else
            label = r.operating_system();
        if (!label)
            return {false, {}, nullptr};
        return {true, with_label ? std::to_string(thread) + ": " + label : "", r.wrong};
    }

    char const* wrong_at_end(state const& s) const
    {
        bool const ends = config_.shuts_down || config_.stops;
        for (std::size_t i = 0; i != submitters; ++i)
            if (s.others[i].done != config_.posts[i])
                return "a submitter waits for ever";
        if (ends && s.end_line != over)
            return "the thread that ends the loop waits for ever";
        if (s.accepted != static_cast<byte>(s.ran | s.destroyed))
            return "a task is neither run nor destroyed";
        if (!ends && s.destroyed)
            return "a task is destroyed";
        if (!ends && (s.scheduled || !s.ioc.empty()))
            return "a wake-up is left";
        if (config_.limit && !ends && s.pending != 0)
            return "a task that does not exist is counted";
        if (config_.shuts_down && !config_.times_out && (s.before_end & ~s.ran))
            return "a task that waited when the shutdown began is not run";
        return nullptr;
    }

private:
    enum loop_line : byte
    {
        unborn, idle, drain, next, took, look_again, clear, send_again, watch_posted, close, stop_it,
        submit_from_here, end_thread, gone
    };
    enum end_line : byte { first_task, request, wait_for_end, late, destroy, join, sweep, over };

    struct run : submission
    {
        // A task, or a completion, submits on the loop's own thread: the task is added to `ready`,
        // and a wake-up sent if none is under way.
        void submit_here(byte task, byte back)
        {
            s.accepted |= bit(task);
            put(s.ready, task);
            s.back = back;
            s.line = submit_from_here;
        }

        char const* loop()
        {
            switch (s.line)
            {
            case unborn:
                return s.thread ? go(s.line, idle, "the thread begins") : nullptr;
            case idle:
                return serve();
            case drain:
                s.budget = static_cast<byte>(is(flaw::no_limit_on_a_round) ? 2 : luck.among(3));
                take_posted();
                if (is(flaw::clears_early))
                    s.scheduled = 0;
                return go(s.line, next, "a round begins");
            case next:
                return next_task();
            case took:
                return finish();
            case look_again:
                if (s.posted.empty() || is(flaw::clears_without_look))
                    return go(s.line, idle, "finds no task");
                return go(s.line, send_again, "finds a task that has come meanwhile");
            case clear:
                s.scheduled = 0;
                return go(s.line, idle, "says that no wake-up is under way");
            case send_again:
                if (std::exchange(s.scheduled, byte{1}))
                    return go(s.line, idle, "finds another wake-up under way");
                send_wake_up();
                return go(s.line, idle, "sends another wake-up");
            case submit_from_here:
                if (std::exchange(s.scheduled, byte{1}) == 0)
                    send_wake_up();
                return go(s.line, s.back, "submits, on the loop's thread");
            case watch_posted:
                if (s.ran_since || !s.ready.empty()
                    || (!s.posted.empty() && !is(flaw::ends_with_tasks)))
                {
                    if (!model.times_out || !luck.maybe())
                    {
                        s.ran_since = 0;
                        s.armed = 1;
                        return go(s.line, idle, "begins another quiet period");
                    }
                    return go(s.line, close, "finds the time over");
                }
                return go(s.line, close, "finds that it was quiet");
            case close:
                s.closed = 1;
                return go(s.line, stop_it, "closes the loop");
            case stop_it:
                s.stopped = 1;
                return go(s.line, idle, "stops the io_context");
            case end_thread:
                s.now = life::terminated;
                return go(s.line, gone, "the thread ends");
            }
            return nullptr;
        }

        // run() of the io_context.
        char const* serve()
        {
            if (s.stopped)
            {
                s.closed = 1;
                return go(s.line, end_thread, "leaves run()");
            }
            if (s.armed && (s.ioc.empty() || luck.maybe()))
            {
                s.armed = 0;
                return go(s.line, watch_posted, "the quiet timer expires");
            }
            if (s.ioc.empty())
                return nullptr;
            switch (s.ioc.pop())
            {
            case wake_up:
                return go(s.line, drain, "takes the wake-up");
            case begin_end:
                s.armed = 1;
                s.ran_since = 0;
                return "begins the quiet period";
            default:
                s.io_done = 1;
                if (model.completion_posts)
                    submit_here(io_task, idle);
                return "runs a completion";
            }
        }

        void take_posted()
        {
            while (!s.posted.empty())
                put(s.ready, s.posted.pop());
        }

        char const* next_task()
        {
            if (s.closed || (s.budget == 0 && !is(flaw::no_limit_on_a_round)))
                return finish();
            if (s.ready.empty())
                take_posted();
            if (s.ready.empty())
                return finish();
            byte const task = s.ready.pop();
            if (s.budget != 0)
                --s.budget;
            if (model.limit)
                --s.pending;
            bool const repeats = model.again && task == 1;
            if ((s.ran & bit(task)) && !repeats)
                wrong = "a task runs twice";
            s.ran |= bit(task);
            s.ran_since = 1;
            if (repeats && !s.io_done)
                submit_here(task, next);
            else if (model.throws)
                return go(s.line, is(flaw::thrower_skips_the_end) ? idle : took, "runs a task, which throws");
            return "runs a task";
        }

        // The wake-up's end.
        char const* finish()
        {
            if (!s.ready.empty())
            {
                if (is(flaw::forgets_the_rest))
                    return go(s.line, idle, "leaves tasks behind");
                send_wake_up();
                return go(s.line, idle, "sends the wake-up for what is left");
            }
            if (is(flaw::looks_before_clear))
                return go(s.line, s.posted.empty() ? clear : drain, "looks for tasks");
            s.scheduled = 0;
            return go(s.line, look_again, "says that no wake-up is under way");
        }

        // The thread that shuts down, or stops, and destroys the loop.
        char const* end()
        {
            switch (s.end_line)
            {
            case first_task:
                if (model.stops)
                    return go(s.end_line, late, "is about to stop the loop");
                if (model.submits_first && s.others[submitters].done == 0)
                    return submit(submitters);
                for (byte task = 1; task <= last_task; ++task)
                    if (s.posted.has(task) || s.ready.has(task))
                        s.before_end |= bit(task);
                return go(s.end_line, request, "is about to shut down");
            case request:
                // Under the lock: no thread begins it meanwhile.
                if (s.now == life::fresh)
                {
                    s.closed = 1;
                    s.stopped = 1;
                    if (!is(flaw::fresh_loop_stays))
                        s.now = life::terminated;
                    return go(s.end_line, wait_for_end, "ends a loop that never began");
                }
                if (s.now == life::running)
                {
                    put(s.ioc, begin_end);
                    s.now = life::shutting_down;
                }
                return go(s.end_line, wait_for_end, "asks for the end");
            case wait_for_end:
                if (s.now == life::terminated)
                    return go(s.end_line, destroy, "sees the end");
                if (!model.times_out)
                    return nullptr;
                return go(s.end_line, late, "comes to the timeout");
            case late:
                return stop(destroy);
            case destroy:
                // The thread that destroys it sees to it that none submits.
                for (std::size_t i = 0; i != submitters; ++i)
                    if (s.others[i].done != model.posts[i])
                        return nullptr;
                return stop(join);
            case join:
                if (s.thread && s.line != gone)
                    return nullptr;
                return go(s.end_line, sweep, "joins the thread");
            case sweep:
                take_posted();
                while (!s.ready.empty())
                    s.destroyed |= bit(s.ready.pop());
                return go(s.end_line, over, "destroys what is left");
            }
            return nullptr;
        }

        char const* stop(byte then)
        {
            if (!std::exchange(s.closed, byte{1}))
                return "closes the loop";
            s.stopped = 1;
            if (s.now == life::fresh && !is(flaw::fresh_loop_stays))
                s.now = life::terminated;
            return go(s.end_line, then, "stops the loop");
        }

        // Operations complete when they like.
        char const* operating_system()
        {
            if (s.io_left == 0 || s.stopped)
                return nullptr;
            --s.io_left;
            put(s.ioc, completion);
            return "an operation completes";
        }
    };

    config config_;
};

}

#endif
