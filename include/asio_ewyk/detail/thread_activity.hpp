#ifndef ASIO_EWYK_DETAIL_THREAD_ACTIVITY_HPP
#define ASIO_EWYK_DETAIL_THREAD_ACTIVITY_HPP

#include <asio_ewyk/detail/task_action.hpp>
#include <asio_ewyk/detail/this_thread.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

namespace asio_ewyk::detail {

// What a thread does, for others to look at: one record for each thread that runs handlers.
//
// Records are never freed: those of threads that have ended serve new ones. So the list of them can
// be read without a lock at any time; by a signal handler too, or in the child of a fork.
//
// A record is written by its own thread alone, with plain stores, which others see a moment late.
// Whoever looks reads changes(), then the rest, and later changes() again: if that is the same, it
// was the same all the time.
class thread_activity
{
public:
    // What runs: a handler of that type, for that engine, loop or pool. Null: nothing, nobody.
    struct state
    {
        task_action what = nullptr;
        void const* owner = nullptr;
    };

    thread_activity(thread_activity const&) = delete;
    thread_activity& operator=(thread_activity const&) = delete;

    // This thread's. If there was no memory for one, one that all such threads share.
    static thread_activity& mine() noexcept
    {
        if (!mine_) [[unlikely]]
            claim();
        return *mine_;
    }

    // Calls f with the record of each thread that has one.
    template <class F>
    static void for_each(F f)
    {
        for (thread_activity* a = all_.load(std::memory_order_acquire); a; a = a->next_)
            if (a->used_.load(std::memory_order_acquire))
                f(std::as_const(*a));
    }

    // In the child of a fork, where the other threads do not exist.
    static void forget_others() noexcept
    {
        for (thread_activity* a = all_.load(std::memory_order_acquire); a; a = a->next_)
            if (a != mine_)
                a->vacate();
    }

    // Any thread.
    std::uint64_t changes() const noexcept { return changes_.load(std::memory_order_acquire); }
    thread_id thread() const noexcept { return thread_.load(std::memory_order_relaxed); }
    state now() const noexcept
    {
        return {what_.load(std::memory_order_relaxed), owner_.load(std::memory_order_relaxed)};
    }

    // The record's thread. Both return what was before, to be put back.
    task_action begin(task_action what) noexcept
    {
        task_action const outer = what_.load(std::memory_order_relaxed);
        what_.store(what, std::memory_order_relaxed);
        change();
        return outer;
    }

    void const* serve(void const* owner) noexcept
    {
        void const* const outer = owner_.load(std::memory_order_relaxed);
        owner_.store(owner, std::memory_order_relaxed);
        change();
        return outer;
    }

private:
    struct at_thread_end
    {
        ~at_thread_end()
        {
            if (mine_ != &shared_)
                mine_->vacate();
            mine_ = &shared_; // for what the destructors of other thread-local objects run
        }
    };

    thread_activity() noexcept = default;

    // Not inlined: the thread-local object has a destructor, which few calls should pay for.
    BOOST_NOINLINE static void claim() noexcept
    {
        mine_ = unused();
        if (!mine_)
            mine_ = add();
        if (!mine_)
        {
            mine_ = &shared_;
            return;
        }
        mine_->thread_.store(this_thread_id(), std::memory_order_relaxed);
        thread_local at_thread_end const end;
        static_cast<void>(end);
    }

    static thread_activity* unused() noexcept
    {
        for (thread_activity* a = all_.load(std::memory_order_acquire); a; a = a->next_)
            if (!a->used_.load(std::memory_order_relaxed) && !a->used_.exchange(true))
                return a;
        return nullptr;
    }

    static thread_activity* add() noexcept
    {
        auto* const a = new (std::nothrow) thread_activity;
        if (!a)
            return nullptr;
        a->used_.store(true, std::memory_order_relaxed);
        a->next_ = all_.load(std::memory_order_relaxed);
        // Release: whoever finds the record finds it made.
        while (!all_.compare_exchange_weak(a->next_, a, std::memory_order_release))
            ;
        return a;
    }

    void vacate() noexcept
    {
        what_.store(nullptr, std::memory_order_relaxed);
        owner_.store(nullptr, std::memory_order_relaxed);
        change();
        used_.store(false, std::memory_order_release);
    }

    // Release: whoever reads the number sees what it counts.
    void change() noexcept
    {
        changes_.store(
            changes_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }

    static thread_activity shared_;

    static inline thread_local thread_activity* mine_ = nullptr;
    static inline std::atomic<thread_activity*> all_{nullptr};

    alignas(64) std::atomic<std::uint64_t> changes_{0};
    std::atomic<task_action> what_{nullptr};
    std::atomic<void const*> owner_{nullptr};
    std::atomic<thread_id> thread_{};
    std::atomic<bool> used_{false}; // by a thread; whoever sets it owns the record
    thread_activity* next_ = nullptr; // not changed once it is in the list
};

inline thread_activity thread_activity::shared_;

// While it lives, this thread runs a handler of that type.
class handler_scope
{
public:
    explicit handler_scope(task_action what) noexcept
        : activity_(thread_activity::mine())
        , outer_(activity_.begin(what))
    {
    }

    handler_scope(handler_scope const&) = delete;
    handler_scope& operator=(handler_scope const&) = delete;

    ~handler_scope() { activity_.begin(outer_); }

private:
    // Kept, since a handler that is a stackful coroutine must not look it up twice: see call_frame.
    thread_activity& activity_;
    task_action const outer_;
};

} // namespace asio_ewyk::detail

#endif
