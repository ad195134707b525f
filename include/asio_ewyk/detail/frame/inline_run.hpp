// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_FRAME_INLINE_RUN_HPP
#define ASIO_EWYK_DETAIL_FRAME_INLINE_RUN_HPP

#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/task/timed_run.hpp>

namespace asio_ewyk::detail {

// A function that runs where it was submitted, inside the producer.
//
// It may be called on the stack of a stackful coroutine, and suspend it: then the thread leaves
// the producer, and the function resumes anywhere, later. So this object is in the thread's frame,
// not on that stack. It ends with the function or with the round of the loop, whichever comes
// first; code that returns from the function checks whether it is still the same call.
class inline_run
{
public:
    // `call`: of an object of the function's call.
    inline_run(void const* call, task_action what, task_times* times) noexcept
        : call_(call)
        , running_(what)
        , timed_(times)
    {
    }

    bool is_of(void const* call) const noexcept { return call_ == call; }

private:
    void const* const call_;
    handler_scope const running_;
    timed_run const timed_;
};

} // namespace asio_ewyk::detail

#endif
