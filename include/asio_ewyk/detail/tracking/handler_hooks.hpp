// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TRACKING_HANDLER_HOOKS_HPP
#define ASIO_EWYK_DETAIL_TRACKING_HANDLER_HOOKS_HPP

#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/os/tick_clock.hpp>
#include <asio_ewyk/detail/tracking/operation_record.hpp>
#include <asio_ewyk/detail/tracking/operation_site.hpp>
#include <asio_ewyk/detail/tracking/tracking_thread.hpp>

#include <boost/config.hpp>
#include <boost/core/typeinfo.hpp>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace boost::asio {

class execution_context;

} // namespace boost::asio

namespace asio_ewyk::detail {

// What Asio calls, by the macros of tracking.hpp. Nothing throws, waits or locks: handlers are
// created and destroyed anywhere, also in the child of a fork and while the program ends.

// While it lives, the thread is at a location in the source: a place that the program gives, or one
// of Asio's own composed operations.
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
};

// While it lives, Asio takes the handler out of its operation, and calls it unless it only destroys
// it. The record is this one's then.
class completion_scope
{
public:
    explicit completion_scope(tracked_handler const& h) noexcept
        : record_(std::exchange(h.record_, nullptr))
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

    // The handler has thrown, or was not called.
    ~completion_scope()
    {
        if (record_)
            end();
        thread_.running = outer_;
    }

    template <class... Arguments>
    void invocation_begin(Arguments const&...) noexcept
    {
        if (record_)
            begin();
    }

    void invocation_end() noexcept
    {
        if (record_)
            end();
    }

private:
    friend class handler_hooks;
    friend class tracked_handler;

    void begin() noexcept;
    void end() noexcept;
    static void destroy(operation_record& r, unsigned lane) noexcept;

    operation_record* record_;
    operation_site const* place_ = nullptr; // as in operation_record, as is the next
    bool names_handler_ = false;
    bool is_entered_ = false; // an executor of this library has begun to run the handler
    std::uint64_t number_ = 0;
    tick_clock::ticks waited_ = -1; // -1: that is not known
    tracking_thread& thread_;
    completion_scope* const outer_;
};

// Not negative: the CPUs' counters may differ by some ticks.
inline tick_clock::ticks time_between(tick_clock::ticks begin, tick_clock::ticks end) noexcept
{
    return end > begin ? end - begin : 0;
}

BOOST_NOINLINE inline void completion_scope::begin() noexcept
{
    tick_clock::ticks const now = tick_clock::now();
    bool const was_ready = record_->step() == operation_step::ready;
    tick_clock::ticks const since = record_->enter(operation_step::running, now);
    if (was_ready)
        waited_ = time_between(since, now);
}

BOOST_NOINLINE inline void completion_scope::end() noexcept
{
    operation_record& r = *std::exchange(record_, nullptr);
    if (r.step() != operation_step::running)
        return destroy(r, thread_.lane());
    site_totals t;
    t.handlers = 1;
    t.ran = static_cast<std::uint64_t>(time_between(r.since(), tick_clock::now()));
    t.longest_run = t.ran;
    if (waited_ >= 0)
    {
        t.waits = 1;
        t.waited = static_cast<std::uint64_t>(waited_);
        t.longest_wait = t.waited;
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
        create(operation, k, &context, object, descriptor);
    }

    // Asio has tried to perform the operation. Not ready yet: the system would have it wait.
    template <class Error>
    static void reactor_operation(
        tracked_handler const& h, char const*, Error const& error, std::size_t = 0) noexcept
    {
        if (h.record_ && !would_wait(error.value()))
            h.record_->enter(operation_step::ready, tick_clock::now());
    }

    // For operation_place, whose caller is about to run the handler. What that runs inside of
    // itself, and what it posts, are other handlers.
    static thread_activity::place place() noexcept
    {
        completion_scope* const running = tracking_thread::mine().running;
        if (!running || std::exchange(running->is_entered_, true) || !running->names_handler_)
            return {};
        operation_site const* const s = running->place_;
        if (!s || !s->key.file)
            return {};
        return {s->key.file, s->key.composed ? s->key.composed : s->key.name, s->key.line};
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
        // the handler runs already.
        bool const goes_on = !k.file && is_ready && t.running;
        r->begin(o, is_ready, goes_on ? t.running->place_ : o.site,
            !goes_on || (t.running->names_handler_ && !t.running->is_entered_));
        h.record_ = r;
    }

    // The innermost location that the program has given. A composed operation of Asio gives its
    // own, and goes on in handlers, where that of the program is known by the one before.
    static void locate(site_key& k, tracking_thread const& t) noexcept
    {
        for (tracked_location const* p = t.place; p; p = p->outer_)
        {
            if (!p->file_)
                continue;
            if (!is_of_asio(p->file_))
            {
                k.file = p->file_;
                k.function = p->function_;
                k.line = static_cast<unsigned>(p->line_);
                return;
            }
            if (!k.composed)
                k.composed = p->function_;
        }
        if (operation_site const* const s = t.running ? t.running->place_ : nullptr;
            s && k.composed && s->key.composed == k.composed)
        {
            k.file = s->key.file;
            k.function = s->key.function;
            k.line = s->key.line;
        }
    }

    static inline std::atomic<std::uint64_t> untracked_{0};
};

} // namespace asio_ewyk::detail

#endif
