// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A model of elastic_threads.hpp and pool_client.hpp: threads that park, retire and are started
// again, tasks that are given or queued, a client that leaves, stop().

#ifndef ASIO_EWYK_TEST_MODEL_ELASTIC_SYSTEM_HPP
#define ASIO_EWYK_TEST_MODEL_ELASTIC_SYSTEM_HPP

#include "elastic_state.hpp"
#include "explorer.hpp"

#include <bit>
#include <cstddef>
#include <string>
#include <utility>

namespace model::elastic {

class system
{
public:
    using state = elastic::state;

    explicit system(config const& c) : config_(c) {}

    std::size_t threads() const { return max_places + max_submitters + 3; }

    state initial() const
    {
        state s;
        s.limit = static_cast<byte>(config_.workers);
        if (config_.all_parked)
            for (std::size_t i = 0; i != config_.workers; ++i)
            {
                s.parked |= bit(i);
                s.living |= bit(i);
                s.used |= bit(i);
                s.workers[i].line = sleep;
            }
        return s;
    }

    step_result step(state& s, std::size_t thread, chance&, bool with_label) const
    {
        run r{config_, s, nullptr};
        char const* label = nullptr;
        if (thread < max_places)
            label = thread < 2 * config_.workers ? r.work(thread) : nullptr;
        else if (thread < max_places + max_submitters)
            label = thread - max_places < config_.submitters ? r.submit(thread - max_places) : nullptr;
        else if (thread == max_places + max_submitters)
            label = config_.client_leaves ? r.leave() : nullptr;
        else if (thread == max_places + max_submitters + 1)
            label = config_.stops ? r.stop() : nullptr;
        else
            label = config_.shrinks ? r.shrink() : nullptr;
        if (!label)
            return {false, {}, nullptr};
        return {true, with_label ? std::to_string(thread) + ": " + label : "", r.wrong};
    }

    char const* wrong_at_end(state const& s) const
    {
        if (config_.client_leaves && !s.gone)
            return "leave() waits for ever";
        for (std::size_t i = 0; i != config_.submitters; ++i)
            if (s.submitter_line[i] != executed)
                return "execute() waits for ever";
        for (std::size_t i = 0; i != 2 * config_.workers; ++i)
        {
            byte const line = s.workers[i].line;
            if (line != unborn && (s.stopping || line != sleep || !(s.parked & bit(i))))
                return "a thread is stuck";
        }
        for (std::size_t task = 1; task <= tasks; ++task)
        {
            bool const exists = task <= config_.submitters
                || (task == 3 && config_.task_gives && (s.ran & bit(1)));
            if (exists && !((s.ran | s.destroyed) & bit(task)))
                return "a task is neither run nor destroyed";
            if (exists && !config_.client_leaves && !config_.stops && !(s.ran & bit(task)))
                return "a task is destroyed";
        }
        return nullptr;
    }

private:
    enum work_line : byte
    {
        unborn, look, park, look_again, withdraw, sleep, retire, wait_for_job, begin, give, give_queued,
        end, tell, leave_place, free_place
    };
    enum submit_line : byte { look_at_queue, claim, hand_to, queue_it, wake, executed };
    enum leave_line : byte { idle, leaves, sleeps, left };

    struct run
    {
        config const& model;
        state& s;
        char const* wrong;

        bool is(flaw f) const { return model.wrong == f; }
        static bool of_client(byte task) { return task == 1 || task == 3; }

        void touch_client()
        {
            if (s.gone)
                wrong = "a client is used after it has left";
        }

        byte pop()
        {
            byte const task = s.queue[0];
            for (std::size_t i = 1; i < s.queue.size(); ++i)
                s.queue[i - 1] = s.queue[i];
            s.queue.back() = 0;
            --s.queued;
            if (of_client(task))
                touch_client();
            return task;
        }

        void pin(byte task)
        {
            if (!of_client(task))
                return;
            touch_client();
            ++s.pins;
        }

        void destroy(byte task)
        {
            if ((s.ran | s.destroyed) & bit(task))
                wrong = "a task is destroyed that is gone already";
            s.destroyed |= bit(task);
        }

