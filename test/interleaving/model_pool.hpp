// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Stands for elastic_threads, which has a model of its own: what the code that ships can learn of a pool,
// one look or claim at a time. Its threads do not end.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_MODEL_POOL_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_MODEL_POOL_HPP

#include <asio_ewyk/detail/frame/call_frame.hpp>

namespace asio_ewyk::detail {

class elastic_threads
{
public:
    enum class outcome
    {
        accepted,
        full,
        stopped,
        no_thread,
    };

    struct config
    {
        std::size_t first = 0; // its first thread; all of them follow
        std::size_t parked = 0;
        std::size_t startable = 0;
    };

    explicit elastic_threads(config c)
        : config_(c)
        , parked_(bits(c.first, c.parked))
        , absent_(bits(c.first + c.parked, c.startable))
    {
        options_.max_threads = all() == 0 ? 1 : all();
    }

    worker_pool_options const& options() const noexcept { return options_; }
    bool has_none() const noexcept { return false; }
    void tell_if_it_has_none() noexcept {}
    std::size_t all() const noexcept { return config_.parked + config_.startable; }

    bool add_producer_if_one_is_left() noexcept
    {
        access("takes a place, if one is left");
        bool const left = producers_.get() + 1 < options_.max_threads;
        if (left)
            producers_.set(producers_.get() + 1);
        return seen(left);
    }

    bool has_one_left() const noexcept
    {
        access("looks whether a place is left");
        return seen(threads() != 0 && producers_.get() + 1 < options_.max_threads);
    }
    bool stopping() const noexcept { return all() == 0; }

    void add_producer() noexcept
    {
        access("takes a place");
        producers_.set(producers_.get() + 1);
    }

    void remove_producer() noexcept
    {
        if (interleaving::keeps_place())
            return;
        access("gives a place back");
        if (producers_.get() == 0)
            interleaving::fail("a place is given back twice");
        producers_.set(producers_.get() - 1);
    }

    bool all_produce() const noexcept
    {
        access("looks whether all threads produce");
        return seen(producers_.get() >= threads());
    }

    bool try_execute(pool_client&, task* t) noexcept
    {
        access("claims a parked thread");
        if (seen(claim(t)))
            return true;
        start_one();
        return false;
    }

    bool try_give(pool_client&, task* t) noexcept
    {
        access("claims a parked thread, or none");
        return seen(claim(t));
    }

    outcome execute(pool_client&, task* t, bool = true, bool = false)
    {
        if (all() == 0 || (interleaving::refuses_tasks() && !t->is_request()))
            return outcome::stopped;
        access("claims a parked thread, or queues");
        if (seen(queue_.get() == 0 && claim(t)))
            return outcome::accepted;
        access("queues");
        push(number(t));
        if (seen(claim(nullptr)) || seen(start_one()))
            return outcome::accepted;
        return all_produce() ? outcome::no_thread : outcome::accepted;
    }

    task* take(pool_client&) noexcept
    {
        access("takes back what waits first");
        std::uint64_t const n = queue_.get() == 0 ? 0 : pop();
        seen(n);
        return n == 0 ? nullptr : tasks_[n];
    }

    bool may_have_thread(bool is_counted) const noexcept
    {
        access("looks whether it may have a thread");
        return seen(queue_.get() == 0 && all() != 0
            && (is_counted || producers_.get() + 1 < options_.max_threads)
            && (absent_.get() != 0 || parked_.get() != 0));
    }

    void keep_one_parked() noexcept
    {
        access("sees to it that one is parked");
        if (parked_.get() == 0 && starting_.get() == 0)
            seen(start_one());
    }

    void retry_start() noexcept {}
    std::size_t threads() const noexcept
    {
        return interleaving::refuses_tasks()
            ? 0
            : all() - static_cast<std::size_t>(std::popcount(absent_.get()));
    }
    void count_run_by_caller() noexcept {}
    void count_refused() noexcept {}
    void leave(pool_client&) noexcept {}
    /// Until there is something to do about it. False if that is a task in the queue.
    template <class Count>
    bool await(pool_client& client, std::size_t, Count const& callers, time_point) noexcept
    {
        interleaving::forget(awaits);
        interleaving::await([&] {
            return queued() != 0 || callers.get() != 0
                || (all_have_begun() && !client.runs_any(bits(config_.first, all())));
        });
        return client.size() == 0 || callers.load() != 0;
    }
    void end_await() noexcept {}

