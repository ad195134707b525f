// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OVERLOAD_SHEDDING_HPP
#define ASIO_EWYK_DETAIL_OVERLOAD_SHEDDING_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/coarse_clock.hpp>
#include <asio_ewyk/detail/os/counter.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/overload/delay_limit.hpp>
#include <asio_ewyk/detail/overload/io_delay.hpp>
#include <asio_ewyk/detail/overload/overload_spell.hpp>
#include <asio_ewyk/worker_pool_options.hpp>

#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/context_as.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// What the tasks of a load_shedder refer to. Any thread.
class shedding
{
public:
    enum class verdict
    {
        admitted,
        overloaded,
        late,
    };

    shedding(std::chrono::nanoseconds target, std::chrono::nanoseconds interval,
        std::size_t max_waiting) noexcept
        : clock_(std::min(target / 4 * 3, interval))
        , limit_(target, interval)
        , io_limit_(target, interval)
        , target_(target)
        , interval_(interval)
        , max_waiting_(max_waiting)
    {
    }

    // Before it is used by several threads.
    void observe(asio::io_context& context) { io_ = io_delay::of(context); }

    // When a task was submitted that is now; where nothing is late, up to a tick before that.
    time_point submission_time() const noexcept
    {
        auto const now = clock_.now();
        return limit_.last_was_above() || io_limit_.lasts(now) ? std::chrono::steady_clock::now()
                                                               : now;
    }

    // Of a task that begins. `queued`: what has not been in the queue tells nothing of it.
    verdict judge(time_point submitted, time_point deadline, bool queued = true) noexcept
    {
        auto now = clock_.now();
        auto waited = std::max(now - submitted, std::chrono::nanoseconds::zero());
        if (clock_.tick().count() != 0 && (deadline != forever || !surely_in_time(waited, now)))
        {
            now = std::chrono::steady_clock::now();
            waited = now - submitted;
        }
        bool const begins = !queued || limit_.admits(waited, now);
        if (!io_admits(waited, now) || !begins)
        {
            refused_.add();
            return verdict::overloaded;
        }
        if (now > deadline)
        {
            late_.add();
            return verdict::late;
        }
        return verdict::admitted;
    }

    // Room for one more task, where their number is limited; false if there is none.
    bool enter() noexcept
    {
        if (max_waiting_ == 0)
            return true;
        // Relaxed: it publishes nothing. What is refused must not count even for a moment: others
        // would be refused because of it.
        std::size_t n = waiting_.load(std::memory_order_relaxed);
        do
            if (n >= max_waiting_)
            {
                full_.add();
                return false;
            }
        while (!waiting_.compare_exchange_weak(n, n + 1, std::memory_order_relaxed));
        return true;
    }

    void leave() noexcept
    {
        if (max_waiting_ != 0)
            waiting_.fetch_sub(1, std::memory_order_relaxed);
    }

    bool overloaded(time_point now) const noexcept
    {
        if (limit_.exceeded(now) || io_limit_.lasts(now))
            return true;
        // Where all threads block nothing is judged.
        auto const age = io_ ? io_->age(now) : std::chrono::nanoseconds::zero();
        return age > target_ && age - target_ > interval_;
    }

    // The last that is known.
    std::chrono::nanoseconds delay() const noexcept
    {
        return io_ ? std::max(limit_.last(), io_->last()) : limit_.last();
    }

    std::uint64_t refused() const noexcept { return refused_.get(); }
    std::uint64_t late() const noexcept { return late_.get(); }
    std::uint64_t full() const noexcept { return full_.get(); }

private:
    // By the coarse clock, so that a task costs next to nothing where there is no overload.
    bool surely_in_time(std::chrono::nanoseconds waited, time_point now) const noexcept
    {
        auto const longest = io_ ? std::max({waited, io_->age(now), io_->last()}) : waited;
        return longest <= target_ - clock_.tick() && !io_limit_.lasts(now);
    }

