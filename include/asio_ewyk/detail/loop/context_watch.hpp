// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_CONTEXT_WATCH_HPP
#define ASIO_EWYK_DETAIL_LOOP_CONTEXT_WATCH_HPP

#include <boost/asio/execution_context.hpp>
#include <boost/config.hpp>

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// Told when a context comes to its end.
class context_watcher
{
public:
    // It is being shut down, and ends sooner if nothing new comes. Only contexts with a thread of
    // their own report this.
    virtual void context_closes(asio::execution_context& context) noexcept = 0;

    // It runs nothing any more; by its own thread. Likewise.
    virtual void context_ended(asio::execution_context& context) noexcept = 0;

    // It is about to be destroyed, and is used no more when this returns.
    virtual void context_destroyed(asio::execution_context& context) noexcept = 0;

protected:
    ~context_watcher() = default;
};

// Tells the watchers of its context. Add it after the services of what the watchers use: services
// that are added later are shut down earlier.
class BOOST_SYMBOL_VISIBLE context_watch : public asio::execution_context::service
{
public:
    using key_type = context_watch;
    static inline asio::execution_context::id id;

    explicit context_watch(asio::execution_context& owner)
        : asio::execution_context::service(owner)
    {
    }

    // `in_use`: held by the watcher's threads, shared, while they use the context. Throws
    // std::bad_alloc.
    void add(std::weak_ptr<context_watcher> watcher, std::shared_ptr<std::shared_mutex> in_use)
    {
        auto more = std::make_shared<std::vector<entry>>();
        std::lock_guard const lock(mutex_);
        for (entry const& w : *watchers_)
            if (w.who.expired())
                see(w);
            else
                more->push_back(w);
        more->push_back({std::move(watcher), std::move(in_use)});
        watchers_ = std::move(more);
    }

    void closes() noexcept { tell(&context_watcher::context_closes); }
    void ended() noexcept { tell(&context_watcher::context_ended); }

private:
    struct entry
    {
        std::weak_ptr<context_watcher> who;
        std::shared_ptr<std::shared_mutex> in_use;
    };

    void shutdown() override { tell(&context_watcher::context_destroyed); }

    void tell(void (context_watcher::*what)(asio::execution_context&) noexcept) noexcept
    {
        std::unique_lock lock(mutex_);
        auto const all = watchers_;
        lock.unlock();
        for (entry const& w : *all)
            if (auto const alive = w.who.lock())
                (*alive.*what)(context());
            else
                see(w);
    }

    // A watcher that is gone may have used the context a moment ago. To find it gone does not make
    // visible what it did; to have the mutex after it does.
    static void see(entry const& w) noexcept { std::lock_guard const lock(*w.in_use); }

    // Guards which list it is. Lists do not change, so that telling needs no memory.
    std::mutex mutex_;
    std::shared_ptr<std::vector<entry> const> watchers_
        = std::make_shared<std::vector<entry> const>();
};

} // namespace asio_ewyk::detail

#endif
