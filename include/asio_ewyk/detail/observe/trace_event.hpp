// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OBSERVE_TRACE_EVENT_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_TRACE_EVENT_HPP

#include <cstdint>

namespace asio_ewyk::detail {

// What a thread does, as trace.hpp records it and tests delay it. Events with an `end_` are spans,
// which nest on their thread; the value of the end is that of the beginning plus one.
enum class trace_event : std::uint8_t
{
    thread, // of a pool or of a loop
    end_thread,
    produce, // subject: the engine that it produces for
    end_produce,
    wait, // inside the io_context, for a completion
    end_wait,
    round, // of an event loop's tasks
    end_round,
    consume, // subject: the task, null for what is none; what: its type
    end_consume,
    park,
    end_park,

    post,     // subject: the task
    give,     // subject: the task, which another thread is given, or asked to run
    choose,   // subject: the task; detail: see trace_choice
    hand_over,  // subject: as of produce, as of all that follow
    take_back,  // it could not be handed over, or who stays inside run() has it again
    take_over,  // by the watchdog; detail: the thread that is late
    release,  // the right to produce, by a task that says that it will be late
    supersede,  // another thread produces, so this one leaves
    arrive,     // the thread that was asked to produce
    wake_up,    // of the producer, out of the io_context

    step, // not recorded: a point between two steps of a protocol
};

// The end of a span.
constexpr trace_event end_of(trace_event span) noexcept
{
    return static_cast<trace_event>(static_cast<std::uint8_t>(span) + 1);
}

} // namespace asio_ewyk::detail

#endif
