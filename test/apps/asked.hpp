#ifndef ASIO_EWYK_TEST_APPS_ASKED_HPP
#define ASIO_EWYK_TEST_APPS_ASKED_HPP

// What the handlers of each app do, and how it looks from outside. C++17, as the apps' sources are.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

namespace apps {

/// How long an event may take before it counts as lost. Shared machines stall for seconds.
inline constexpr std::chrono::seconds patience{60};

/** Answers what a client asks, on the thread of the handler.

    `tell` never blocks. `wait` blocks until somebody has told; `wait_for_20`, until 20 more have.
    Either gives up when release() is called. Objects: safe to use by several threads.
*/
class asked
{
public:
    std::string answer(std::string const& question)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        if (question == "tell")
        {
            ++told_;
            changed_.notify_all();
            return "done";
        }
        ++waiting_;
        changed_.notify_all();
        long const enough = question == "wait" ? 1 : told_ + 20;
        bool const in_time = changed_.wait_for(
            lock, patience, [&] { return told_ >= enough || released_; });
        return !in_time ? "lost" : told_ >= enough ? "told" : "released";
    }

    /// False if the handlers that block do not become that many in time.
    bool wait_until_waiting(int handlers)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        return changed_.wait_for(lock, patience, [&] { return waiting_ >= handlers; });
    }

    void release()
    {
        std::lock_guard<std::mutex> const lock(mutex_);
        released_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    long told_ = 0;         // these are guarded by mutex_
    int waiting_ = 0;
    bool released_ = false;
};

} // namespace apps

#endif
