#ifndef ASIO_EWYK_DETAIL_THIS_THREAD_HPP
#define ASIO_EWYK_DETAIL_THIS_THREAD_HPP

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#endif

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#define ASIO_EWYK_HAS_PTHREAD 1
#endif

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// Names this thread `<name>-<number>`.
inline void name_this_thread(std::string name, std::size_t number) noexcept
{
#if defined(__linux__)
    constexpr std::size_t longest = 15;
    std::string tail = std::to_string(number);
    tail.insert(tail.begin(), '-');
    if (name.size() + tail.size() > longest)
        name.resize(longest - std::min(longest, tail.size()));
    name += tail;
    name.resize(std::min(longest, name.size()));
    ::pthread_setname_np(::pthread_self(), name.c_str());
#else
    (void)name;
    (void)number;
#endif
}

// As the system has it; empty if it has none.
inline std::string name_of_this_thread()
{
    char name[16] = "";
#if defined(__linux__)
    if (::pthread_getname_np(::pthread_self(), name, sizeof name) != 0)
        name[0] = '\0';
#endif
    return name;
}

using process_id = int;

// The child of a fork has another one than its parent.
inline process_id this_process_id() noexcept
{
#if defined(ASIO_EWYK_HAS_PTHREAD)
    return ::getpid();
#else
    return 0;
#endif
}

// Names a thread of this process to sleeps().
using thread_id = int;

#if defined(__linux__)

// While it lives, this thread's timeouts end within a microsecond instead of Linux's 50.
class exact_timeouts
{
public:
    exact_timeouts() noexcept
        : before_(::prctl(PR_GET_TIMERSLACK))
    {
        ::prctl(PR_SET_TIMERSLACK, 1000ul);
    }

    ~exact_timeouts()
    {
        if (before_ > 0)
            ::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(before_));
    }

    exact_timeouts(exact_timeouts const&) = delete;
    exact_timeouts& operator=(exact_timeouts const&) = delete;

private:
    int before_;
};

// As the system has it; after a fork it is another one.
inline thread_id current_thread_id() noexcept
{
    return static_cast<thread_id>(::syscall(SYS_gettid));
}

// This thread's, without a system call each time.
class own_thread_id
{
public:
    static thread_id get() noexcept
    {
        if (mine_ == unknown) [[unlikely]]
            learn();
        return mine_ != unknown ? mine_ : current_thread_id();
    }

private:
    static constexpr thread_id unknown = 0;

    // Kept only where the child of a fork, announced or not, is sure to forget it.
    static void learn() noexcept
    {
        // Not a static constant: a fork in between would leave its guard locked in the child. Twice
        // does no harm.
        static std::atomic<bool> registered{false};
        if (!registered.load())
            registered.store(::pthread_atfork(nullptr, nullptr, [] { mine_ = unknown; }) == 0);
        if (registered.load())
            mine_ = current_thread_id();
    }

    static inline thread_local thread_id mine_ = unknown;
};

inline thread_id this_thread_id() noexcept
{
    return own_thread_id::get();
}

// As the system has it; empty if it does not tell.
inline std::string thread_name(thread_id thread)
{
    char text[64];
    std::snprintf(text, sizeof text, "/proc/self/task/%d/comm", thread);
    int const file = ::open(text, O_RDONLY | O_CLOEXEC);
    ssize_t const size = file < 0 ? 0 : ::read(file, text, sizeof text);
    if (file >= 0)
        ::close(file);
    std::string name(text, size > 0 ? static_cast<std::size_t>(size) : 0);
    if (name.ends_with('\n'))
        name.pop_back();
    return name;
}

// Whether that thread waits for something. A thread of which the system tells nothing does, too.
inline bool sleeps(thread_id thread) noexcept
{
    char text[256];
    int const error = errno;
    std::snprintf(text, sizeof text, "/proc/self/task/%d/stat", thread);
    int const file = ::open(text, O_RDONLY | O_CLOEXEC);
    ssize_t const size = file < 0 ? 0 : ::read(file, text, sizeof text - 1);
    if (file >= 0)
        ::close(file);
    errno = error;
    // "<id> (<name>) <state> ...", where the name may contain anything.
    text[size > 0 ? size : 0] = '\0';
    char const* const end = std::strrchr(text, ')');
    return end == nullptr || end[1] == '\0' || end[2] != 'R';
}

#else

class exact_timeouts
{
public:
    exact_timeouts() noexcept {}
    ~exact_timeouts() {}
    exact_timeouts(exact_timeouts const&) = delete;
    exact_timeouts& operator=(exact_timeouts const&) = delete;
};

inline thread_id current_thread_id() noexcept
{
    return 0;
}

inline thread_id this_thread_id() noexcept
{
    return 0;
}

inline std::string thread_name(thread_id)
{
    return {};
}

inline bool sleeps(thread_id) noexcept
{
    return true;
}

#endif

// While it lives, threads that this thread starts begin with every signal blocked, so that the
// program's handlers run on the program's own threads.
class block_signals
{
public:
#if defined(ASIO_EWYK_HAS_PTHREAD)
    block_signals() noexcept
    {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }

    ~block_signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_;
#else
    block_signals() noexcept {}
    ~block_signals() {}
#endif

public:
    block_signals(block_signals const&) = delete;
    block_signals& operator=(block_signals const&) = delete;
};

// Calls f with a thread-local cache for Asio's allocations on the stack. Asio recycles the memory
// of handlers only on threads that are inside some run(), and our tasks run outside of it.
template <class F>
void with_recycled_memory(F f)
{
    constexpr int one_thread = 1;
    asio::io_context cache(one_thread);
    asio::post(cache, std::move(f));
    cache.run();
}

} // namespace asio_ewyk::detail

#endif