    /// One of its threads, for ever.
    void work(pool_client& client)
    {
        std::uint64_t const me = std::uint64_t{1} << interleaving::self();
        if (interleaving::self() < config_.first + config_.parked)
            sleep(client);
        else
        {
            interleaving::await([this, me] { return (starting_.get() & me) != 0; });
            starting_.set(starting_.get() & ~me);
        }
        for (;;)
        {
            interleaving::forget(0);
            access("looks in the queue");
            if (seen(queue_.get() != 0))
            {
                run(client, tasks_[pop()]);
                continue;
            }
            access("parks");
            parked_.set(parked_.get() | me);
            access("looks in the queue again");
            if (seen(queue_.get() != 0))
            {
                access("withdraws");
                if (seen((parked_.get() & me) != 0))
                {
                    parked_.set(parked_.get() & ~me);
                    continue;
                }
            }
            sleep(client);
        }
    }

    /// How many tasks wait; any thread, at any time.
    std::size_t queued() const noexcept
    {
        return (static_cast<std::size_t>(std::bit_width(queue_.get())) + 3) / 4;
    }

    /// Whether no thread was given a task that it has not begun.
    bool all_have_begun() const noexcept
    {
        for (std::uint64_t jobs = jobs_.get(); jobs != 0; jobs >>= 4)
            if ((jobs & 15) != 0 && (jobs & 15) != look)
                return false;
        return true;
    }

    bool rests(std::size_t thread) const noexcept
    {
        return ((parked_.get() | absent_.get()) >> thread & 1) != 0;
    }

    char const* wrong_at_end(bool pending) const noexcept
    {
        if (queue_.get() != 0 && all() == 0)
            return "a stopped pool has a task";
        if (producers_.get() != 0 && !pending)
            return "a place is lost";
        if (pending && queue_.get() == 0)
            return "a thread is awaited that will never come";
        return nullptr;
    }

    /// Among what a caller of run() may know.
    static constexpr std::uint64_t awaits = 14;

    /// The task that the thread that calls it is about to give away.
    std::array<std::uint64_t, 8> product{};

private:
    static constexpr std::uint64_t request = 14;
    static constexpr std::uint64_t look = 15;

    static std::uint64_t bits(std::size_t first, std::size_t n) noexcept
    {
        return ((std::uint64_t{1} << n) - 1) << first;
    }

    static void access(char const* what) noexcept
    {
        interleaving::point();
        if (interleaving::tells())
            interleaving::tell(what);
    }

    template <class T>
    static T seen(T value) noexcept
    {
        interleaving::observe(static_cast<std::uint64_t>(value));
        if (interleaving::tells())
            interleaving::tell("  -> " + std::to_string(static_cast<std::uint64_t>(value)));
        return value;
    }

    std::uint64_t number(task* t) noexcept
    {
        std::uint64_t const n
            = !t ? look : t->is_request() ? request : product[interleaving::self()];
        tasks_[n] = t;
        if (n == request)
            interleaving::request_is_sent();
        return n;
    }

    // Null: to look in the queue.
    bool claim(task* t) noexcept
    {
        std::uint64_t const all = parked_.get();
        if (all == 0)
            return false;
        auto const thread = static_cast<std::size_t>(std::countr_zero(all));
        parked_.set(all & (all - 1));
        jobs_.set(jobs_.get() | number(t) << 4 * thread);
        return true;
    }

    bool start_one() noexcept
    {
        std::uint64_t const absent = absent_.get();
        if (absent == 0)
            return false;
        absent_.set(absent & (absent - 1));
        starting_.set(starting_.get() | (absent & -absent));
        return true;
    }

    void push(std::uint64_t n) noexcept
    {
        std::uint64_t const q = queue_.get();
        int at = 0;
        for (; (q >> at & 15) != 0; at += 4)
            if ((q >> at & 15) == n)
                interleaving::fail("a task is in the queue twice");
        queue_.set(q | n << at);
    }

    std::uint64_t pop() noexcept
    {
        std::uint64_t const q = queue_.get();
        queue_.set(q >> 4);
        interleaving::observe(q & 15);
        return q & 15;
    }

    void sleep(pool_client& client)
    {
        std::size_t const shift = 4 * interleaving::self();
        interleaving::forget(1);
        interleaving::await([&] { return (jobs_.get() >> shift & 15) != 0; });
        std::uint64_t const n = seen(jobs_.get() >> shift & 15);
        jobs_.set(jobs_.get() & ~(std::uint64_t{15} << shift));
        if (n != look)
            run(client, tasks_[n]);
    }

    // As it ships.
    void run(pool_client& client, task* t)
    {
        call_frame frame(client.frame_key());
        frame.thread = detail::call_frame::thread_of::pool;
        try
        {
            client.run(t);
            frame.rethrow_captured();
        }
        catch (int)
        {
        }
    }

    config const config_;
    worker_pool_options options_;

    // Sets of threads.
    interleaving::word parked_;
    interleaving::word absent_;
    interleaving::word starting_{0};

    // Four bits each: of a thread, in their order; of what waits, the first in the lowest.
    interleaving::word jobs_{0};
    interleaving::word queue_{0};

    interleaving::word producers_{0};
    std::array<task*, 16> tasks_{};
};

}

#endif
