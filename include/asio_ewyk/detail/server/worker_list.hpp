// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVER_WORKER_LIST_HPP
#define ASIO_EWYK_DETAIL_SERVER_WORKER_LIST_HPP

#include <asio_ewyk/server/serve_control.hpp>

#include <boost/asio/execution_context.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// A context that serves.
struct worker
{
    asio::execution_context* context;
    std::size_t live = 0; // its sessions, also those on their way to it
    bool closes = false;  // it is being shut down, and is to have no more
    bool ended = false;   // it runs nothing any more
};

// The workers of a serve, in the order of their group. Guarded by the connection limiter's mutex;
// none is added once the operation has begun.
class worker_list
{
public:
    explicit worker_list(std::shared_ptr<serve_figures> figures)
        : figures_(std::move(figures))
    {
    }

    worker_list(worker_list const&) = delete;
    worker_list& operator=(worker_list const&) = delete;

    ~worker_list()
    {
        for (worker const& w : all_)
            if (w.closes)
                figures_->change([](serve_metrics& m) { --m.workers_left_out; });
    }

    // Throws std::bad_alloc.
    void add(asio::execution_context& context)
    {
        figures_->need_workers(all_.size() + 1);
        all_.push_back({&context});
    }

    worker& operator[](std::size_t i) noexcept { return all_[i]; }

    // Null if it is none of them.
    worker* find(asio::execution_context& context) noexcept
    {
        for (worker& w : all_)
            if (w.context == &context)
                return &w;
        return nullptr;
    }

    // Which one is to have a connection: `next`, or else, of those that are not being shut down,
    // the one with the fewest connections.
    std::size_t choose(asio::execution_context& next) noexcept
    {
        worker const* chosen = find(next);
        if (chosen->closes)
        {
            auto const best = std::min_element(all_.begin(), all_.end(), [](auto& a, auto& b) {
                return std::pair(a.closes, a.live) < std::pair(b.closes, b.live);
            });
            if (!best->closes)
                chosen = &*best;
        }
        return index(*chosen);
    }

    // A session is on its way there (1), or is over, perhaps without having begun (-1).
    void count(worker& w, int by) noexcept
    {
        auto const add = [by](std::size_t& n) { n += static_cast<std::size_t>(by); };
        add(w.live);
        figures_->change([&](serve_metrics& m) {
            add(m.open);
            add(m.open_by_worker[index(w)]);
        });
    }

    void close(worker& w) noexcept
    {
        if (!std::exchange(w.closes, true))
            figures_->change([](serve_metrics& m) { ++m.workers_left_out; });
    }

    bool all_close() const noexcept
    {
        return std::all_of(all_.begin(), all_.end(), [](worker const& w) { return w.closes; });
    }

    // How many sessions will not go on.
    std::size_t in_ended_ones() const noexcept
    {
        std::size_t n = 0;
        for (worker const& w : all_)
            n += w.ended ? w.live : 0;
        return n;
    }

private:
    std::size_t index(worker const& w) const noexcept
    {
        return static_cast<std::size_t>(&w - all_.data());
    }

    std::shared_ptr<serve_figures> const figures_;
    std::vector<worker> all_;
};

} // namespace asio_ewyk::detail

#endif
