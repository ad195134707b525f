// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_SWITCH_TO_HPP
#define ASIO_EWYK_IMPL_SWITCH_TO_HPP

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/executor.hpp>
#include <boost/asio/recycling_allocator.hpp>
#include <boost/asio/require.hpp>
#include <boost/config.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// How many refusals are being delivered on top of each other on this thread's stack. Written by
// the thread itself only.
BOOST_SYMBOL_VISIBLE inline thread_local int refusals_told = 0;

// A completion handler on its way to another executor. It is called once: by the function that was
// submitted there, or, if the executor refuses that, by the submitter. The executor destroys
// a function that it refuses, so the handler belongs to both.
template <class Handler>
class switch_op
{
public:
    explicit switch_op(Handler handler)
        : handler_(std::move(handler))
    {
    }

    // Afterwards the caller's objects must not be used: the handler may have run, and the coroutine
    // may be gone with all that it owned.
    template <class Executor>
    static void begin(Executor const& target, Handler handler)
    {
        auto const self = std::allocate_shared<switch_op>(
            asio::recycling_allocator<switch_op>(), std::move(handler));
        std::exception_ptr const error = submit(target, self, {});
        if (!error)
            return;
        if (refusals_told < deep)
        {
            depth const one_more;
            return arrive(self, error);
        }
        // A coroutine that tries again at once does so on the stack of the previous refusal. Here
        // that stack is unwound, after a wait if necessary; but a limited one, as perhaps no other
        // thread makes room.
        auto const home = asio::get_associated_executor(self->handler_, target);
        for (int tries = 0; submit(home, self, error); ++tries)
        {
            if (tries == patience)
                return arrive(self, error);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

private:
    using shared = std::shared_ptr<switch_op>;

    static constexpr int deep = 32;
    static constexpr int patience = 100;

    struct depth
    {
        depth() noexcept { ++refusals_told; }
        ~depth() { --refusals_told; }
    };

    // Returns what the executor throws.
    template <class Executor>
    static std::exception_ptr submit(
        Executor const& executor, shared const& self, std::exception_ptr const& error)
    {
        try
        {
            asio::require(executor, asio::execution::blocking.never)
                .execute([self, error]() mutable { arrive(std::move(self), std::move(error)); });
        }
        catch (...)
        {
            // Thrown by the handler, which the executor ran inline as it does not know `never`.
            if (self->called_.load(std::memory_order_relaxed))
                throw;
            return std::current_exception();
        }
        return {};
    }

    static void arrive(shared self, std::exception_ptr error)
    {
        // Relaxed: it only decides which side calls. The handler was written before both had it.
        if (self->called_.exchange(true, std::memory_order_relaxed))
            return;
        Handler handler(std::move(self->handler_));
        self.reset();
        std::move(handler)(std::move(error));
    }

    Handler handler_; // belongs to the side that sets called_
    std::atomic<bool> called_{false};
};

} // namespace asio_ewyk::detail

#endif