    // Whether what came by way of the io_context has not waited for too long there and in the queue
    // together. A byte that arrives late tells that what has come after it is late as well: so all
    // of that is refused, until a byte is in time that was sent after it.
    bool io_admits(std::chrono::nanoseconds waited, time_point now) noexcept
    {
        if (!io_)
            return true;
        if (std::uint64_t const n = io_->received(); n != io_seen_.load(std::memory_order_relaxed))
        {
            io_seen_.store(n, std::memory_order_relaxed);
            io_limit_.saw(io_->last(), now);
        }
        auto const last = io_->last();
        auto const age = io_->age(now);
        if (age > target_)
            io_limit_.saw(age, now);
        // So seldom that it costs next to nothing.
        else if (auto const pause = last > target_ ? std::chrono::nanoseconds::zero() : target_ / 8;
            io_->due(now, pause))
            io_->ask(std::chrono::steady_clock::now(), pause);
        return !io_limit_.refuses(std::max(age, last) + waited, now);
    }

    coarse_clock const clock_;
    delay_limit limit_;
    // Those below only if an io_context is observed. What several threads do at the same time, each
    // of them could have done alone.
    overload_spell io_limit_;
    std::chrono::nanoseconds const target_;
    std::chrono::nanoseconds const interval_;
    std::shared_ptr<io_delay> io_;
    std::atomic<std::uint64_t> io_seen_{0}; // of the bytes that have arrived
    shared_counter refused_;
    shared_counter late_;
    shared_counter full_;
    std::size_t const max_waiting_; // 0: not limited

    // Beside what submitters and runners write, if it is used.
    alignas(64) std::atomic<std::size_t> waiting_{0};
};

// Lasts while this thread submits a function. One that begins meanwhile was in no queue.
class shed_submission
{
public:
    shed_submission() noexcept { pending_ = true; }
    shed_submission(shed_submission const&) = delete;
    shed_submission& operator=(shed_submission const&) = delete;
    ~shed_submission() { pending_ = false; }

    // A function begins on this thread: whether it is that one.
    static bool begins() noexcept { return std::exchange(pending_, false); }

private:
    static inline thread_local bool pending_ = false;
};

// A task that waits, and its place among the others. Empty if there was none, or once it was moved
// from.
class shed_wait
{
public:
    shed_wait(shedding& s, time_point deadline) noexcept
        : shedding_(s.enter() ? &s : nullptr)
        , submitted_(s.submission_time())
        , deadline_(deadline)
    {
    }

    shed_wait(shed_wait&& other) noexcept
        : shedding_(std::exchange(other.shedding_, nullptr))
        , submitted_(other.submitted_)
        , deadline_(other.deadline_)
    {
    }

    shed_wait& operator=(shed_wait&&) = delete;

    ~shed_wait()
    {
        if (shedding_)
            shedding_->leave();
    }

    explicit operator bool() const noexcept { return shedding_ != nullptr; }

    // The task begins.
    shedding::verdict end() noexcept
    {
        shedding_->leave();
        bool const queued = !shed_submission::begins();
        return std::exchange(shedding_, nullptr)->judge(submitted_, deadline_, queued);
    }

private:
    shedding* shedding_;
    time_point submitted_;
    time_point deadline_;
};

// Whether it is a property by which I/O objects, coroutines and strands get the execution context.
template <class Property>
inline constexpr bool asks_for_context = std::is_same_v<Property, asio::execution::context_t>;

template <class Context>
inline constexpr bool asks_for_context<asio::execution::context_as_t<Context>> = true;

// A function that was submitted by a shedding_executor.
template <class F>
class shed_task
{
public:
    template <class G>
    shed_task(shedding& s, time_point deadline, G&& f)
        : function_(std::forward<G>(f))
        , wait_(s, deadline)
    {
        if (!wait_)
            throw queue_full_error();
    }

    void operator()()
    {
        if (wait_.end() == shedding::verdict::admitted)
            std::move(function_)();
    }

private:
    F function_; // the last to be destroyed: it may own the shedder
    shed_wait wait_;
};

} // namespace asio_ewyk::detail

#endif
