// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_FRAME_CALL_FRAME_HPP
#define ASIO_EWYK_DETAIL_FRAME_CALL_FRAME_HPP

#include <asio_ewyk/detail/frame/call_inline.hpp>
#include <asio_ewyk/detail/frame/lessor.hpp>
#include <asio_ewyk/detail/observe/thread_activity.hpp>

#include <boost/asio/multiple_exceptions.hpp>
#include <boost/config.hpp>

#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

namespace asio_ewyk::detail {

// Marks a part of this thread's stack as working for one owner (a strategy engine or a pool), so
// that code further up the stack can learn it. Frames nest; the innermost of an owner counts.
// Only its own thread touches a frame.
class BOOST_SYMBOL_VISIBLE call_frame
{
public:
    explicit call_frame(void const* owner) noexcept
        : owner_(owner)
        , outer_(std::exchange(top_, this))
        , activity_(thread_activity::mine())
        , served_before_(activity_.serve({nullptr, owner}))
    {
    }

    call_frame(call_frame const&) = delete;
    call_frame& operator=(call_frame const&) = delete;

    ~call_frame()
    {
        activity_.serve(served_before_);
        top_ = outer_;
    }

    // Not inlined, nor is end_leases(): a function that contains both this and a switch of stacks
    // might keep the address of top_ of a thread that it has left since.

    // The innermost frame of that owner, null if this thread does not work for it.
    BOOST_NOINLINE static call_frame* find(void const* owner) noexcept
    {
        for (call_frame* f = top_; f; f = f->outer_)
            if (f->owner_ == owner)
                return f->away ? nullptr : f;
        return nullptr;
    }

    // Whether this thread is in a section of a task of that owner in which it works for itself.
    BOOST_NOINLINE static bool is_away(void const* owner) noexcept
    {
        for (call_frame* f = top_; f; f = f->outer_)
            if (f->owner_ == owner && f->away)
                return true;
        return false;
    }

    // How many frames of that owner on this thread stand for a thread of the pool.
    static std::size_t pooled_for(void const* owner) noexcept
    {
        std::size_t n = 0;
        for (call_frame const* f = top_; f; f = f->outer_)
            n += f->owner_ == owner && f->is_pooled();
        return n;
    }

    // How many frames there are on this thread.
    static std::size_t depth() noexcept
    {
        std::size_t n = 0;
        for (call_frame const* f = top_; f; f = f->outer_)
            ++n;
        return n;
    }

    // Whether the outermost frame of that owner on this thread stands for a call of run().
    static bool is_called_for(void const* owner) noexcept
    {
        bool called = false;
        for (call_frame const* f = top_; f; f = f->outer_)
            if (f->owner_ == owner)
                called = !f->is_pooled();
        return called;
    }

    // Gives away the rights to produce that tasks on this thread keep, until come_back() with the
    // same key. False if there is none.
    BOOST_NOINLINE static bool go_away(void const* key) noexcept
    {
        bool any = false;
        for (call_frame* f = top_; f; f = f->outer_)
            if (f->home && f->produces() && !f->away)
            {
                any = true;
                f->away = key;
                f->home->go_away(*f);
            }
        return any;
    }

    // False if there is none that was given away with that key: the task is over, or this is
    // another thread.
    BOOST_NOINLINE static bool come_back(void const* key) noexcept
    {
        return come_back(key, top_);
    }

    // What tells one task on this thread from another. A native handler may run others.
    struct place
    {
        call_frame const* frame;
        std::size_t task;

        friend bool operator==(place, place) noexcept = default;
    };
    BOOST_NOINLINE static place here() noexcept
    {
        return {top_, top_ && top_->in_task ? top_->counted + 1 : 0};
    }

    // Ends the leases that tasks on this thread run on, if they have not ended.
    BOOST_NOINLINE static void end_leases() noexcept
    {
        for (call_frame* f = top_; f; f = f->outer_)
            f->end_lease();
    }

    void end_lease() noexcept
    {
        if (lessor* const by = std::exchange(leased_by, nullptr))
        {
            duty = duty_t::none;
            by->release(lease_number);
        }
    }

    // For that owner, on a thread that works for it. An exception of the function waits in the
    // frame until the task around it is over; several leave as one, as with Asio. If there is no
    // such frame any more, or the task runs inside another one, it goes to stray(error).
    template <class F, class Stray>
    static void run_inline(void const* owner, F&& f, Stray stray)
    {
        call_inline(std::forward<F>(f), [=](std::exception_ptr error) noexcept {
            if (!capture(owner, error))
                stray(std::move(error));
        });
    }

    void rethrow_captured()
    {
        if (error_) [[unlikely]]
        {
            several_ = false;
            std::rethrow_exception(std::exchange(error_, nullptr));
        }
    }

