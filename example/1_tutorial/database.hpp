// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// In place of a database, for the tutorial's steps.

#ifndef ASIO_EWYK_EXAMPLE_1_TUTORIAL_DATABASE_HPP
#define ASIO_EWYK_EXAMPLE_1_TUTORIAL_DATABASE_HPP

#include <condition_variable>
#include <mutex>
#include <string>

/** Knows what an article costs: a cent for each letter. A query blocks its thread until the client
    of the same program calls answer(). So what a step prints does not depend on the time.

    @par Thread Safety
    Safe.
*/
class database
{
public:
    /// Blocks until answer() was called.
    int price(std::string const& article)
    {
        std::unique_lock lock(mutex_);
        ++queries_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return answers_; });
        return static_cast<int>(article.size());
    }

    /// Waits until so many queries have begun.
    void wait_for(int queries)
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return queries_ >= queries; });
    }

    /// Answers all queries from now on, and those that wait.
    void answer()
    {
        std::lock_guard const lock(mutex_);
        answers_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int queries_ = 0;      // guarded by mutex_
    bool answers_ = false; // guarded by mutex_
};

#endif
