// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVE_WORKER_LIST_HPP
#define ASIO_EWYK_DETAIL_SERVE_WORKER_LIST_HPP

#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/serve_control.hpp>
#include <asio_ewyk/serve_options.hpp>

#include <boost/asio/execution_context.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// What each worker has, and whether it is to have more. A worker is stuck while a session waits
// there, and none has begun for `stuck_after`: that is seen when a client comes, without a timer.
//
// Contexts are only compared. Guarded by the connection limiter's mutex, except for has(); none is
// added once the operation has begun.
class worker_list
{
public:
    worker_list(std::shared_ptr<serve_figures> figures, std::chrono::nanoseconds stuck_after)
        : figures_(std::move(figures))
        , stuck_after_(stuck_after)
    {
    }

    worker_list(worker_list const&) = delete;
    worker_list& operator=(worker_list const&) = delete;

    ~worker_list()
    {
        for (worker& w : all_)
            change(w, [](worker& gone) { gone = worker{gone.context}; });
    }

    // Throws std::bad_alloc.
    void add(asio::execution_context& context)
    {
        figures_->need_workers(all_.size() + 1);
        all_.push_back({&context});
    }

    bool has(asio::execution_context& context) noexcept { return find(context) != nullptr; }

    // Which one is to have a connection: that one, or else one that is better off, and among those
    // the one with the fewest connections.
    asio::execution_context* choose(asio::execution_context& next, time_point now) noexcept
    {
        worker* const w = find(next);
        look(*w, now);
        if (w->state() == worker_state::serving)
            return &next;
        for (worker& other : all_)
            look(other, now);
        auto const best = std::min_element(all_.begin(), all_.end(), [](auto& a, auto& b) {
            return std::tuple(a.state(), a.live) < std::tuple(b.state(), b.live);
        });
        return best->state() == w->state() ? &next : best->context;
    }

    bool has_ended(asio::execution_context& context) noexcept
    {
        return find(context)->state() == worker_state::ended;
    }

    // A session is on its way there; has begun; is over, perhaps without having begun.
    void expect(asio::execution_context& context, time_point now) noexcept
    {
        worker& w = *find(context);
        ++w.live;
        if (w.expected++ == 0)
            w.since = now;
        figures_->change([i = index(w)](serve_metrics& m) {
            ++m.open;
            ++m.open_by_worker[i];
        });
    }
    void begin(asio::execution_context& context, time_point now) noexcept
    {
        change(*find(context), [now](worker& w) {
            --w.expected;
            w.since = now;
            w.stuck = false;
        });
    }
    void remove(asio::execution_context& context, bool begun) noexcept
    {
        worker& w = *find(context);
        --w.live;
        if (!begun && --w.expected == 0)
            change(w, [](worker& idle) { idle.stuck = false; });
        figures_->change([i = index(w)](serve_metrics& m) {
            --m.open;
            --m.open_by_worker[i];
        });
    }

    // It is being shut down; it runs nothing any more.
    void close(asio::execution_context& context) noexcept
    {
        change(*find(context), [](worker& w) { w.closes = true; });
    }
    void end(asio::execution_context& context) noexcept
    {
        change(*find(context), [](worker& w) { w.closes = w.ended = true; });
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

    // A worker that has another state than this said before.
    std::optional<std::pair<std::size_t, worker_state>> next_news() noexcept
    {
        for (worker& w : all_)
            if (std::exchange(w.reported, w.state()) != w.state())
                return std::pair(index(w), w.state());
        return std::nullopt;
    }

private:
    struct worker
    {
        worker_state state() const noexcept
        {
            return closes ? worker_state::ended
                : stuck   ? worker_state::stuck
                          : worker_state::serving;
        }

        asio::execution_context* context;
        std::size_t live = 0;     // sessions
        std::size_t expected = 0; // of them, those that have not begun
        time_point since = {};    // how long one of these has waited at most
        bool closes = false;
        bool ended = false;
        bool stuck = false;
        worker_state reported = worker_state::serving;
    };

    // Null if it is none of them.
    worker* find(asio::execution_context& context) noexcept
    {
        for (worker& w : all_)
            if (w.context == &context)
                return &w;
        return nullptr;
    }

    std::size_t index(worker const& w) const noexcept
    {
        return static_cast<std::size_t>(&w - all_.data());
    }

    void look(worker& w, time_point now) noexcept
    {
        if (w.expected != 0 && now - w.since >= stuck_after_)
            change(w, [](worker& late) { late.stuck = true; });
    }

    template <class F>
    void change(worker& w, F f) noexcept
    {
        bool const before = w.state() != worker_state::serving;
        f(w);
        bool const after = w.state() != worker_state::serving;
        if (before != after)
            figures_->change([after](serve_metrics& m) {
                after ? ++m.workers_left_out : --m.workers_left_out;
            });
    }

    std::shared_ptr<serve_figures> const figures_;
    std::chrono::nanoseconds const stuck_after_;
    std::vector<worker> all_;
};

} // namespace asio_ewyk::detail

#endif
