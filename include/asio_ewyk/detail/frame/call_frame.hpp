// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_FRAME_CALL_FRAME_HPP
#define ASIO_EWYK_DETAIL_FRAME_CALL_FRAME_HPP

#include <asio_ewyk/detail/frame/call_inline.hpp>
#include <asio_ewyk/detail/frame/lessor.hpp>
#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>

#include <boost/asio/multiple_exceptions.hpp>
#include <boost/config.hpp>

#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

namespace asio_ewyk::detail {

// Marks a part of this thread's stack as working for a strategy engine or a pool, which is the key
// of the frame, so that code further up the stack can find it. Frames nest; the innermost one with
// a key counts. Only its own thread touches a frame.
class BOOST_SYMBOL_VISIBLE call_frame
{
public:
    explicit call_frame(void const* key) noexcept
        : key_(key)
        , outer_(std::exchange(top_, this))
        , activity_(thread_activity::mine())
        , served_before_(activity_.serve(key))
    {
    }

    call_frame(call_frame const&) = delete;
    call_frame& operator=(call_frame const&) = delete;

    ~call_frame()
    {
        activity_.end_service(served_before_);
        top_ = outer_;
    }

    // What reads top_ is not inlined: a function that contains both this and a switch of stacks
    // might keep the address of top_ of a thread that it has left since.

    // The innermost frame with that key; null if this thread does not work for it, or is in a
    // section of its task.
    BOOST_NOINLINE static call_frame* find(void const* key) noexcept
    {
        for (call_frame* f = top_; f; f = f->outer_)
            if (f->key_ == key)
                return f->section ? nullptr : f;
        return nullptr;
    }

    // Whether this thread is in a blocking_section of a task with that key, having given its right
    // to produce away.
    BOOST_NOINLINE static bool is_in_section(void const* key) noexcept
    {
        for (call_frame* f = top_; f; f = f->outer_)
            if (f->key_ == key && f->section)
                return true;
        return false;
    }

    // How many frames with that key on this thread stand for a thread of the pool.
    static std::size_t pooled_for(void const* key) noexcept
    {
        std::size_t n = 0;
        for (call_frame const* f = top_; f; f = f->outer_)
            n += f->key_ == key && f->is_pooled();
        return n;
    }

    static std::size_t depth() noexcept
    {
        std::size_t n = 0;
        for (call_frame const* f = top_; f; f = f->outer_)
            ++n;
        return n;
    }

    // Whether the outermost frame with that key on this thread stands for a call of run().
    static bool is_called_for(void const* key) noexcept
    {
        bool called = false;
        for (call_frame const* f = top_; f; f = f->outer_)
            if (f->key_ == key)
                called = !f->is_pooled();
        return called;
    }

    // Gives away the rights to produce of the tasks on this thread, until leave_section(section).
    // False if there is none to give away.
    BOOST_NOINLINE static bool enter_section(void const* section) noexcept
    {
        bool any = false;
        for (call_frame* f = top_; f; f = f->outer_)
            if (f->section_lessor && f->produces() && !f->section)
            {
                any = true;
                f->section = section;
                f->section_lessor->enter_section(*f);
            }
        return any;
    }

    // Takes back the rights that enter_section(section) has given away. False if there are none:
    // the task is over, or this is another thread.
    BOOST_NOINLINE static bool leave_section(void const* section) noexcept
    {
        return leave_section(section, top_);
    }

    // Tells one task on this thread from another. A native handler may run others.
    struct task_id
    {
        call_frame const* frame;
        std::size_t task;

        friend bool operator==(task_id, task_id) noexcept = default;
    };
    BOOST_NOINLINE static task_id current_task() noexcept
    {
        return {top_, top_ && top_->in_task ? top_->counted + 1 : 0};
    }

    // Ends the leases on which tasks on this thread run, where they have not ended yet.
    BOOST_NOINLINE static void end_leases() noexcept
    {
        for (call_frame* f = top_; f; f = f->outer_)
            f->end_lease();
    }

    void end_lease() noexcept
    {
        if (lessor* const by = std::exchange(leased_by, nullptr))
        {
            role = role_t::none;
            by->release(lease_number);
        }
    }

