// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TRACKING_HANDLER_HOOKS_HPP
#define ASIO_EWYK_DETAIL_TRACKING_HANDLER_HOOKS_HPP

#include <asio_ewyk/detail/observe/completion_observer.hpp>
#include <asio_ewyk/detail/observe/task_action.hpp>
#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/observe/trace_point.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/tick_clock.hpp>
#include <asio_ewyk/detail/tracking/operation_record.hpp>
#include <asio_ewyk/detail/tracking/operation_site.hpp>
#include <asio_ewyk/detail/tracking/tracking_thread.hpp>

#include <boost/config.hpp>
#include <boost/core/typeinfo.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

namespace boost::asio {

class execution_context;

} // namespace boost::asio

namespace asio_ewyk::detail {

// What Asio calls, by the macros of tracking.hpp. Nothing throws, waits or locks: handlers are
// created and destroyed anywhere, also in the child of a fork and while the program ends.

// While it lives, the thread is at a location in the source: a place that the program gives, or one
// of a composed operation of Asio's or Beast's.
class tracked_location
{
public:
    tracked_location(char const* file, int line, char const* function) noexcept
        : file_(file)
        , function_(function)
        , line_(line)
        , thread_(tracking_thread::mine())
        , outer_(std::exchange(thread_.place, this))
    {
    }

    tracked_location(tracked_location const&) = delete;
    tracked_location& operator=(tracked_location const&) = delete;

    ~tracked_location() { thread_.place = outer_; }

private:
    friend class handler_hooks;

    char const* const file_; // null: Asio knows none
    char const* const function_;
    int const line_;
    tracking_thread& thread_;
    tracked_location* const outer_;
};

// The base of Asio's operations. Written by the thread that has the operation.
class tracked_handler
{
protected:
    tracked_handler() noexcept = default;

    // A copy is another operation.
    tracked_handler(tracked_handler const&) noexcept {}
    tracked_handler& operator=(tracked_handler const&) noexcept { return *this; }

    // Not completed, nor destroyed by Asio in order.
    ~tracked_handler()
    {
        if (record_) [[unlikely]]
            drop(*std::exchange(record_, nullptr));
    }

private:
    friend class completion_scope;
    friend class handler_hooks;

    static void drop(operation_record& r) noexcept;

    mutable operation_record* record_ = nullptr; // null: it is not tracked
    task_action what_ = nullptr;                 // describes the operation
    bool tells_ = false; // see calls_what_tells; as is the next
    bool is_of_strand_ = false;
};

// While it lives, Asio takes the handler out of its operation, and calls it unless it only destroys
// it. The record is this one's then.
//
// The handlers of one of our contexts, whichever executor they have, are in the thread_activity and
// in a trace from their call until they are destroyed, which may block as well; unless they get
// there by themselves. So the watchdog sees them. What a handler runs inside of itself is a part of
// it. But what runs the handlers of a strand is itself called as a handler, so each of these is
// shown.
class completion_scope
{
public:
    explicit completion_scope(tracked_handler const& h) noexcept
        : record_(std::exchange(h.record_, nullptr))
        , what_(h.what_)
        , tells_(h.tells_)
        , is_of_strand_(h.is_of_strand_)
        , thread_(tracking_thread::mine())
        , outer_(std::exchange(thread_.running, this))
    {
        if (record_)
        {
            place_ = record_->place();
            names_handler_ = record_->names_handler();
            number_ = record_->number();
        }
    }

    completion_scope(completion_scope const&) = delete;
    completion_scope& operator=(completion_scope const&) = delete;

    // The handler was called, has thrown, or was destroyed without being called.
    ~completion_scope()
    {
        if (record_ || began_ != 0)
            end();
        thread_.running = outer_;
    }

    template <class... Arguments>
    void invocation_begin(Arguments const&...) noexcept
    {
        begin();
    }

    // The handler is still to be destroyed.
    void invocation_end() noexcept {}

private:
    friend class handler_hooks;
    friend class tracked_handler;

    void begin() noexcept;
    void end() noexcept;
    void show() noexcept;
    void end_record(operation_record& r) noexcept;
    static void destroy(operation_record& r, unsigned lane) noexcept;

