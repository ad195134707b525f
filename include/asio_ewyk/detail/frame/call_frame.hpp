// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_FRAME_CALL_FRAME_HPP
#define ASIO_EWYK_DETAIL_FRAME_CALL_FRAME_HPP

#include <asio_ewyk/detail/frame/call_inline.hpp>
#include <asio_ewyk/detail/frame/lessor.hpp>
#include <asio_ewyk/detail/observe/thread_activity.hpp>

#include <boost/config.hpp>

#include <cstddef>
#include <exception>
#include <utility>

namespace asio_ewyk::detail {

class run_call;

// Marks a part of this thread's stack as working for one owner (a strategy engine or a pool), so
// that code further up the stack can learn it. Frames nest; the innermost of an owner counts.
// Only its own thread touches a frame.
class BOOST_SYMBOL_VISIBLE call_frame
{
public:
    explicit call_frame(void const* owner, run_call* of = nullptr) noexcept
        : run(of)
        , owner_(owner)
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
            n += f->owner_ == owner && f->pooled;
        return n;
    }

    // Gives away the rights to produce that tasks on this thread keep, until come_back() with the
    // same key. False if there is none. A frame inside of another one of its owner has the right of
    // that, and is_bound if that is.
    BOOST_NOINLINE static bool go_away(void const* key) noexcept
    {
        bool any = false;
        for (call_frame* f = top_; f; f = f->outer_)
            if (f->home && f->producing && !f->away && !f->is_bound)
            {
                any = true;
                f->away = key;
                if (!f->nested)
                    f->home->go_away(*f);
                f->producing = false;
            }
        return any;
    }

    // False if there is none that was given away with that key: the task is over, or this is
    // another thread.
    BOOST_NOINLINE static bool come_back(void const* key) noexcept
    {
        return come_back(key, top_);
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
            producing = false;
            by->release(lease_number);
        }
    }

    // For that owner, on a thread that works for it. An exception of the function waits in the
    // frame until the task around it is over. The first one counts. If there is no such frame any
    // more, it goes to stray(error).
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
            std::rethrow_exception(std::exchange(error_, nullptr));
    }

    bool has_captured() const noexcept { return error_ != nullptr; }

    // The call of run() and its like that this frame stands for; null on a thread of the pool.
    run_call* const run;

    // This thread holds the right to produce.
    bool producing = false;

    // This thread is inside the producer, so what is submitted now is a product.
    bool in_producer = false;

    // This thread stays inside the producer for several completions; and it is to come out.
    bool staying = false;
    bool must_come_out = false;

    // This step is already counted, or needs no counting; and how many were run while it stays.
    bool accounted = false;
    std::size_t own_inside = 0;

    // A completion was captured since this thread entered the producer.
    bool captured_inside = false;

    // This thread is inside the engine's loop.
    bool looping = false;

    // The caller drives the context step by step: only callers like it take over from it.
    bool stepping = false;

    // It stands for a thread of the pool that was given a task of its owner.
    bool pooled = false;

    // The pool counts this thread among those that produce.
    bool occupies = false;

    // A frame further down holds the right to produce, which therefore stays on this thread.
    bool nested = false;

    // The lessor of the lease that this thread works on, and the lease; null if there is none, or
    // it is known to have ended.
    lessor* leased_by = nullptr;
    lease::number lease_number = 0;

    // What gives the right away in a section of a task and takes it back, where one task runs at a
    // time; null elsewhere. And the section that this thread is in: the frame is not to be found
    // then.
    lessor* home = nullptr;
    void const* away = nullptr;

    // No section gives the right away here: what this thread submits to the io_context that it is
    // inside of would wait for the end of its handler.
    bool is_bound = false;

    // Nested: while the task waited, another one came back from a section and had the right.
    bool gave_way = false;

    // It leases again after a task that keeps the right.
    bool leases_again = false;

    // Handlers that a thread of the pool has run, and that no call of run() has counted yet.
    std::size_t counted = 0;

private:
    // False if this thread does not work for that owner. Called only after the exception: a
    // stackful coroutine that was suspended meanwhile is on another thread now, and the frame of
    // the first one may be gone. Not inlined: few functions throw, and all would contain it.
    BOOST_NOINLINE static bool capture(void const* owner, std::exception_ptr const& error) noexcept
    {
        call_frame* const frame = find(owner);
        if (frame && !frame->error_)
            frame->error_ = error;
        return frame != nullptr;
    }

    // The outermost first: a frame inside of another one of its owner has the right of that.
    static bool come_back(void const* key, call_frame* f) noexcept
    {
        if (!f)
            return false;
        bool const further_out = come_back(key, f->outer_);
        if (f->away != key)
            return further_out;
        if (!f->nested)
            f->home->come_back(*f);
        f->away = nullptr;
        return f->producing = true;
    }

    void const* owner_;
    call_frame* outer_;
    thread_activity& activity_;
    thread_activity::state served_before_;
    std::exception_ptr error_;

    static inline thread_local call_frame* top_ = nullptr;
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