        byte claim_one()
        {
            if (s.parked == 0)
                return 0;
            auto const lowest = static_cast<std::size_t>(std::countr_zero(s.parked));
            s.parked = static_cast<byte>(s.parked & ~bit(lowest));
            return static_cast<byte>(lowest + 1);
        }

        // Under the mutex: starts a thread if one is missing and a place is free.
        bool start_missing()
        {
            if (s.stopping || static_cast<std::size_t>(std::popcount(s.living)) >= s.limit
                || static_cast<std::size_t>(std::popcount(s.arriving)) >= s.queued)
                return false;
            for (std::size_t i = 0; i != 2 * model.workers; ++i)
                if (!(s.used & bit(i)))
                {
                    s.living |= bit(i);
                    s.used |= bit(i);
                    s.arriving |= bit(i);
                    s.starting |= bit(i);
                    return true;
                }
            return false;
        }

        // Under the mutex; what is left to do without it: the thread to wake, if any.
        byte queue_task(byte task)
        {
            if (s.stopping)
            {
                destroy(task);
                return 0;
            }
            if (of_client(task))
                touch_client();
            s.queue[s.queued++] = task;
            byte const thread = is(flaw::queues_without_look) ? byte{0} : claim_one();
            if (thread == 0 && !(is(flaw::counts_sleepers) && s.living != 0))
                start_missing();
            return thread;
        }

        char const* work(std::size_t place);
        char const* submit(std::size_t i);
        char const* leave();
        char const* stop();
        char const* shrink();
    };

