// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// One step of one thread: the instructions that the programs of the model are written in.

#ifndef ASIO_EWYK_TEST_MODEL_MACHINE_HPP
#define ASIO_EWYK_TEST_MODEL_MACHINE_HPP

#include "explorer.hpp"
#include "world.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

namespace model {

inline std::string to_string(ewyk::detail::production p)
{
    constexpr std::array names{"idle", "producing", "reproducing"};
    return std::string(names[static_cast<std::size_t>(p.state)]) + (p.pending ? ", pending" : "");
}

inline char const* to_string(production_event e)
{
    constexpr std::array names{"ask", "enter", "arrive", "found_none", "hand_over", "take_back",
        "give_up", "resume", "abdicate"};
    return names[static_cast<std::size_t>(e)];
}

/** The thread that takes a step.

    A program is a function with a `switch` over the line where it goes on. Each case ends with
    one of the instructions go, call, become and ret; a case that accesses what is shared says
    so with access(), and then the step is over. So nothing but one access happens at a time.
*/
class machine
{
public:
    machine(world& state, setup const& model, std::size_t thread, chance& c, bool with_label)
        : w(state), model_(model), self_(thread), luck(c), with_label_(with_label)
    {}

    world& w;
    setup const& config() const { return model_; }
    bool is(flaw f) const { return model_.wrong == f; }
    std::size_t self() const { return self_; }
    byte self_bit() const { return bit(self_); }
    thread_state& me() { return w.threads[self_]; }
    activation& here() { return me().stack[me().depth - 1u]; }
    bool watches() const { return self_ >= model_.callers.size() + model_.pool_threads(); }
    bool of_pool() const { return self_ >= model_.callers.size() && !watches(); }

    void go(int line) { here().line = static_cast<byte>(line); }

    void call(program what, int back_to, byte a = 0)
    {
        go(back_to);
        push(what, a);
    }

    /// A call after which there is nothing left to do.
    void become(program what, byte a = 0)
    {
        here() = {};
        --me().depth;
        push(what, a);
    }

    void ret(byte result = 0)
    {
        here() = {};
        --me().depth;
        me().result = result;
    }

    /// What the function that was called has returned.
    byte result() { return std::exchange(me().result, byte{0}); }

    /// One access to what is shared.
    void access(char const* what, int detail = -1)
    {
        accessed_ = true;
        if (with_label_)
        {
            label_ = std::string(1, static_cast<char>('A' + self_))
                + (of_pool() ? " (pool): " : watches() ? " (watches): " : ": ")
                + what;
            if (detail >= 0)
                label_ += " " + std::to_string(detail);
        }
    }

    void note(std::string const& text)
    {
        if (with_label_)
            label_ += text;
    }

    /// The thread has to wait here.
    void wait() { waits_ = true; }

    void fail(char const* what) { wrong_ = what; }

    /// The function that ships carries the event out; beside it the model keeps book which thread
    /// produces.
    production_verdict apply(production_event event)
    {
        auto const now = ewyk::detail::production::unpack(w.word);
        auto const step = ewyk::detail::next_production(now, event);
        w.word = static_cast<byte>(step.next.pack());
        access(to_string(event));
        note(": " + to_string(now) + " -> " + to_string(step.next));
        // Relaxed stores before a release are visible to the thread that acquires the right.
        make_visible();

        byte const id = static_cast<byte>(self_ + 1);
        if (step.verdict == production_verdict::produce)
        {
            if (w.holder != 0 && w.holder != id)
                fail("two producers");
            w.holder = id;
        }
        else if (event == production_event::found_none || event == production_event::hand_over
            || event == production_event::abdicate)
            w.holder = 0;
        return step.verdict;
    }

    /// A step that the thread that produces does.
    void needs_right()
    {
        if (w.holder != self_ + 1)
            fail("produces without the right to");
    }

    // Leases. While the right is leased no thread may do what the producer does.

    /// Whether it may lease before it goes into the io_context. It may stay there for long: whether another
    /// thread could come is asked when it is late.
    bool may_lease_visit()
    {
        // Together with the lease: others may come and go right afterwards as well.
        return config().grace && !me().nested && !(me().stepping && w.not_stepping == 0);
    }

