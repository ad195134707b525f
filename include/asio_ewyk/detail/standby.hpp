#ifndef ASIO_EWYK_DETAIL_STANDBY_HPP
#define ASIO_EWYK_DETAIL_STANDBY_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/deadline.hpp>
#include <asio_ewyk/detail/look_interval.hpp>
#include <asio_ewyk/detail/overrun_history.hpp>
#include <asio_ewyk/detail/parker.hpp>
#include <asio_ewyk/detail/production.hpp>
#include <asio_ewyk/detail/role_clock.hpp>
#include <asio_ewyk/detail/spread.hpp>
#include <asio_ewyk/detail/this_thread.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace asio_ewyk::detail {

// Throws std::invalid_argument.
std::chrono::nanoseconds checked_grace(std::chrono::nanoseconds grace);

// Where a thread stands by while the producer runs its tasks on loan, and how it tells that one of
// them is late: it looks from time to time how long the loan has lasted. One thread at a time, the
// pending one of production.hpp.
//
// There is no fixed rate, see look_interval. Where tasks are late so often that looking costs more
// than handing over, production is handed over before each task instead; and also where one thread
// is not enough, see spread; and before a task that is expected to be late, see overrun_history.
class standby
{
public:
    using duration = std::chrono::nanoseconds;

    // So many times the grace has a task that does not sleep. It computes, and another thread
    // would take the core from it; or others have its core, and it is as fast as it can be.
    static constexpr int computing = 10;

    // So many tasks, and then that long, between two decisions whether lending pays.
    static constexpr std::size_t checked_every = 64;
    static constexpr duration window = std::chrono::milliseconds(10);

    // Tasks that are late more often than once in that time make lending more expensive than
    // handing over.
    static constexpr duration too_often = std::chrono::milliseconds(3);

    // How many looks in a row may find nothing lent.
    static constexpr int patience = 3;

    // `untold`: see overrun_history.
    explicit standby(duration grace, bool learns = false, task::action untold = {}) noexcept;

    // Whether there is a grace; without one nobody stands by.
    bool in_use() const noexcept { return grace_ != duration::zero(); }

    // Any thread, after what is to be seen was changed: has the thread look now.
    void wake() noexcept
    {
        if (present_.load() != 0)
            sleep_.unpark();
    }

    // Any thread: how many stand by.
    std::size_t present() const noexcept { return static_cast<std::size_t>(present_.load()); }

    // Any thread: whether the one that stands by is needed elsewhere. It cannot leave during a
    // loan, so there should be none.
    bool wants_to_leave() const noexcept { return wants_to_leave_.load(std::memory_order_relaxed); }

    // The producer: whether to lend for such a task rather than to hand over.
    bool pays(task::action type) const noexcept { return pays_ && !expects_overrun(type); }

    // The producer: whether what tasks compute is to be measured, which is a system call.
    bool spreads() const noexcept { return spreads_; }

    // The producer, for each task.
    void count() noexcept
    {
        if (++tasks_ % checked_every == 0)
        {
            time_point const now = std::chrono::steady_clock::now();
            if (now - began_window_ >= window)
                decide(now);
        }
    }

    // Any thread: a task was late.
    void count_late() noexcept { late_.fetch_add(1, std::memory_order_relaxed); }

    // Any thread: a task was run on loan.
    void count_loan(task::action type, bool late) noexcept
    {
        if (learns_)
            history_.ran(type, late);
    }

    // Any thread: a task took that long, and so much CPU time, after production was handed over. If
    // another thread has produced meanwhile, handing over was of use; if not, it may have been as
    // short on loan.
    void count_run(task::action type, duration time, duration cpu, bool superseded) noexcept
    {
        ran_.fetch_add(cpu.count(), std::memory_order_relaxed);
        if (expects_overrun(type))
            return history_.was_handed_over(type);
        // Nothing is learned from it: the thread that was woken may have taken the core from it.
        if (time >= (superseded ? grace_ : computing_grace_))
            count_late();
    }

    // The producer, before it lends. Relaxed: the loan that follows makes it visible, and its end
    // tells whether what was read belongs to it.
    void begin_loan() noexcept
    {
        began_.store(std::chrono::steady_clock::now(), std::memory_order_relaxed);
        if (thread_id const id = this_thread_id(); lender_.load(std::memory_order_relaxed) != id)
            lender_.store(id, std::memory_order_relaxed);
        if (may_spread_ && !cpu_.is_mine())
            cpu_.begin();
    }

    // Whose task the last loan is for.
    std::uint32_t lender() const noexcept
    {
        return static_cast<std::uint32_t>(lender_.load(std::memory_order_relaxed));
    }

    // What the thread does next.
    enum class verdict
    {
        look_again, // after wait()
        take_over,  // the loan that it was shown is late
        leave,      // nothing was lent for a while
    };

    // The thread that stands by, for as long as it does.
    class watch
    {
    public:
        explicit watch(standby& at) noexcept
            : at_(at)
        {
            at_.present_.fetch_add(1);
        }

        watch(watch const&) = delete;
        watch& operator=(watch const&) = delete;

        ~watch()
        {
            at_.wants_to_leave_.store(false, std::memory_order_relaxed);
            at_.present_.fetch_sub(1);
        }

        void wants_to_leave() noexcept
        {
            at_.wants_to_leave_.store(true, std::memory_order_relaxed);
        }

        // A look at the word.
        verdict look(production now) noexcept;

        void wait();

    private:
        standby& at_;
        exact_timeouts const exact_;
        int quiet_ = 0;
    };

private:
    bool expects_overrun(task::action type) const noexcept
    {
        return learns_ && history_.expects_overrun(type);
    }

    // A window is over.
    void decide(time_point now) noexcept;

    duration const grace_;
    bool const learns_;
    duration const computing_grace_;
    look_interval interval_; // the thread's that stands by

    bool const may_spread_;

    // The producer's own.
    bool pays_ = true;
    bool spreads_ = false;
    spread spread_;
    std::size_t tasks_ = 0; // in this window
    time_point began_window_{};
    role_clock cpu_;

    // In this window; relaxed, plain sums.
    std::atomic<int> late_{0};
    std::atomic<duration::rep> ran_{0};

    overrun_history history_;

    parker sleep_;

    // Of the last loan.
    std::atomic<time_point> began_{};
    std::atomic<thread_id> lender_{};

    // Sequentially consistent: the thread is here and then looks; whoever changes what it looks at
    // then looks whether it is here. Two for a moment, when one comes as another one leaves.
    std::atomic<int> present_{0};

    // Relaxed: a late value costs time.
    std::atomic<bool> wants_to_leave_{false};
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/impl/standby.ipp>
#endif

#endif
