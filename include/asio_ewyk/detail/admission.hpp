#ifndef ASIO_EWYK_DETAIL_ADMISSION_HPP
#define ASIO_EWYK_DETAIL_ADMISSION_HPP

#include <asio_ewyk/serve_options.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

class admission;

// One who accepts connections, and what it waits for besides: a place, the end of a pause, or of
// the sessions. A handler of its executor owns it, so it is gone before its context is.
class listener_base : public std::enable_shared_from_this<listener_base>
{
public:
    listener_base(listener_base const&) = delete;
    listener_base& operator=(listener_base const&) = delete;

    asio::any_io_executor const& executor() const noexcept { return executor_; }

    // The executor's.
    asio::steady_timer& timer() noexcept { return timer_; }

protected:
    listener_base(std::shared_ptr<admission> all, asio::any_io_executor executor);
    ~listener_base();

    std::shared_ptr<admission> all_;

private:
    friend admission;

    // No more clients are to be waited for. On the executor.
    virtual void stop_accepting() noexcept = 0;

    void poke() noexcept;

    asio::any_io_executor const executor_;
    asio::steady_timer timer_;
    bool wants_place_ = false; // guarded by the admission's mutex
};

// What those who accept share with the sessions that they began: how many there are, and whether
// there are to be more.
//
// Sessions outlive whoever accepts, or are outlived: either context may be destroyed first. So
// nobody holds a context of the other side, except while it cannot go away: those who accept are
// taken from the list, under the mutex, before theirs is destroyed, and workers are used under
// `workers_mutex_`, which close_workers() waits for.
class admission : public std::enable_shared_from_this<admission>
{
public:
    explicit admission(serve_options options)
        : options_(std::move(options))
    {
        if (options_.backlog < 1)
            throw std::invalid_argument("backlog must be at least 1");
        if (options_.back_off <= options_.back_off.zero())
            throw std::invalid_argument("back_off must be greater than 0");
    }

    serve_options const& options() const noexcept { return options_; }

    // Takes a place. If there is none, whoever asks is poked when there is one again.
    bool enter(listener_base& asks) noexcept
    {
        std::lock_guard const lock(mutex_);
        bool const full = options_.max_connections != 0 && live_ >= options_.max_connections;
        asks.wants_place_ = full;
        live_ += !full;
        return !full;
    }

    // Gives a place back.
    void leave() noexcept
    {
        std::lock_guard const lock(mutex_);
        --live_;
        for (listener_base* l : listeners_)
            if (std::exchange(l->wants_place_, false) || (stopping_ && live_ == 0))
                l->poke();
    }

    // Nobody accepts any more, but for `self`, which knows; the first failure counts.
    void stop(std::exception_ptr failure = nullptr, listener_base const* self = nullptr) noexcept
    {
        std::lock_guard const lock(mutex_);
        if (failure && !failure_)
            failure_ = std::move(failure);
        stopping_ = true;
        for (listener_base* l : listeners_)
            if (l != self)
                l->poke();
    }

    bool stopping() const noexcept
    {
        std::lock_guard const lock(mutex_);
        return stopping_;
    }

    // Whether all sessions have ended, and nobody else accepts.
    bool finished() const noexcept
    {
        std::lock_guard const lock(mutex_);
        return live_ == 0 && listeners_.size() <= 1;
    }

    std::exception_ptr failure() const noexcept
    {
        std::lock_guard const lock(mutex_);
        return failure_;
    }

    // Calls `f`, which uses the workers, unless they are going away.
    template <class F>
    void with_workers(F f)
    {
        std::shared_lock const lock(workers_mutex_);
        if (workers_open_)
            f();
    }

    // The workers are about to be destroyed.
    void close_workers() noexcept
    {
        {
            std::lock_guard const lock(workers_mutex_);
            workers_open_ = false;
        }
        stop();
    }

private:
    friend listener_base;

    serve_options const options_;

    std::mutex mutable mutex_;
    std::vector<listener_base*> listeners_;
    std::size_t live_ = 0; // sessions, and whoever is about to begin one
    bool stopping_ = false;
    std::exception_ptr failure_;

    std::shared_mutex workers_mutex_;
    bool workers_open_ = true;
};

inline listener_base::listener_base(
    std::shared_ptr<admission> all, asio::any_io_executor executor)
    : all_(std::move(all))
    , executor_(std::move(executor))
    , timer_(executor_)
{
    std::lock_guard const lock(all_->mutex_);
    all_->listeners_.push_back(this);
}

inline listener_base::~listener_base()
{
    std::lock_guard const lock(all_->mutex_);
    std::erase(all_->listeners_, this);
    if (all_->stopping_)
        for (listener_base* l : all_->listeners_)
            l->poke();
}

// Under the admission's mutex. Lost for want of memory, or if the executor refuses it: so nobody
// waits for it for ever.
inline void listener_base::poke() noexcept
try
{
    asio::post(executor_, [weak = weak_from_this()] {
        auto const self = weak.lock();
        if (!self)
            return;
        self->timer_.cancel();
        if (self->all_->stopping())
            self->stop_accepting();
    });
}
catch (...)
{
}

// A place, for as long as it lives.
class place
{
public:
    // It was entered before.
    explicit place(std::shared_ptr<admission> all) noexcept
        : all_(std::move(all))
    {
    }

    place(place&&) noexcept = default;
    place& operator=(place&&) = delete;

    ~place()
    {
        if (all_)
            all_->leave();
    }

private:
    std::shared_ptr<admission> all_;
};

// Tells those who accept for a context that it is about to be destroyed.
class worker_watch : public asio::execution_context::service
{
public:
    using key_type = worker_watch;
    static inline asio::execution_context::id id;

    explicit worker_watch(asio::execution_context& owner)
        : asio::execution_context::service(owner)
    {
    }

    void add(std::shared_ptr<admission> const& all)
    {
        std::lock_guard const lock(mutex_);
        std::erase_if(served_, [](auto const& weak) { return weak.expired(); });
        served_.push_back(all);
    }

private:
    void shutdown() override
    {
        std::vector<std::weak_ptr<admission>> served;
        {
            std::lock_guard const lock(mutex_);
            served.swap(served_);
        }
        for (auto const& weak : served)
            if (auto const all = weak.lock())
                all->close_workers();
    }

    std::mutex mutex_;
    std::vector<std::weak_ptr<admission>> served_;
};

} // namespace asio_ewyk::detail

#endif
