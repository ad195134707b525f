#ifndef ASIO_EWYK_DETAIL_TRACE_LOG_HPP
#define ASIO_EWYK_DETAIL_TRACE_LOG_HPP

#include <asio_ewyk/detail/fork_lock.hpp>
#include <asio_ewyk/detail/trace_clock.hpp>
#include <asio_ewyk/detail/trace_ring.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

// The trace of this process: the rings of all threads that have recorded something since start().
//
// A ring belongs to the log and to its thread, so each may be gone first. A thread that was about
// to record something when another trace began writes it into its ring of the last one.
class trace_log
{
public:
    using rings = std::vector<std::shared_ptr<trace_ring>>;

    // Relaxed: whoever sees it late records a little less, or looks again in record().
    static bool recording() noexcept { return session_.load(std::memory_order_relaxed) != 0; }

    static void start(std::size_t events_per_thread, bool cycles)
    {
        state& s = state::shared();
        rings before;
        std::lock_guard const lock(s.mutex);
        before.swap(s.all);
        s.capacity = events_per_thread;
        s.without_ring = 0;
        s.clock = trace_clock(cycles);
        if (++s.sessions == 0)
            ++s.sessions;
        // Release: see record().
        session_.store(s.sessions, std::memory_order_release);
    }

    static void stop() noexcept { session_.store(0); }

    struct content
    {
        rings all;
        trace_clock clock;
        std::size_t without_ring; // threads
    };
    static content now()
    {
        state& s = state::shared();
        std::lock_guard const lock(s.mutex);
        return {s.all, s.clock, s.without_ring};
    }

    // Not inlined: it is seldom called, and after a stackful coroutine has gone to another thread
    // its caller would take the thread for the same.
    BOOST_NOINLINE static void record(
        trace_event e, void const* subject, task_action what, std::uint32_t detail) noexcept
    {
        // Acquire: who sees the session sees what start() has prepared for it.
        std::uint32_t const session = session_.load(std::memory_order_acquire);
        if (mine_.session != session && !claim(session)) [[unlikely]]
            return;
        if (trace_ring* const ring = mine_.ring)
            ring->push({trace_clock::now(ring->cycles()), subject, what, detail, e});
    }

private:
    struct state
    {
        std::mutex mutex;
        rings all;                    // guarded by mutex, as are all
        std::size_t capacity = 0;
        std::size_t without_ring = 0;
        std::uint32_t sessions = 0;
        trace_clock clock;
        fork_lock<state> forks;

        // Never destroyed: threads may record something until the process is gone.
        static state& shared()
        {
            static state& s = *new state;
            return s;
        }
    };

    struct place
    {
        trace_ring* ring;      // null: there was no memory for one
        std::uint32_t session; // which it belongs to
        bool ended;            // what keeps the ring is gone
    };

    struct keeper
    {
        std::shared_ptr<trace_ring> ring;

        keeper() = default;
        keeper(keeper const&) = delete;
        keeper& operator=(keeper const&) = delete;
        ~keeper() { mine_ = {nullptr, 0, true}; }
    };

    // This thread's first event of a session. False if that is over.
    BOOST_NOINLINE static bool claim(std::uint32_t session) noexcept
    {
        if (session == 0 || mine_.ended)
            return false;
        thread_local keeper kept;
        std::shared_ptr<trace_ring> before;
        state& s = state::shared();
        std::lock_guard const lock(s.mutex);
        if (s.sessions != session)
            return false;
        try
        {
            auto ring = std::make_shared<trace_ring>(s.capacity, s.clock.cycles());
            s.all.push_back(ring);
            before = std::exchange(kept.ring, std::move(ring));
            mine_ = {kept.ring.get(), session, false};
        }
        catch (...)
        {
            ++s.without_ring;
            mine_ = {nullptr, session, false};
        }
        return true;
    }

    static inline thread_local place mine_{nullptr, 0, false};

    // 0: nothing is recorded. Written under mutex, or set to 0 by anybody.
    static inline std::atomic<std::uint32_t> session_{0};
};

} // namespace asio_ewyk::detail

#endif
