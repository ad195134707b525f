// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_END_WAITS_HPP
#define ASIO_EWYK_DETAIL_LOOP_END_WAITS_HPP

#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/signals.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

// What waits for the end of event loops, until a deadline.
class end_wait
{
public:
    explicit end_wait(time_point until) noexcept
        : deadline(until)
    {
    }

    end_wait(end_wait const&) = delete;
    end_wait& operator=(end_wait const&) = delete;
    virtual ~end_wait() = default;

    // Whether it need not wait for the deadline.
    virtual bool over() const noexcept = 0;

    // It does not wait any more. May destroy the loops.
    virtual void end() noexcept = 0;

    time_point const deadline;
};

// All that waits for the end of a loop, or of the loops of a group. One thread serves them all, for
// as long as there are some. It may outlive the loops: the end of a wait may destroy them.
class end_waits : public std::enable_shared_from_this<end_waits>
{
public:
    end_waits(std::string name, std::size_t number)
        : name_(std::move(name))
        , number_(number)
    {
    }

    // Throws std::system_error if its thread cannot be started, and std::bad_alloc.
    void add(std::shared_ptr<end_wait> w)
    {
        std::lock_guard const lock(mutex_);
        waits_.push_back(std::move(w));
        changed_.notify_one();
        if (serving_)
            return;
        try
        {
            if (thread_.joinable()) // it is about to return
                thread_.join();
            block_signals blocked;
            thread_ = std::thread([self = shared_from_this()] { self->serve(); });
            serving_ = true;
        }
        catch (...)
        {
            waits_.pop_back();
            throw;
        }
    }

    // One may be over.
    void look() noexcept
    {
        std::lock_guard const lock(mutex_);
        changed_.notify_one();
    }

    // The loops have ended, and are about to be destroyed.
    void close() noexcept
    {
        std::unique_lock lock(mutex_);
        auto const last = std::move(waits_);
        waits_.clear();
        std::thread thread = std::move(thread_);
        lock.unlock();
        changed_.notify_one();
        for (auto const& w : last)
            w->end();
        if (thread.get_id() == std::this_thread::get_id())
            thread.detach();
        else if (thread.joinable())
            thread.join();
    }

private:
    void serve()
    {
        name_this_thread(name_, number_, "-end");
        std::unique_lock lock(mutex_);
        while (!waits_.empty())
        {
            auto const now = std::chrono::steady_clock::now();
            auto const done = std::find_if(waits_.begin(), waits_.end(),
                [&](auto const& w) { return w->deadline <= now || w->over(); });
            if (done == waits_.end())
            {
                auto const next = std::min_element(waits_.begin(), waits_.end(),
                    [](auto const& a, auto const& b) { return a->deadline < b->deadline; });
                changed_.wait_until(lock, time_point((*next)->deadline));
                continue;
            }
            auto w = std::move(*done);
            waits_.erase(done);
            lock.unlock();
            w->end();
            w.reset();
            lock.lock();
        }
        serving_ = false;
    }

    std::string const name_;
    std::size_t const number_;

    std::mutex mutex_; // guards what follows; not held while a wait ends
    std::condition_variable changed_;
    std::vector<std::shared_ptr<end_wait>> waits_;
    std::thread thread_;
    bool serving_ = false; // the thread will look at the waits again
};

} // namespace asio_ewyk::detail

#endif