    config const& config_;
};

inline char const* system::run::work(std::size_t place)
{
    worker& w = s.workers[place];
    byte const me = bit(place);
    auto const go = [&](work_line line) { w.line = line; };
    switch (w.line)
    {
    case unborn:
        if (!(s.starting & me))
            return nullptr;
        s.starting = static_cast<byte>(s.starting & ~me);
        go(look);
        return "starts";
    case look:
        s.arriving = static_cast<byte>(s.arriving & ~me);
        if (std::popcount(s.living) > s.limit)
        {
            if (s.queued != 0 && !is(flaw::ends_with_the_wake_up))
                if (byte const another = claim_one())
                    s.workers[another - 1u].job = look_around;
            s.living = static_cast<byte>(s.living & ~me);
            go(leave_place);
            return "is one too many";
        }
        if (s.queued != 0)
        {
            w.task = pop();
            pin(w.task);
            go(begin);
            return "takes a queued task";
        }
        if (s.stopping)
        {
            s.living = static_cast<byte>(s.living & ~me);
            go(leave_place);
            return "ends";
        }
        go(park);
        return "finds nothing queued";
    case park:
        s.parked |= me;
        go(is(flaw::parks_without_look) ? sleep : look_again);
        return "parks";
    case look_again:
        go(s.queued != 0 || s.stopping ? withdraw : sleep);
        return "looks again";
    case withdraw:
        if (!(s.parked & me))
        {
            go(wait_for_job);
            return "has been claimed";
        }
        s.parked = static_cast<byte>(s.parked & ~me);
        go(look);
        return "withdraws";
    case sleep:
    case wait_for_job:
        if (w.job == 0)
        {
            if (w.line == wait_for_job || !model.idles_out)
                return nullptr;
            go(retire);
            return "comes to its idle timeout";
        }
        w.task = std::exchange(w.job, byte{0});
        if (w.task == look_around)
        {
            w.task = 0;
            go(look);
            return "is woken";
        }
        go(begin);
        return "is woken with a task";
    case retire:
        if (!(s.parked & me) && !is(flaw::retires_although_claimed))
        {
            go(wait_for_job);
            return "has been claimed";
        }
        s.parked = static_cast<byte>(s.parked & ~me);
        if (s.queued != 0)
        {
            go(look);
            return "finds something queued at its idle timeout";
        }
        s.living = static_cast<byte>(s.living & ~me);
        go(leave_place);
        return "ends at its idle timeout";
    case begin:
        if ((s.ran | s.destroyed) & bit(w.task))
            wrong = "a task is run that is gone already";
        s.ran |= bit(w.task);
        go(w.task == 1 && model.task_gives ? give : end);
        return "runs a task";
    case give:
        if (s.queued == 0 && s.parked != 0)
        {
            byte const thread = claim_one();
            pin(3);
            s.workers[thread - 1u].job = 3;
            go(end);
            return "gives a task to a parked thread";
        }
        go(give_queued);
        return "finds no parked thread";
    case give_queued:
        if (byte const thread = queue_task(3))
            s.workers[thread - 1u].job = look_around;
        go(end);
        return "queues a task";
    case end:
        if (w.task == 1 && model.task_waits && !(s.ran & bit(model.submitters)))
            return nullptr;
        go(look);
        if (!of_client(std::exchange(w.task, byte{0})))
            return "is done with a task";
        if (--s.pins == 0 && s.leaving && !is(flaw::unpins_in_silence))
            go(tell);
        return "unpins the client";
    case tell:
        s.waits = 0;
        go(look);
        return "tells the thread that waits";
    case leave_place:
        if (!(is(flaw::looks_if_last) && s.living != 0) && start_missing())
            return "starts a thread for what waits";
        if (is(flaw::frees_place_later))
        {
            go(free_place);
            return "finds that no thread is missing";
        }
        [[fallthrough]];
    case free_place:
        s.used = static_cast<byte>(s.used & ~me);
        go(unborn);
        return "frees its place";
    }
    return nullptr;
}

inline char const* system::run::submit(std::size_t i)
{
    byte const task = static_cast<byte>(i + 1);
    byte& line = s.submitter_line[i];
    byte& thread = s.submitter_thread[i];
    switch (line)
    {
    case look_at_queue:
        line = s.queued == 0 ? claim : queue_it;
        return "looks what is queued";
    case claim:
        thread = claim_one();
        line = thread ? hand_to : queue_it;
        return "claims a parked thread";
    case hand_to:
        pin(task);
        s.workers[thread - 1u].job = task;
        thread = 0;
        line = executed;
        return "gives it a task";
    case queue_it:
        thread = queue_task(task);
        line = thread ? wake : executed;
        return "queues a task";
    case wake:
        s.workers[thread - 1u].job = look_around;
        thread = 0;
        line = executed;
        return "wakes a thread";
    }
    return nullptr;
}

inline char const* system::run::leave()
{
    auto const take_all = [this] {
        for (std::size_t n = s.queued; n != 0; --n)
        {
            byte const task = pop();
            if (of_client(task))
                destroy(task);
            else
                s.queue[s.queued++] = task;
        }
    };
    switch (s.leaver_line)
    {
    case idle:
        // Only its own tasks use the client any more.
        if (s.submitter_line[0] != executed)
            return nullptr;
        s.leaving = 1;
        take_all();
        s.leaver_line = leaves;
        return "leaves";
    case leaves:
        if (s.pins != 0)
        {
            s.waits = 1;
            s.leaver_line = sleeps;
            return "waits for what runs";
        }
        if (!is(flaw::leaves_once))
            for (std::size_t n = 0; n != s.queued; ++n)
                if (of_client(s.queue[n]))
                {
                    take_all();
                    return "leaves once more";
                }
        s.gone = 1;
        s.leaver_line = left;
        return "has left";
    case sleeps:
        if (s.waits)
            return nullptr;
        s.leaver_line = leaves;
        return "is woken";
    }
    return nullptr;
}

inline char const* system::run::stop()
{
    if (s.stopper_line == 0)
    {
        s.stopping = 1;
        while (s.queued != 0)
            destroy(pop());
        s.stopper_line = is(flaw::stop_wakes_none) ? 2 : 1;
        return "stops the pool";
    }
    if (s.stopper_line == 1)
    {
        if (byte const thread = claim_one())
            s.workers[thread - 1u].job = look_around;
        else
            s.stopper_line = 2;
        return "wakes a parked thread, if there is one";
    }
    return nullptr;
}

inline char const* system::run::shrink()
{
    if (s.shrinker_line == 0)
    {
        s.limit = 1;
        s.claimed = std::exchange(s.parked, byte{0});
        s.shrinker_line = 1;
        return "allows one thread, and claims those that are parked";
    }
    if (s.claimed == 0)
        return nullptr;
    auto const lowest = static_cast<std::size_t>(std::countr_zero(s.claimed));
    s.claimed = static_cast<byte>(s.claimed & ~bit(lowest));
    s.workers[lowest].job = look_around;
    return "wakes a thread to look at the limit";
}

}

#endif