    operation_record* record_;
    task_action const what_; // as in tracked_handler, as are the next
    bool const tells_;
    bool const is_of_strand_;
    operation_site const* place_ = nullptr; // as in operation_record, as is the next
    bool names_handler_ = false;
    bool is_entered_ = false; // an executor of this library has begun to run the handler
    std::uint64_t number_ = 0;
    tick_clock::ticks waited_ = -1; // -1: that is not known
    tick_clock::ticks began_ = 0;   // 0: the handler does not run
    completion_observer* observer_ = nullptr; // the innermost when the handler was called
    bool is_told_ = false;                    // the observer was told of the begin
    thread_activity* shown_ = nullptr;        // that shows the handler
    thread_activity::outer_handler shown_before_;
    tracking_thread& thread_;
    completion_scope* const outer_;
};

// Not negative: the CPUs' counters may differ by some ticks.
inline tick_clock::ticks time_between(tick_clock::ticks begin, tick_clock::ticks end) noexcept
{
    return end > begin ? end - begin : 0;
}

// For a record of a thread's activity, and for a trace: which handler an operation is for.
template <class Operation>
boost::core::typeinfo const* describe_operation(task*, task_purpose) noexcept
{
    return &BOOST_CORE_TYPEID(Operation);
}

BOOST_NOINLINE inline void completion_scope::begin() noexcept
{
    began_ = tick_clock::now();
    if (record_)
    {
        bool const was_ready = record_->step() == operation_step::ready;
        tick_clock::ticks const since = record_->enter(operation_step::running, began_);
        if (was_ready)
            waited_ = time_between(since, began_);
    }
    // First: the observer may wake the watchdog, which looks there.
    if (!tells_)
        show();
    observer_ = completion_observer::of_this_thread();
    // Asio's executors call what runs the handlers of a strand, and the observer was told of that.
    // An io_context::strand is run in no completion.
    is_told_ = observer_ && !(is_of_strand_ && outer_ && outer_->observer_ == observer_);
    if (is_told_)
        observer_->begin_completion(tells_                ? completion_kind::tells
                : is_of_strand_ ? completion_kind::of_strand
                                : completion_kind::native);
}

// Not where no context of ours is under way on this thread.
inline void completion_scope::show() noexcept
{
    thread_activity* const a = thread_activity::known();
    if (!a)
        return;
    thread_activity::state const before = a->now();
    if (!before.owner || (before.what && !is_of_strand_))
        return;
    task_action const what = what_ ? what_ : &describe_operation<tracked_handler>;
    if (trace_recorder::get()) [[unlikely]]
    {
        std::uint64_t ready = 0;
        if (waited_ >= 0)
            ready = since_epoch(std::chrono::steady_clock::now() - tick_clock::scale()(waited_));
        trace_point(trace_event::consume, nullptr, ready, what);
    }
    shown_ = a;
    shown_before_ = a->begin(what);
    a->date(began_);
    if (place_ && names_handler_ && place_->key.file)
        place_handler(*a, place_->where(), true);
}

BOOST_NOINLINE inline void completion_scope::end() noexcept
{
    if (is_told_)
        observer_->end_completion();
    if (shown_)
    {
        shown_->end(shown_before_);
        trace_point(end_of(trace_event::consume));
    }
    if (record_)
        end_record(*record_);
}

inline void completion_scope::end_record(operation_record& r) noexcept
{
    if (r.step() != operation_step::running)
        return destroy(r, thread_.lane());
    tick_clock::ticks const now = tick_clock::now();
    site_totals t;
    t.handlers = 1;
    t.ran = static_cast<std::uint64_t>(time_between(r.since(), now));
    t.longest_run = t.ran;
    if (waited_ >= 0)
    {
        t.waits = 1;
        t.waited = static_cast<std::uint64_t>(waited_);
        t.longest_wait = t.waited;
    }
    // In this handler, in one inside of it, or in one around it. Looked up only now: the thread may
    // have got its record while the handler ran.
    thread_activity const* const a = thread_activity::known();
    tick_clock::ticks const taken_over = a ? a->taken_over() : 0;
    if (taken_over > began_) [[unlikely]]
    {
        t.blocks = 1;
        t.blocked = static_cast<std::uint64_t>(time_between(taken_over, now));
        t.longest_block = t.blocked;
    }
    r.site().add(t, thread_.lane());
    operation_store::give_back(r, thread_.lane());
}

inline void completion_scope::destroy(operation_record& r, unsigned lane) noexcept
{
    r.site().add({.destroyed = 1}, lane);
    r.enter(operation_step::destroyed, tick_clock::now());
    operation_store::keep_destroyed(r, lane);
}

BOOST_NOINLINE inline void tracked_handler::drop(operation_record& r) noexcept
{
    completion_scope::destroy(r, tracking_thread::mine().lane());
}

class BOOST_SYMBOL_VISIBLE handler_hooks
{
public:
    // The type names the handler's.
    template <class Operation>
    static void creation(boost::asio::execution_context& context, Operation& operation,
        char const* kind, void const* object, std::uintmax_t descriptor, char const* name) noexcept
    {
        site_key k;
        k.kind = kind;
        k.name = name;
        k.type = &BOOST_CORE_TYPEID(Operation);
        tracked_handler& h = operation;
        h.what_ = &describe_operation<Operation>;
        h.tells_ = calls_what_tells<Operation>;
        h.is_of_strand_ = is_strand(kind);
        create(h, k, &context, object, descriptor);
    }

