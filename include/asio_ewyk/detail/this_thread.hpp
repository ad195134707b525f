#ifndef ASIO_EWYK_DETAIL_THIS_THREAD_HPP
#define ASIO_EWYK_DETAIL_THIS_THREAD_HPP

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <string>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#include <signal.h>
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
        name.resize(longest - tail.size());
    name += tail;
    ::pthread_setname_np(::pthread_self(), name.c_str());
#else
    (void)name;
    (void)number;
#endif
}

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
