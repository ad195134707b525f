// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_TIMER_QUEUE_HPP
#define ASIO_EWYK_DETAIL_LOOP_TIMER_QUEUE_HPP

#include <asio_ewyk/detail/asio/io_context_timer.hpp>
#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/metrics/counter.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/task/task.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// The functions that an event loop is to run later, each with a timer of its own.
//
// An entry lives as long as its handles, so it may outlive the loop, as may the queue; its
// function and its timer do not. An entry is in the list for as long as it has a function.
//
// A mutex guards the list, and the timers and states of the entries, which other threads cancel. No
// thread holds the mutex while it calls or destroys a function.
class timer_queue : public std::enable_shared_from_this<timer_queue>
{
public:
    enum class kind
    {
        once,
        fixed_rate,
        fixed_delay,
    };

    class entry;

    // A function that is first due at that time. If the queue is closed for it: null, and the
    // function is destroyed. Any thread.
    template <kind Kind, class F>
    std::shared_ptr<entry> add(
        asio::io_context& ioc, time_point due, std::chrono::nanoseconds period, F&& f);

    // From now on only functions that run once are accepted; the others are cancelled.
    void end_series() noexcept;

    // From now on nothing is accepted; all entries are cancelled. On the loop's thread, or when
    // that has ended.
    void close() noexcept;

    // The last end of a function that runs once. On the loop's thread.
    time_point last_ran() const noexcept { return last_ran_; }

    // How many runs there were of all. Any thread.
    std::uint64_t runs() const noexcept { return runs_.get(); }

private:
    template <kind Kind, class F>
    class entry_of;

    enum class accepts
    {
        everything,
        once,
        nothing,
    };

    using hook = boost::intrusive::list_base_hook<>;

    std::mutex mutex_;
    boost::intrusive::list<entry, boost::intrusive::base_hook<hook>> entries_; // guarded by mutex_
    accepts accepts_ = accepts::everything;                                    // guarded by mutex_
    time_point last_ran_{};                                                    // the loop's own
    own_counter runs_;                                                         // likewise
};

class timer_queue::entry : public timer_queue::hook, public std::enable_shared_from_this<entry>
{
public:
    entry(entry const&) = delete;
    entry& operator=(entry const&) = delete;
    virtual ~entry() = default;

    // See scheduled_task. Any thread.
    bool cancel() noexcept
    {
        std::lock_guard const lock(table_->mutex_);
        return cancel_locked();
    }

    bool cancelled() const noexcept
    {
        std::lock_guard const lock(table_->mutex_);
        return state_ == state::cancelled;
    }

    bool done() const noexcept
    {
        std::lock_guard const lock(table_->mutex_);
        return !timer_;
    }

protected:
    entry(std::shared_ptr<timer_queue> table, asio::io_context& ioc, kind k, time_point due,
        std::chrono::nanoseconds period)
        : table_(std::move(table))
        , kind_(k)
        , period_(period)
        , due_(due)
        , timer_(std::in_place, ioc.get_executor())
    {
    }

private:
    friend timer_queue;

    enum class state
    {
        live,      // a run begins when it is due
        last,      // the last run has begun
        cancelled, // no run begins any more, though one may be under way
    };

    virtual void call() = 0;
    virtual void destroy_function() noexcept = 0;

    // The timer's handler.
    struct expiry
    {
        using tells_its_handlers = void; // see there

        void operator()(boost::system::error_code) const { self->on_time(); }

        std::shared_ptr<entry> self;
    };

    bool cancel_locked() noexcept;
    void arm();
    void on_time();
    bool begin();
    bool again();
    void end() noexcept;

    std::shared_ptr<timer_queue> const table_;
    kind const kind_;
    std::chrono::nanoseconds const period_; // or delay
    time_point due_;                        // the loop's own, once armed

    // Guarded by the mutex.
    std::optional<io_context_timer> timer_; // until the function is destroyed
    state state_ = state::live;
};

template <timer_queue::kind Kind, class F>
class timer_queue::entry_of : public entry
{
public:
    template <class G>
    entry_of(std::shared_ptr<timer_queue> table, asio::io_context& ioc, time_point due,
        std::chrono::nanoseconds period, G&& g)
        : entry(std::move(table), ioc, Kind, due, period)
        , function_(std::in_place, std::forward<G>(g))
    {
    }

private:
    void call() override
    {
        handler_scope const running(&describe<F>);
        if constexpr (Kind == kind::once)
            std::move(*function_)();
        else
            (*function_)();
    }

    void destroy_function() noexcept override { function_.reset(); }

    std::optional<F> function_; // the loop's own, until the loop has ended
};

template <timer_queue::kind Kind, class F>
std::shared_ptr<timer_queue::entry> timer_queue::add(
    asio::io_context& ioc, time_point due, std::chrono::nanoseconds period, F&& f)
{
    auto added = std::make_shared<entry_of<Kind, std::decay_t<F>>>(
        shared_from_this(), ioc, due, period, std::forward<F>(f));
    std::lock_guard const lock(mutex_);
    if (accepts_ == accepts::nothing || (accepts_ == accepts::once && Kind != kind::once))
        return nullptr;
    added->arm();
    entries_.push_back(*added);
    return added;
}

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/loop/timer_queue.ipp>
#endif

#endif
