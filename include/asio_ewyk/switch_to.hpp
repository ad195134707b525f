// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_SWITCH_TO_HPP
#define ASIO_EWYK_SWITCH_TO_HPP

#include <asio_ewyk/detail/config.hpp>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/recycling_allocator.hpp>
#include <boost/asio/require.hpp>
#include <boost/config.hpp>

#include <atomic>
#include <chrono>
#include <concepts>
#include <exception>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

namespace asio_ewyk {

namespace asio = boost::asio;

namespace detail {

// How many refusals are being delivered on top of each other on this thread's stack. Written by
// the thread itself only.
BOOST_SYMBOL_VISIBLE inline thread_local int refusals_told = 0;

// A completion handler on its way to another executor. The handler is called once: by the function
// that was submitted there, or, if the executor refuses that, by the submitter. The executor
// destroys a function that it refuses, so the handler belongs to both.
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

} // namespace detail

/** Moves the coroutine that awaits it to another executor: `co_await switch_to(executor)`.

    What follows runs there, in a function that was submitted with `blocking.never`: so always as
    a new task, also if the coroutine is there already.

    A coroutine of type `asio::awaitable` has an executor, the one that it was spawned on: its home.
    The coroutine stays away until the next operation that it awaits: the completion of any
    operation brings it home. So a connection does what takes long like this:

    - it goes to the executor of a `worker_pool`, and uses nothing there that other handlers of the
      connection use;
    - it comes home by `co_await switch_to(co_await asio::this_coro::executor)`, and only then
      uses its socket again.

    The coroutine never runs on two threads at a time. What else may happen:

    - The executor refuses (`queue_full_error`, or what else `execute` throws): `co_await` throws
      that, on the same thread, and the coroutine has not moved. To bound the stack of a program
      that tries again at once, each 33rd refusal in a row is delivered at home, after a wait of up
      to 100 ms for room there.
    - Home refuses: Asio's coroutines do not survive that. If a coroutine ends while it is away, or
      is destroyed where it waits, the program is terminated, or the completion handler of
      `co_spawn` is lost. So the home of a coroutine that leaves must not be limited
      (`max_pending_tasks`).
    - The executor destroys what waits, because it has ended: the coroutine is destroyed, at home
      or, if home has ended as well, where it is.
    - A thread may still be inside the submission when the coroutine has long resumed. So
      end the home first, then the pool, and destroy them only then: declare the home before the
      pool, and call shutdown_gracefully(), or join what runs it, at the end of the scope.
    - An exception while it is away: it is caught there, and so are locals destroyed there.
      A completion handler of `co_spawn` is called at home nevertheless.
    - Cancellation: it has no effect on a switch, which does not take long. As with all operations
      `co_await` throws `operation_aborted`, and does not switch, if the coroutine was cancelled
      before. Asio's cancellation signals are not for several threads: none may be emitted to
      a coroutine that is away.
    - `this_invocation::may_block()`, `blocking_section` and the like mean the thread's task, and
      so the new one.

    `asio::dispatch(executor, asio::use_awaitable)` is different: it goes to the executor and comes
    home again before the coroutine resumes.

    @returns an operation that has not begun, in the form of `asio::deferred`, with the signature
    `void(std::exception_ptr)`.

    @par Thread Safety
    Safe.

    @par Exception Safety
    The call throws what copying the executor throws. What `co_await` throws is said above.

    @par Example
    @snippet test/unit/switch_to.cpp there_and_back
*/
template <asio::execution::executor Executor>
[[nodiscard]] auto switch_to(Executor executor)
{
    return asio::async_initiate<asio::deferred_t const, void(std::exception_ptr)>(
        [executor = std::move(executor)]<class Handler>(Handler&& handler) {
            // A copy: this function is a part of the coroutine, which leaves.
            Executor const target = executor;
            detail::switch_op<std::decay_t<Handler>>::begin(
                target, std::forward<Handler>(handler));
        },
        asio::deferred);
}

/// Moves the coroutine to the executor of a context: `co_await switch_to(pool)`.
template <std::derived_from<asio::execution_context> Context>
[[nodiscard]] auto switch_to(Context& context)
{
    return asio_ewyk::switch_to(context.get_executor());
}

} // namespace asio_ewyk

#endif
