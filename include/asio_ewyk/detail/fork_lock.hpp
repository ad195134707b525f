#ifndef ASIO_EWYK_DETAIL_FORK_LOCK_HPP
#define ASIO_EWYK_DETAIL_FORK_LOCK_HPP

#include <asio_ewyk/detail/this_thread.hpp>

#include <new>

namespace asio_ewyk::detail {

// Locks a mutex while the process forks, announced or not: so the child finds it free, and what it
// guards whole. Part of the one object State::shared(), which is never destroyed, and whose `mutex`
// it is.
template <class State>
class fork_lock
{
public:
    // Throws std::bad_alloc.
    fork_lock()
    {
#if defined(ASIO_EWYK_HAS_PTHREAD)
        if (::pthread_atfork(&lock, &unlock, &unlock) != 0)
            throw std::bad_alloc();
#endif
    }

    fork_lock(fork_lock const&) = delete;
    fork_lock& operator=(fork_lock const&) = delete;

private:
    static void lock() noexcept { State::shared().mutex.lock(); }
    static void unlock() noexcept { State::shared().mutex.unlock(); }
};

} // namespace asio_ewyk::detail

#endif
