// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Stands for asio::io_context: a queue of handlers with a lock and a condition. A handler's memory
// is its allocator's, and is given back before the handler is called, as Asio does it.

#ifndef ASIO_EWYK_TEST_WEAK_MEMORY_CHECKED_IO_CONTEXT_HPP
#define ASIO_EWYK_TEST_WEAK_MEMORY_CHECKED_IO_CONTEXT_HPP

#include "checked_std.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace boost::asio {

class checked_io_context
{
public:
    struct executor_type
    {
        checked_io_context* context;
    };

    executor_type get_executor() noexcept { return {this}; }

    template <class Handler>
    void push(Handler h)
    {
        using allocator
            = typename std::allocator_traits<typename Handler::allocator_type>::template rebind_alloc<
                queued<Handler>>;
        allocator a(h.get_allocator());
        auto* const q = ::new (static_cast<void*>(a.allocate(1))) queued<Handler>(std::move(h));
        std::lock_guard const lock(mutex_);
        (last_ ? last_->next : first_) = q;
        last_ = q;
        changed_.notify_one();
    }

    // Waits for one.
    void run_one()
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return first_ != nullptr; });
        operation* const o = first_;
        first_ = o->next;
        if (!first_)
            last_ = nullptr;
        lock.unlock();
        o->call(o);
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

    checked::mutex mutex_;
    checked::condition_variable changed_;
    operation* first_ = nullptr;
    operation* last_ = nullptr;
};

template <class Handler>
void post(checked_io_context::executor_type const& e, Handler h)
{
    e.context->push(std::move(h));
}

}

#endif
