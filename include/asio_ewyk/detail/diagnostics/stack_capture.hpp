// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_STACK_CAPTURE_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_STACK_CAPTURE_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/os/signals.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#if defined(ASIO_EWYK_DETAIL_CAPTURES_STACKS)
#include <boost/config.hpp>
#include <boost/core/demangle.hpp>

#include <execinfo.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#endif

namespace asio_ewyk::detail {

#if defined(ASIO_EWYK_DETAIL_CAPTURES_STACKS)

// Has another thread write down its own stack, by a signal: no other thread can read it.
//
// Only one thread is asked at a time. The thread may answer late, or never; so its buffer is never
// freed, the signal's handler stays installed (the default action would end the program), and the
// first thread that answers claims the question.
class BOOST_SYMBOL_VISIBLE stack_capture
{
public:
    // Warms up what the handler uses: the first call loads a library.
    ASIO_EWYK_COLD static void install(int signal)
    {
        if (signal == 0)
            return;
        void* frame = nullptr;
        ::backtrace(&frame, 1);
        struct sigaction action{};
        action.sa_sigaction = &answer;
        action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
        ::sigfillset(&action.sa_mask);
        ::sigaction(signal, &action, nullptr);
    }

    // At that change of the thread's record; empty if it has changed since, or does not answer.
    ASIO_EWYK_COLD static std::vector<std::string> of(
        thread_activity const& a, std::uint64_t changes, int signal)
    {
        std::lock_guard const lock(one_);
        thread_id const thread = a.thread();
        // Acquire: a late answer to the last question is over, or will find this claimed.
        if (busy_.load(std::memory_order_acquire) || is_held_up(thread, signal))
            return {};
        about_ = &a;
        changes_ = changes;
        thread_.store(thread, std::memory_order_relaxed);
        done_.store(false, std::memory_order_relaxed);
        asked_.store(true, std::memory_order_release);
        if (::syscall(SYS_tgkill, ::getpid(), thread, signal) != 0)
        {
            asked_.store(false);
            return {};
        }
        for (int i = 0; i != patience && !done_.load(std::memory_order_acquire); ++i)
            ::usleep(100);
        if (!done_.load(std::memory_order_acquire))
        {
            asked_.store(false);
            return {};
        }
        return symbols();
    }

    // In the child of a fork, where neither the thread that asked nor the one that was to answer
    // exists.
    static void forget_others() noexcept
    {
        ::new (&one_) std::mutex; // the old one may be locked for ever
        asked_.store(false);
        busy_.store(false);
    }

private:
    static constexpr int deepest = 64;
    static constexpr int patience = 500; // times 100 us
    static constexpr int own = 2;        // frames of the handler, and of the call of it

    // Whether the thread blocks the signal, or has not answered the last one. Another one would be
    // queued: it is a real-time signal.
    static bool is_held_up(thread_id thread, int signal) noexcept
    {
        char text[4096];
        read_of_thread(thread, "status", text, sizeof text);
        auto const has = [&](char const* set) {
            char const* const found = std::strstr(text, set);
            return found
                && (std::strtoull(found + std::strlen(set), nullptr, 16) >> (signal - 1) & 1) != 0;
        };
        return has("\nSigPnd:") || has("\nSigBlk:");
    }

    static void answer(int, siginfo_t*, void*) noexcept
    {
        int const error = errno;
        busy_.store(true, std::memory_order_relaxed);
        if (thread_.load() == current_thread_id() && asked_.exchange(false))
        {
            depth_ = about_->changes() == changes_ ? ::backtrace(frames_, deepest) : 0;
            done_.store(true, std::memory_order_release);
        }
        busy_.store(false, std::memory_order_release);
        errno = error;
    }

    // "<module>(<symbol>+<offset>) [<address>]", where the symbol may be missing.
    ASIO_EWYK_COLD static std::vector<std::string> symbols()
    {
        std::unique_ptr<char*, void (*)(void*)> const texts(
            ::backtrace_symbols(frames_, depth_), &std::free);
        if (!texts || depth_ <= own)
            return {};
        std::vector<std::string> lines(static_cast<std::size_t>(depth_ - own));
        for (std::size_t i = 0; i != lines.size(); ++i)
        {
            std::string_view const text = texts.get()[i + own];
            auto const begin = text.find('(') + 1;
            auto const end = text.find('+', begin);
            if (begin != 0 && end != text.npos && end > begin)
            {
                std::string const symbol(text.substr(begin, end - begin));
                boost::core::scoped_demangled_name const name(symbol.c_str());
                lines[i].append(text.substr(0, begin));
                lines[i].append(name.get() ? name.get() : symbol.c_str());
                lines[i].append(text.substr(end));
            }
            else
                lines[i].append(text);
        }
        return lines;
    }

    static inline std::mutex one_; // held by the thread that asks

    // The thread that asks writes the members down to done_, then sets asked_. The thread that
    // clears asked_ writes the frames, and then done_.
    static inline std::atomic<bool> asked_{false};
    static inline thread_activity const* about_ = nullptr;
    static inline std::uint64_t changes_ = 0;
    static inline std::atomic<thread_id> thread_{};
    static inline std::atomic<bool> done_{false};
    static inline std::atomic<bool> busy_{false};
    static inline void* frames_[deepest];
    static inline int depth_ = 0;
};

#else

class stack_capture
{
public:
    static void install(int) noexcept {}
    static std::vector<std::string> of(thread_activity const&, std::uint64_t, int) { return {}; }
    static void forget_others() noexcept {}
};

#endif

} // namespace asio_ewyk::detail

#endif
