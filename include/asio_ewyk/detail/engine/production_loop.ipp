// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_PRODUCTION_LOOP_IPP
#define ASIO_EWYK_DETAIL_ENGINE_PRODUCTION_LOOP_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/production_loop.hpp>
#include <asio_ewyk/detail/observe/trace_point.hpp>
#include <asio_ewyk/detail/utility/at_exit.hpp>

#include <utility>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL ASIO_EWYK_COLD production_loop::production_loop(
    elastic_threads& pool, strategy_t s, std::chrono::nanoseconds grace)
    : threads_(pool, this, true, false)
    , succession_(threads_, s, grace, true, false, this, *this)
{
}

ASIO_EWYK_DECL production_loop::~production_loop() = default;

ASIO_EWYK_DECL void production_loop::produce()
{
    if (call_frame::find(this))
        return dispatch();
    call_frame frame(this);
    again_.exchange(true);
    if (!succession_.acquire(frame))
        return;
    do
        run_all(frame);
    while (produces_again(frame));
}

ASIO_EWYK_DECL void production_loop::dispatch() noexcept
{
    again_.exchange(true);
    succession_.dispatch();
}

ASIO_EWYK_DECL void production_loop::arrive()
{
    frame_of_arrival const arrival(this);
    call_frame& frame = *arrival;
    if (!succession_.arrive(frame))
        return;
    if (succession_.watch().in_use())
        threads_.pool().keep_one_parked();
    do
        run_all(frame);
    while (produces_again(frame));
}

// A thread whose lease has ended: whether it produces again, since a thread has asked meanwhile. If
// it may not, as the last thread that the pool has left for tasks, it has another one come.
ASIO_EWYK_DECL bool production_loop::produces_again(call_frame& frame) noexcept
{
    if (!again_.load())
        return false;
    if (succession_.acquire(frame))
        return true;
    succession_.dispatch();
    return false;
}

// The thread that has the lease. An exception leaves only after another thread was asked to
// produce.
ASIO_EWYK_DECL void production_loop::run_all(call_frame& frame)
{
    bool thrown = true;
    at_exit const leaves([&] { succession_.stop_producing(frame, thrown); });
    test_point();
    // The lease is kept meanwhile: the source may wait for as long as it likes, and no other thread
    // is to ask it.
    bool looks = false;
    while (frame.produces())
        if (succession_.keep(frame))
        {
            // Not before the lease is kept: a thread that has lost it would clear a request that is
            // meant for its successor.
            if (!std::exchange(looks, true))
                again_.exchange(false);
            if (!run_next(frame))
                break;
        }
        else
            succession_.renew_or_resume(frame); // another thread has just ended the lease
    thrown = false;
}

ASIO_EWYK_DECL void production_loop::run_refused(task* t, call_frame& frame)
{
    if (!(t = succession_.task_to_run(t)))
        return;
    succession_.counters().produce_consume();
    succession_.yield_right(frame);
    at_exit const over([&] { succession_.end_task(frame, false); });
    t->run();
}

} // namespace asio_ewyk::detail

#endif