    // Calls f on a thread that has a frame with that key. An exception of f waits in the frame
    // until the task around f is over; several leave as one, as with Asio. If there is no such
    // frame any more, or the task runs inside another one, the exception goes to stray(error).
    template <class F, class Stray>
    static void run_inline(void const* key, F&& f, Stray stray)
    {
        call_inline(std::forward<F>(f), [=](std::exception_ptr error) noexcept {
            if (!capture(key, error))
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

    // Written by the function that puts the frame on the stack: whose thread this is; whether
    // exceptions of other threads leave the call of run() that the frame stands for, and when a
    // helper has to leave it.
    enum class thread_of : unsigned char
    {
        caller,
        stepping_caller, // drives the context step by step
        pool,            // was given a task with the key of the frame
    } thread = thread_of::caller;
    bool throws = false;
    time_point deadline = forever;
    bool is_pooled() const noexcept { return thread == thread_of::pool; }
    bool steps() const noexcept { return thread == thread_of::stepping_caller; }

    // Written by the succession and its workforce. What this thread does for production, as far as
    // it knows: another thread may have ended its lease.
    enum class role_t : unsigned char
    {
        none,
        holds_place, // has one of the pool's places for producers, but not the right itself
        producer,
    } role = role_t::none;

    // The lease that this thread works on. Null: there is none, or this thread knows that it has
    // ended.
    lessor* leased_by = nullptr;
    lease::number lease_number = 0;

    // Gives the right away in a section and takes it back, where one task runs at a time; else
    // null.
    lessor* section_lessor = nullptr;
    bool produces() const noexcept { return role == role_t::producer; }
    bool holds_place() const noexcept { return role == role_t::holds_place; }

    // The section that this thread is in, for which it has given its right away. Null: none.
    void const* section = nullptr;

    // This thread runs a task: what that dispatches is a part of it.
    bool in_task = false;

    // This thread has run a wake-up inside of a handler, where not all could be done that the
    // wake-up is for. The thread sends another one when the handler is over.
    bool owes_wake_up = false;

    // Written by the service of a context: whether this thread is the owner, which stays inside
    // io_context::run(); whether, as the owner, it is inside a handler of the library's where it
    // counts the handlers that it runs; and whether it is a helper, which runs them without the
    // right.
    bool is_owner = false;
    bool counts = false;
    bool is_helper = false;

    // Where the program is compiled with Asio's hook: what it tells of the completions of the call
    // of Asio's that the frame is for. Else nothing, which needs no room.
    struct tracked_call
    {
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
        unsigned completions = 0; // under way, one inside the other
        bool is_native = false;   // of the outermost one; as is the next
        std::size_t before = 0;   // `counted` of the frame when it began
        std::size_t native = 0;   // handlers that were counted when they had ended
        lease::number marked = 0; // the lease that this thread has marked busy; 0: none

        void mark(lease::number n) noexcept { marked = n; }
        void copy_mark(tracked_call const& other) noexcept { marked = other.marked; }
        void begin_inner() noexcept { *this = {.marked = marked}; }
        std::size_t take_native() noexcept { return std::exchange(native, 0); }
#else
        static constexpr unsigned completions = 0;

        static void mark(lease::number) noexcept {}
        static void copy_mark(tracked_call const&) noexcept {}
        static void begin_inner() noexcept {}
        static constexpr std::size_t take_native() noexcept { return 0; }
#endif
    };
    [[no_unique_address]] tracked_call tracked = {};

    // Of what Asio has called on this thread: whether that is inside of a handler. The call is a
    // completion itself.
    bool is_inside_handler() const noexcept { return in_task || tracked.completions > 1; }

    // How many calls of run() or a sibling are open inside handlers on this thread; and how often
    // this thread has passed the right on during the last one.
    unsigned nested = 0;
    unsigned passed_right = 0;

    // Handlers that this thread has run: the user's; the library's own; and how many of both ran
    // inside another handler, in a call of Asio's of their own. A call of Asio's returns at least
    // by how much the tally has grown.
    std::size_t counted = 0;
    std::size_t uncounted = 0;
    std::size_t inner = 0;
    static std::size_t tally(call_frame const& f) noexcept
    {
        return f.counted + f.uncounted - f.inner;
    }

private:
    // False if this thread runs no task with that key, or calls run() or a sibling in one: then
    // Asio's own exception leaves that call. Looks for the frame only after the exception: a
    // stackful coroutine that was suspended meanwhile is on another thread now, and the frame of
    // the first one may be gone. Not inlined: few functions throw, and all would contain this code.
    BOOST_NOINLINE static bool capture(void const* key, std::exception_ptr const& error) noexcept
    {
        call_frame* const frame = find(key);
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
    static bool leave_section(void const* section, call_frame* f) noexcept
    {
        if (!f)
            return false;
        bool const further_out = leave_section(section, f->outer_);
        if (f->section != section)
            return further_out;
        f->section_lessor->leave_section(*f);
        f->section = nullptr;
        return true;
    }

    void const* key_;
    call_frame* outer_;
    thread_activity& activity_;
    thread_activity::outer_service served_before_;
    std::exception_ptr error_;
    bool several_ = false; // that is a multiple_exceptions

    static inline thread_local call_frame* top_ = nullptr;
};

// The frame of a thread of the pool that was asked to come and produce: the one that the pool has
// put on the stack; or a new one, if another copy of the library has started the thread, as in a
// plugin. Each copy finds its own frames only.
class frame_of_arrival
{
public:
    explicit frame_of_arrival(void const* key) noexcept
        : frame_(call_frame::find(key))
    {
        if (!frame_) [[unlikely]]
        {
            frame_ = &own_.emplace(key);
            frame_->thread = call_frame::thread_of::pool;
        }
        frame_->in_task = false;
    }

    call_frame& operator*() const noexcept { return *frame_; }

private:
    std::optional<call_frame> own_;
    call_frame* frame_;
};

} // namespace asio_ewyk::detail

#endif
