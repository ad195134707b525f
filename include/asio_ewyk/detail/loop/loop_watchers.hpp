// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_LOOP_WATCHERS_HPP
#define ASIO_EWYK_DETAIL_LOOP_LOOP_WATCHERS_HPP

#include <boost/asio/execution_context.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// Told when a loop comes to its end.
class loop_watcher
{
public:
    // The loop is being shut down, and ends sooner if nothing new comes.
    virtual void loop_closes(asio::execution_context& loop) noexcept = 0;

    // The loop runs nothing any more. Called by its own thread, if it has had one.
    virtual void loop_ended(asio::execution_context& loop) noexcept = 0;

protected:
    ~loop_watcher() = default;
};

// The watchers of one loop. Any thread.
class loop_watchers
{
public:
    // Throws std::bad_alloc.
    void add(std::weak_ptr<loop_watcher> watcher)
    {
        auto more = std::make_shared<list>();
        std::lock_guard const lock(mutex_);
        std::copy_if(all_->begin(), all_->end(), std::back_inserter(*more),
            [](auto const& w) { return !w.expired(); });
        more->push_back(std::move(watcher));
        all_ = std::move(more);
    }

    void tell(void (loop_watcher::*what)(asio::execution_context&) noexcept,
        asio::execution_context& loop) noexcept
    {
        std::unique_lock lock(mutex_);
        auto const all = all_;
        lock.unlock();
        for (auto const& w : *all)
            if (auto const alive = w.lock())
                (*alive.*what)(loop);
    }

private:
    using list = std::vector<std::weak_ptr<loop_watcher>>;

    // Guards which list it is. Lists do not change, so that telling needs no memory.
    std::mutex mutex_;
    std::shared_ptr<list const> all_ = std::make_shared<list const>();
};

} // namespace asio_ewyk::detail

#endif