    // Who puts the frame on the stack writes these: whose thread it is, and whether what other
    // threads have thrown leaves the call of run() that it stands for.
    enum class thread_of : unsigned char
    {
        caller,
        stepping_caller, // which drives the context step by step
        pool,            // that was given a task of the owner
    } thread = thread_of::caller;
    bool throws = false;
    bool is_pooled() const noexcept { return thread == thread_of::pool; }
    bool steps() const noexcept { return thread == thread_of::stepping_caller; }

    // The succession and its workforce: what it does for production, as far as it knows; the lessor
    // of the lease that this thread works on, and the lease, null if there is none or it is known
    // to have ended; and what gives the right away in a section of a task and takes it back, where
    // one task runs at a time, null elsewhere.
    enum class duty_t : unsigned char
    {
        none,
        admitted, // the pool counts it among those that produce, and no lease says so
        producer,
    } duty = duty_t::none;
    lessor* leased_by = nullptr;
    lease::number lease_number = 0;
    lessor* home = nullptr;
    bool produces() const noexcept { return duty == duty_t::producer; }
    bool is_admitted() const noexcept { return duty == duty_t::admitted; }

    // Sections: the one that this thread is in. Then the frame is not to be found.
    void const* away = nullptr;

    // What runs tasks: this thread runs one, and what that dispatches is a part of it.
    bool in_task = false;

    // The strategy_service. The owner, inside io_context::run(), has the right whenever it waits
    // for I/O; it counts handlers inside a handler of the library's. A helper runs handlers without
    // the right.
    bool stays = false;
    bool counts = false;
    bool helps = false;

    // How many calls of run() or a sibling of its owner handlers on this thread are inside of; and
    // how often another handler has had the right during the last one.
    unsigned nested = 0;
    unsigned gave_way = 0;

    // Handlers that it has run; and those of the library's own; and of both, those inside another
    // handler. A call of Asio's that began with a tally of b tells of tally() - b at least.
    std::size_t counted = 0;
    std::size_t uncounted = 0;
    std::size_t inner = 0;
    static std::size_t tally(call_frame const& f) noexcept
    {
        return f.counted + f.uncounted - f.inner;
    }

private:
    // False if this thread runs no task of that owner, or calls run() or a sibling in one: Asio
    // has what it keeps leave that call. Called only after the exception: a stackful coroutine that
    // was suspended meanwhile is on another thread now, and the frame of the first one may be gone.
    // Not inlined: few functions throw, and all would contain it.
    BOOST_NOINLINE static bool capture(void const* owner, std::exception_ptr const& error) noexcept
    {
        call_frame* const frame = find(owner);
        if (!frame || !frame->in_task || frame->nested != 0)
            return false;
        if (!frame->error_)
            frame->error_ = error;
        else if (!std::exchange(frame->several_, true))
            frame->error_
                = std::make_exception_ptr(boost::asio::multiple_exceptions(frame->error_));
        return true;
    }

    // The outermost first.
    static bool come_back(void const* key, call_frame* f) noexcept
    {
        if (!f)
            return false;
        bool const further_out = come_back(key, f->outer_);
        if (f->away != key)
            return further_out;
        f->home->come_back(*f);
        f->away = nullptr;
        return true;
    }

    void const* owner_;
    call_frame* outer_;
    thread_activity& activity_;
    thread_activity::state served_before_;
    std::exception_ptr error_;
    bool several_ = false; // that is a multiple_exceptions

    static inline thread_local call_frame* top_ = nullptr;
};

// The frame of a thread of the pool that was asked to come and produce: what the pool has put on
// the stack; or one more, if the thread was started by another copy of the library, as in a plugin.
// Each copy finds its own frames only.
class frame_of_arrival
{
public:
    explicit frame_of_arrival(void const* owner) noexcept
        : frame_(call_frame::find(owner))
    {
        if (!frame_) [[unlikely]]
        {
            frame_ = &own_.emplace(owner);
            frame_->thread = call_frame::thread_of::pool;
        }
        frame_->in_task = false;
    }

    call_frame& operator*() const noexcept { return *frame_; }

private:
    std::optional<call_frame> own_;
    call_frame* frame_;
};

// Sets a flag of a frame for a scope.
class flag_scope
{
public:
    flag_scope(bool& flag, bool value) noexcept
        : flag_(flag)
        , outer_(std::exchange(flag, value))
    {
    }

    flag_scope(flag_scope const&) = delete;
    flag_scope& operator=(flag_scope const&) = delete;

    ~flag_scope() { flag_ = outer_; }

private:
    bool& flag_;
    bool outer_;
};

} // namespace asio_ewyk::detail

#endif
