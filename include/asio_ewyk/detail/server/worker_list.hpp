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

// What each worker has, and whether it is to have more. Contexts are only compared. Guarded by the
// connection limiter's mutex, except for has(); none is added once the operation has begun.
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

    bool has(asio::execution_context& context) noexcept { return find(context) != nullptr; }

    // Which one is to have a connection: that one, or else, of those that are not being shut down,
    // the one with the fewest connections.
    asio::execution_context* choose(asio::execution_context& next) noexcept
    {
        if (!find(next)->closes)
            return &next;
        auto const best = std::min_element(all_.begin(), all_.end(), [](auto& a, auto& b) {
            return std::pair(a.closes, a.live) < std::pair(b.closes, b.live);
        });
        return best->closes ? &next : best->context;
    }

    bool closes(asio::execution_context& context) noexcept { return find(context)->closes; }

    // A session is on its way there; is over, perhaps without having begun.
    void add_session(asio::execution_context& context) noexcept { change(context, 1); }
    void remove_session(asio::execution_context& context) noexcept { change(context, -1); }

    // It is being shut down; it runs nothing any more.
    void close(asio::execution_context& context) noexcept
    {
        if (!std::exchange(find(context)->closes, true))
            figures_->change([](serve_metrics& m) { ++m.workers_left_out; });
    }
    void end(asio::execution_context& context) noexcept
    {
        close(context);
        find(context)->ended = true;
    }

    bool all_close() const noexcept
    {
        return std::all_of(all_.begin(), all_.end(), [](worker const& w) { return w.closes; });
    }

    // Sessions that will not go on.
    std::size_t in_ended_ones() const noexcept
    {
        std::size_t n = 0;
        for (worker const& w : all_)
            n += w.ended ? w.live : 0;
        return n;
    }

private:
    struct worker
    {
        asio::execution_context* context;
        std::size_t live = 0; // sessions
        bool closes = false;
        bool ended = false;
    };

    // Null if it is none of them.
    worker* find(asio::execution_context& context) noexcept
    {
        for (worker& w : all_)
            if (w.context == &context)
                return &w;
        return nullptr;
    }

    void change(asio::execution_context& context, int by) noexcept
    {
        worker& w = *find(context);
        auto const add = [by](std::size_t& n) { n += static_cast<std::size_t>(by); };
        add(w.live);
        figures_->change([&, i = static_cast<std::size_t>(&w - all_.data())](serve_metrics& m) {
            add(m.open);
            add(m.open_by_worker[i]);
        });
    }

    std::shared_ptr<serve_figures> const figures_;
    std::vector<worker> all_;
};

} // namespace asio_ewyk::detail

#endif
