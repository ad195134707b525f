// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_CONTEXT_WATCH_HPP
#define ASIO_EWYK_DETAIL_LOOP_CONTEXT_WATCH_HPP

#include <boost/asio/execution_context.hpp>
#include <boost/config.hpp>

#include <memory>
#include <mutex>
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

    void add(std::weak_ptr<context_watcher> watcher)
    {
        std::lock_guard const lock(mutex_);
        std::erase_if(watchers_, [](auto const& w) { return w.expired(); });
        watchers_.push_back(std::move(watcher));
    }

    void closes() noexcept
    {
        for (auto const& watcher : watchers())
            if (auto const alive = watcher.lock())
                alive->context_closes(context());
    }

    void ended() noexcept
    {
        for (auto const& watcher : watchers())
            if (auto const alive = watcher.lock())
                alive->context_ended(context());
    }

private:
    void shutdown() override
    {
        for (auto const& watcher : watchers())
            if (auto const alive = watcher.lock())
                alive->context_destroyed(context());
    }

    std::vector<std::weak_ptr<context_watcher>> watchers() const
    {
        std::lock_guard const lock(mutex_);
        return watchers_;
    }

    std::mutex mutable mutex_; // guards the list; not held while a watcher is told
    std::vector<std::weak_ptr<context_watcher>> watchers_;
};

} // namespace asio_ewyk::detail

#endif
