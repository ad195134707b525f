#ifndef ASIO_EWYK_DETAIL_OS_WATCHDOG_HPP
#define ASIO_EWYK_DETAIL_OS_WATCHDOG_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/parker.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <mutex>
#include <thread>

namespace asio_ewyk::detail {

// A thread of normal priority, one for the process, that looks after what asks for it. It sleeps
// until the first of the looks that are due; without one it sleeps until it is woken, and it ends
// with the last of those it looks after. (Go calls its own sysmon.)
//
// Never destroyed: contexts may outlive every static object.
class BOOST_SYMBOL_VISIBLE watchdog
{
public:
    class client
    {
    public:
        // By the watchdog's thread. Returns when the next look is due; forever: after wake().
        virtual time_point look(time_point now) noexcept = 0;

    protected:
        ~client() = default;

    private:
        friend watchdog;
        std::atomic<bool> woken_{false};
        time_point due_ = forever; // guarded by mutex_
        client* next_ = nullptr;   // guarded by mutex_
    };

    // Throws std::bad_alloc.
    static watchdog& instance();

    watchdog(watchdog const&) = delete;
    watchdog& operator=(watchdog const&) = delete;

    // Starts no thread: wake() does.
    void add(client& c) noexcept;

    // Waits for a look that is under way. Not from a look.
    void remove(client& c) noexcept;

    // Any thread: has that client looked after soon. Takes no lock where there is a thread already:
    // a thread of idle priority may call it, which must not start one.
    void wake(client& c, bool may_start = true) noexcept;

    // Likewise, for a thread that may hold what a fork waits for that is under way. False if there
    // is no thread: the system refuses one, or the lock is taken. Then nothing will look.
    bool try_wake(client& c) noexcept;

    // Whether it has a thread.
    bool running() const noexcept { return running_.load(); }

private:
    watchdog();

    bool start() noexcept;
    void work() noexcept;
    static void fork_prepare() noexcept;
    static void fork_parent() noexcept;
    static void fork_child() noexcept;

    // Held while the thread is started or ends, so that two never share sleep_. Before mutex_.
    std::mutex life_mutex_;
    std::thread thread_; // guarded by life_mutex_

    // Held while it looks, which takes microseconds.
    std::mutex mutex_;
    client* clients_ = nullptr; // guarded by mutex_

    parker sleep_;

    // Written under life_mutex_. Sequentially consistent, though late values cost a look only.
    std::atomic<bool> running_{false};
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/os/watchdog.ipp>
#endif

#endif
