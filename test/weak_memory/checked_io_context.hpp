// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Stands for asio::io_context: a queue of handlers with a lock and a condition. A handler's memory
// is its allocator's, and is given back before the handler is called, as Asio does it.

#ifndef ASIO_EWYK_TEST_WEAK_MEMORY_CHECKED_IO_CONTEXT_HPP
#define ASIO_EWYK_TEST_WEAK_MEMORY_CHECKED_IO_CONTEXT_HPP

#include "checked_std.hpp"

#include <boost/asio/execution/allocator.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/require.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

namespace boost::asio {

class checked_io_context
{
public:
    // With blocking.never: to the queue, in memory of that allocator.
    template <class Allocator>
    struct posting_executor
    {
        checked_io_context* context;
        Allocator allocator;

        template <class Other>
        posting_executor<Other> require(execution::allocator_t<Other> a) const noexcept
        {
            return {context, a.value()};
        }

        template <class F>
        void execute(F f) const
        {
            context->push(std::move(f), allocator);
        }

        friend bool operator==(
            posting_executor const&, posting_executor const&) noexcept = default;
    };

    struct executor_type
    {
        checked_io_context* context;

        posting_executor<std::allocator<void>> require(
            execution::blocking_t::never_t) const noexcept
        {
            return {context, {}};
        }

        // From a handler: at once, and what it throws when that is over.
        template <class F>
        void execute(F f) const
        {
            try
            {
                f();
            }
            catch (...)
            {
                context->thrown_ = std::current_exception();
            }
        }

        friend bool operator==(executor_type const&, executor_type const&) noexcept = default;
    };

    executor_type get_executor() noexcept { return {this}; }

    template <class Handler, class Allocator>
    void push(Handler h, Allocator const& allocator)
    {
        typename std::allocator_traits<Allocator>::template rebind_alloc<queued<Handler>> a(allocator);
        auto* const q = ::new (static_cast<void*>(a.allocate(1))) queued<Handler>(std::move(h));
        std::lock_guard const lock(mutex_);
        (last_ ? last_->next : first_) = q;
        last_ = q;
        changed_.notify_one();
    }

    std::size_t run_one() { return take([] { return true; }); }
    std::size_t poll_one() { return take([] { return false; }); }

    std::size_t run()
    {
        std::size_t n = 0;
        while (run_one() != 0)
            ++n;
        return n;
    }

    template <class Time>
    std::size_t run_one_until(Time const&)
    {
        return poll_one();
    }

    bool stopped() const
    {
        std::lock_guard const lock(mutex_);
        return stopped_;
    }

    void stop()
    {
        std::lock_guard const lock(mutex_);
        stopped_ = true;
        changed_.notify_all();
    }

    void restart()
    {
        std::lock_guard const lock(mutex_);
        stopped_ = false;
    }

private:
    struct operation
    {
        operation* next = nullptr;
        void (*call)(operation*);
    };

    template <class Handler>
    struct queued : operation
    {
        explicit queued(Handler h)
            : operation{nullptr, &queued::run}
            , handler(std::move(h))
        {
        }

        static void run(operation* o)
        {
            auto* const self = static_cast<queued*>(o);
            Handler h(std::move(self->handler));
            self->~queued();
            h();
        }

        Handler handler;
    };

    template <class Waits>
    std::size_t take(Waits waits)
    {
        std::unique_lock lock(mutex_);
        if (waits())
            changed_.wait(lock, [this] { return first_ || stopped_; });
        if (!first_ || stopped_)
            return 0;
        operation* const o = first_;
        first_ = o->next;
        if (!first_)
            last_ = nullptr;
        lock.unlock();
        o->call(o);
        if (thrown_)
            std::rethrow_exception(std::exchange(thrown_, nullptr));
        return 1;
    }

    checked::mutex mutable mutex_;
    checked::condition_variable changed_;
    operation* first_ = nullptr;
    operation* last_ = nullptr;
    bool stopped_ = false;
    std::exception_ptr thrown_; // of the one thread whose handlers throw
};

}

#endif