    /// Whether it may lease for a task, so that another thread can take over.
    bool may_lease()
    {
        if (!may_lease_visit() || w.pending_may_wait)
            return false;
        return config().strategy == ewyk::strategy_t::execute_produce_consume || may_be_taken_over();
    }

    bool may_be_taken_over() { return may_be_taken_over(me().occupies); }
    bool may_be_taken_over(bool occupies)
    {
        bool const of_pool = may_start() && config().pool_threads() != 0 && w.pool_queue.empty()
            && (occupies || !config().places || w.occupied + 1u < config().pool_threads())
            && (w.parked != 0 || w.absent != 0);
        return of_pool || w.callers != 0;
    }

    void begin_lease(activity what)
    {
        access("leases");
        needs_right();
        w.holder = 0;
        w.leased = 1;
        w.lease_what = what;
        w.lease_occupies = std::exchange(me().occupies, byte{0});
        me().leased = me().its_lease = 1;
    }

    void mark(activity what)
    {
        if (me().its_lease)
            w.lease_what = what;
    }

    /// Ends the lease that a thread has seen, or its own; false if that has ended. Then this thread has the
    /// right to produce.
    bool end_lease(bool is_it)
    {
        if (!is_it && !(watches() && w.leased && is(flaw::number_is_not_checked)))
        {
            access("finds that the lease has ended");
            return false;
        }
        access("ends the lease");
        make_visible();
        forget_lease();
        w.leased = 0;
        w.lease_what = 0;
        take_right();
        return true;
    }

    /// Every thread that knows the number of the lease will find another one. So the numbers need not be
    /// part of the state.
    void forget_lease()
    {
        for (thread_state& t : w.threads)
        {
            t.its_lease = 0;
            t.sees_lease = 0;
        }
    }

    /// The thread of the lease has it back.
    bool take_back_lease()
    {
        me().leased = 0;
        if (is(flaw::late_goes_on))
        {
            access("produces on");
            w.leased = 0;
            take_right();
            return true;
        }
        if (!end_lease(me().its_lease))
            return false;
        me().occupies = std::exchange(w.lease_occupies, byte{0});
        return true;
    }

    bool renew_lease()
    {
        if (!me().its_lease)
        {
            access("finds that its lease has ended");
            return false;
        }
        access("leases again");
        forget_lease();
        me().its_lease = 1;
        w.lease_what = waits;
        return true;
    }

    void take_right()
    {
        if (w.holder != 0)
            fail("two producers");
        w.holder = static_cast<byte>(self_ + 1);
    }

    // Relaxed stores to `asleep`, which only the producer writes.

    bool own_view_of_asleep() const { return w.asleep_late ? w.asleep_late == 2 : w.asleep != 0; }

    void set_asleep(bool value, bool relaxed)
    {
        make_visible();
        if (relaxed && model_.weak_memory)
            w.asleep_late = value ? 2 : 1;
        else
            w.asleep = value;
    }

    void make_visible()
    {
        if (w.asleep_late)
            w.asleep = w.asleep_late == 2;
        w.asleep_late = 0;
    }

    /// Whether all callers step, so that no thread of the pool may produce for them.
    bool all_step()
    {
        if (!me().stepping)
            return false;
        access("looks whether all callers step");
        return w.not_stepping == 0 || is(flaw::stepper_asks_no_pool);
    }

    /// Whether a thread of the pool may take over from this one.
    bool may_start()
    {
        return config().strategy != ewyk::strategy_t::produce_consume && w.not_stepping != 0
            && !(me().stepping && is(flaw::stepper_asks_no_pool));
    }

    /// Whether this thread is to hand over before that task.
    bool hands_over(byte task)
    {
        return ewyk::detail::choose(
                   config().strategy, config().invocation(task), !me().must_not_block, true)
            == ewyk::detail::sub_strategy::execute_produce_consume;
    }

    ewyk::detail::production production() const
    {
        return ewyk::detail::production::unpack(w.word);
    }

    bool sees_idle() const { return production().state == production_state::idle; }

    // The places of the pool's threads that produce.

    /// Takes one, if a thread is left for tasks.
    bool occupy_if_one_is_left()
    {
        access("takes a place, if one is left");
        if (w.occupied + 1u >= config().pool_threads())
            return false;
        ++w.occupied;
        return true;
    }

