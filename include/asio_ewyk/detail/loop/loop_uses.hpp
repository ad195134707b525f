// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_LOOP_USES_HPP
#define ASIO_EWYK_DETAIL_LOOP_LOOP_USES_HPP

#include <asio_ewyk/detail/os/home_process.hpp>

#include <boost/config.hpp>

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

// Who else may use a loop, or what lives in it. Its destructor waits for them. Shared, as the last
// of them may destroy the loop, and says afterwards that it is done. Any thread.
class BOOST_SYMBOL_VISIBLE loop_uses
{
public:
    // Counts as a use until it is destroyed; moved-from, as none.
    class one
    {
    public:
        explicit one(std::shared_ptr<loop_uses> of)
            : of_(std::move(of))
        {
            std::lock_guard const lock(of_->mutex_);
            ++of_->count_;
        }

        one(one&&) noexcept = default;
        one& operator=(one&&) = delete;

        ~one()
        {
            if (!of_)
                return;
            std::lock_guard const lock(of_->mutex_);
            --of_->count_;
            of_->changed_.notify_all();
        }

    private:
        friend loop_uses;
        std::shared_ptr<loop_uses> of_;
    };

    // Meanwhile this thread does not await() those, as they are its own.
    class mine
    {
    public:
        explicit mine(std::vector<one> const& all) noexcept
            : before_(std::exchange(of_this_thread_, &all))
        {
        }

        ~mine() { of_this_thread_ = before_; }

        mine(mine const&) = delete;
        mine& operator=(mine const&) = delete;

    private:
        std::vector<one> const* const before_;
    };

    // Until there is none but those of this thread.
    void await()
    {
        std::size_t own = 0;
        if (of_this_thread_)
            for (one const& use : *of_this_thread_)
                own += use.of_.get() == this;
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return count_ == own; });
    }

    // In the child of a fork, which has no other thread.
    void forget_others() noexcept
    {
        make_anew(mutex_);
        make_anew(changed_);
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t count_ = 0; // guarded by mutex_

    static inline thread_local std::vector<one> const* of_this_thread_ = nullptr;
};

} // namespace asio_ewyk::detail

#endif
