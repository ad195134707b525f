// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_APPS_ASKED_HPP
#define ASIO_EWYK_TEST_APPS_ASKED_HPP

// What the handlers of each app do, and how it looks from outside. C++17, as the apps' sources are.

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace apps {

/// How long an event may take before it counts as lost. Shared machines stall for seconds.
inline constexpr std::chrono::seconds patience{60};

/** Answers what a client asks, on the thread of the handler.

    `tell` never blocks. `wait` blocks until `tell` was called 20 times since, or release() is
    called. It sleeps and looks again: of a handler on the io_context's own executor that waits for
    a condition the library does not always know that it does, see doc/grace.adoc.

    Objects: safe to use by several threads.
*/
class asked
{
public:
    using function = std::function<void()>;

    /// Calls what blocks by that; before the first question.
    void call_by(std::function<void(function const&)> around) { around_ = std::move(around); }

    std::string answer(std::string const& question)
    {
        if (question == "tell")
        {
            ++told_;
            return "done";
        }
        long const enough = told_ + 20;
        ++waiting_;
        bool in_time = false;
        around_([&] {
            in_time = eventually([&] { return told_ >= enough || released_; });
        });
        return !in_time ? "lost" : told_ >= enough ? "told" : "released";
    }

    /// False if no handler blocks in time.
    bool wait_until_waiting() const
    {
        return eventually([&] { return waiting_ != 0; });
    }

    /// False if they are not told that often in time.
    bool wait_until_told(long times) const
    {
        return eventually([&] { return told_ >= times; });
    }

    void release() { released_ = true; }

private:
    template <class Predicate>
    static bool eventually(Predicate holds)
    {
        auto const end = std::chrono::steady_clock::now() + patience;
        while (!holds())
        {
            if (std::chrono::steady_clock::now() > end)
                return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return true;
    }

    std::function<void(function const&)> around_ = [](function const& blocks) { blocks(); };
    std::atomic<long> told_{0};
    std::atomic<int> waiting_{0};
    std::atomic<bool> released_{false};
};

} // namespace apps

#endif