    void vacate()
    {
        access("gives a place back");
        if (w.occupied-- == 0)
            fail("a place is given back twice");
    }

    bool all_occupied() const
    {
        auto const living = config().pool_threads() - static_cast<std::size_t>(std::popcount(w.absent));
        return config().places && w.occupied >= living;
    }

    /// What is left of a request for a thread when that has come, or will not.
    bool pending_has_come(bool takes_place)
    {
        w.pending_may_wait = 0;
        bool const had = std::exchange(w.pending_occupies, byte{0}) != 0;
        if (had && takes_place && !me().occupies)
        {
            me().occupies = 1;
            return false;
        }
        return had;
    }

    /// Whether this thread returns to the reactor what waits in the pool.
    bool recalls()
    {
        auto const& stack = me().stack;
        return std::any_of(stack.begin(), stack.begin() + me().depth,
            [](activation const& a) { return a.what == program::recall; });
    }

    /// Whether a thread of the pool runs a task.
    bool pool_runs_tasks() const
    {
        std::size_t const first = config().callers.size();
        return std::any_of(w.threads.begin() + first, w.threads.begin() + first + config().pool_threads(),
            [](thread_state const& t) {
                return std::any_of(t.stack.begin(), t.stack.begin() + t.depth,
                    [](activation const& a) { return a.what == program::run_task; });
            });
    }

    /// Whether a caller that steps may give tasks to the pool, which run when it has returned.
    bool steppers_give_away() const
    {
        return config().strategy == ewyk::strategy_t::produce_execute_consume
            && std::any_of(config().callers.begin(), config().callers.end(), [](auto const& actions) {
                   return std::any_of(actions.begin(), actions.end(), [](action a) {
                       return a.kind == action::run_one || a.kind == action::run_one_loop
                           || a.kind == action::poll;
                   });
               });
    }

    bool any_in_run() const
    {
        return std::any_of(w.threads.begin(), w.threads.end(),
            [](thread_state const& t) { return t.inside_run != 0; });
    }

    void finish_work()
    {
        if (w.work == 0)
            fail("work is finished twice");
        else if (--w.work == 0)
            w.ioc_stopped = 1;
    }

    void put(list& l, byte item)
    {
        if (!l.push(item))
            fail("a queue of the model is too small");
    }

    /// Puts it into the io_context's queue, and wakes the thread that sleeps there.
    void send(byte item)
    {
        put(w.ioc, item);
        w.ioc_waits = 0;
    }

    /// Whether it is inside the io_context, in a task that runs in place.
    bool inside_io_context()
    {
        return config().own_queues
            && std::any_of(me().stack.begin(), me().stack.begin() + me().depth,
                [](activation const& a) { return a.what == program::reactor_produce; });
    }

    /// Completes another operation from within a task.
    void complete(byte task)
    {
        access("completes the operation of task", task);
        ++w.work;
        if (inside_io_context())
            me().own_queue = task;
        else
            send(task);
    }

    /// What was kept for it is there for all, but no thread is told.
    void leaves_io_context()
    {
        if (byte const item = std::exchange(me().own_queue, byte{0}))
            put(w.ioc, item);
    }

    /// Claims and wakes one of the set with that job; false if it is empty.
    bool claim(byte& set, byte job)
    {
        if (set == 0)
            return false;
        auto const lowest = static_cast<std::size_t>(std::countr_zero(set));
        set = static_cast<byte>(set & ~bit(lowest));
        w.threads[lowest].job = job;
        if (&set == &w.parked && job != look_around)
            w.pins |= bit(lowest);
        return true;
    }

    bool withdraw(byte& set)
    {
        bool const mine = (set & self_bit()) != 0;
        set = static_cast<byte>(set & ~self_bit());
        return mine;
    }

    bool over() const { return accessed_ || waits_; }

    step_result outcome()
    {
        return {!waits_, std::move(label_), wrong_};
    }

private:
    void push(program what, byte a)
    {
        if (me().depth == me().stack.size())
            fail("a stack of the model is too small");
        else
            me().stack[me().depth++] = {what, 0, a, 0};
    }

    setup const& model_;
    std::size_t self_;

public:
    chance& luck;

private:
    bool with_label_;
    bool accessed_ = false;
    bool waits_ = false;
    std::string label_;
    char const* wrong_ = nullptr;
};

}

#endif
