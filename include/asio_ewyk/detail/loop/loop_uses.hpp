// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_LOOP_USES_HPP
#define ASIO_EWYK_DETAIL_LOOP_LOOP_USES_HPP

#include <boost/config.hpp>

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace asio_ewyk::detail {

// Who else may use a loop, or what lives in it. Its destructor waits for them. Shared, as the last
// of them may destroy the loop, and says afterwards that it is done. Any thread.
class BOOST_SYMBOL_VISIBLE loop_uses
{
public:
    // One use, until it is destroyed. Moved-from: none.
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

    // While this thread has that use, await() does not wait for it here.
    class mine
    {
    public:
        explicit mine(one const& use) noexcept { of_this_thread_ = use.of_.get(); }
        ~mine() { of_this_thread_ = nullptr; }

        mine(mine const&) = delete;
        mine& operator=(mine const&) = delete;
    };

    // Until there is none but that of this thread.
    void await()
    {
        std::unique_lock lock(mutex_);
        std::size_t const own = of_this_thread_ == this;
        changed_.wait(lock, [&] { return count_ == own; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t count_ = 0; // guarded by mutex_

    static inline thread_local loop_uses const* of_this_thread_ = nullptr;
};

} // namespace asio_ewyk::detail

#endif
