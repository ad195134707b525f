#ifndef ASIO_EWYK_DETAIL_OS_FORK_SAFE_HPP
#define ASIO_EWYK_DETAIL_OS_FORK_SAFE_HPP

#include <asio_ewyk/detail/os/this_thread.hpp>

#include <atomic>
#include <memory>
#include <new>
#include <thread>

namespace asio_ewyk::detail {

// The only object of a class, made when it is first asked for and never destroyed. Its `mutex` is
// locked while the process forks, announced or not: so the child finds it free, and what it guards
// whole; and then, still under the mutex, the child calls `in_child()`.
//
// Not a static variable: a fork while another thread makes that leaves its guard locked in the
// child. So two threads may make it at the same time, of which one is kept, and may register what a
// fork is to do twice, which does that once.
template <class State>
class fork_safe
{
public:
    // Throws std::bad_alloc.
    static State& get()
    {
        State* s = one_.load();
        if (!s)
        {
            auto made = std::make_unique<State>();
            if (one_.compare_exchange_strong(s, made.get()))
                s = made.release();
        }
        if (!registered_.load()) [[unlikely]]
            register_forks();
        return *s;
    }

    // Any thread, any number of times. Throws std::bad_alloc.
    static void register_forks()
    {
#if defined(ASIO_EWYK_HAS_PTHREAD)
        if (::pthread_atfork(&lock, &unlock, &unlock_in_child) != 0)
            throw std::bad_alloc();
#endif
        registered_.store(true);
    }

private:
    static bool holds() noexcept { return holder_.load() == std::this_thread::get_id(); }

    static void lock() noexcept
    {
        if (holds())
            return;
        one_.load()->mutex.lock();
        holder_.store(std::this_thread::get_id());
    }

    static void unlock() noexcept
    {
        if (!holds())
            return;
        holder_.store({});
        one_.load()->mutex.unlock();
    }

    static void unlock_in_child() noexcept
    {
        if (holds())
            one_.load()->in_child();
        unlock();
    }

    static inline std::atomic<State*> one_{nullptr};
    static inline std::atomic<bool> registered_{false};
    static inline std::atomic<std::thread::id> holder_{}; // of the mutex, for a fork
};

} // namespace asio_ewyk::detail

#endif