    // Asio has tried to perform the operation. Not ready yet: the system would have it wait.
    template <class Error>
    static void reactor_operation(
        tracked_handler const& h, char const*, Error const& error, std::size_t = 0) noexcept
    {
        if (h.record_ && !would_wait(error.value()))
            h.record_->enter(operation_step::ready, tick_clock::now());
    }

    // See tracked_completion. What the handler posts, and what other contexts run inside of it, are
    // other handlers.
    static tracked_completion::sight enter() noexcept
    {
        completion_scope* const running = tracking_thread::mine().running;
        if (!running)
            return {};
        tracked_completion::sight s;
        if (running->shown_)
        {
            s.is_shown = running->shown_->now().what != nullptr;
            running->is_entered_ |= s.is_shown;
            return s;
        }
        if (std::exchange(running->is_entered_, true))
            return s;
        if (running->observer_)
            s.began = running->began_;
        operation_site const* const place = running->place_;
        if (running->names_handler_ && place && place->key.file)
            s.where = place->where();
        return s;
    }

    // Of operations for whose records there was no memory.
    static std::uint64_t untracked() noexcept
    {
        return untracked_.load(std::memory_order_relaxed);
    }

private:
    static bool would_wait(int error) noexcept
    {
        return error == EWOULDBLOCK || error == EAGAIN || error == EINPROGRESS || error == EALREADY;
    }

    // The names are Asio's, of both its strands.
    static bool is_strand(char const* kind) noexcept
    {
        return std::string_view(kind).starts_with("strand");
    }

    BOOST_NOINLINE static void create(tracked_handler& h, site_key k, void const* context,
        void const* object, std::uint64_t descriptor) noexcept
    {
        tracking_thread& t = tracking_thread::mine();
        operation_record* const r = operation_store::take(t.lane());
        if (!r) [[unlikely]]
        {
            untracked_.fetch_add(1, std::memory_order_relaxed);
            return;
        }
        locate(k, t);
        operation_record::origin o;
        o.site = &site_table::find(k);
        o.number = handler_numbers::next(t.lane());
        o.parent = t.running ? t.running->number_ : 0;
        o.context = context;
        o.object = object;
        o.descriptor = descriptor;
        o.created = tick_clock::now();
        bool const is_ready = o.site->is_ready_at_once;
        // Perhaps the completion goes on to the handler's own executor, or over a strand. Not if
        // the handler runs already: nothing tells that of a native one, but only a strand goes on
        // then.
        bool const goes_on = !k.file && is_ready && t.running;
        bool const is_running = goes_on
            && (t.running->is_entered_ || (t.running->shown_ && !h.is_of_strand_));
        bool const names_handler = !goes_on || (t.running->names_handler_ && !is_running);
        // Over a strand it is the handler of the operation that has completed. What a handler posts
        // to a context without one would look the same.
        if (goes_on && names_handler && o.site->hides_handler && h.is_of_strand_
            && !t.running->is_of_strand_ && t.running->what_)
        {
            h.what_ = t.running->what_;
            k.type = h.what_(nullptr, task_purpose::describe);
            o.site = &site_table::find(k);
        }
        r->begin(o, is_ready, goes_on ? t.running->place_ : o.site, names_handler);
        h.record_ = r;
    }

    // The innermost location that the program has given. A composed operation gives its own, and
    // goes on in handlers, where that of the program, and what that has begun, is known by the one
    // before.
    static void locate(site_key& k, tracking_thread const& t) noexcept
    {
        for (tracked_location const* p = t.place; p; p = p->outer_)
        {
            if (!p->file_)
                continue;
            if (!is_of_library(p->file_))
            {
                k.file = p->file_;
                k.function = p->function_;
                k.line = static_cast<unsigned>(p->line_);
                return;
            }
            k.add_composed(p->function_);
        }
        operation_site const* const s = t.running ? t.running->place_ : nullptr;
        if (!s || !k.begun() || !s->key.is_step_of(k.begun()))
            return;
        std::copy(std::begin(s->key.composed), std::end(s->key.composed), k.composed);
        k.file = s->key.file;
        k.function = s->key.function;
        k.line = s->key.line;
    }

    static inline std::atomic<std::uint64_t> untracked_{0};
};

} // namespace asio_ewyk::detail

#endif
