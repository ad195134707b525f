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
    consume, // subject: the task, null for what is none; what: its type; when: it was submitted
    end_consume,
    park,
    end_park,

    post,     // subject: the task; when: now, if that is known
    give,     // subject: the task, which another thread is given, or asked to run
    choose,   // subject: the task; detail: see trace_choice
    hand_over,  // subject: as of produce, as of all that follow
    take_back,  // it could not be handed over, or who stays inside run() has it again
    take_over,  // by the watchdog; detail: the thread that is late
    release,  // the right to produce, by a task that says that it will be late
    supersede,  // another thread produces, so this one leaves
    arrive,     // the thread that was asked to produce
    wake_up,    // of the producer, out of the io_context

    // What names things; see place_handler() and trace_text.
    place,      // where the handler is; subject: the file; what: a name there; detail: the line
    open_span,  // of the program; subject, what: its text; detail: its number
    more_text,  // of the event before
    close_span, // detail: its number

    step, // not recorded: a point between two steps of a protocol
};

// The time of a consumption that is no handler's: of a request for a thread.
inline constexpr std::uint64_t no_handler = ~std::uint64_t{0};

// A line of the source, as the detail of a place:
// [of the operation whose completion the handler is 1 bit][line 31 bits]
struct traced_line
{
    std::uint32_t line;
    bool of_operation;

    static constexpr traced_line unpack(std::uint32_t word) noexcept
    {
        return {word & 0x7fff'ffff, (word >> 31) != 0};
    }

    constexpr std::uint32_t pack() const noexcept
    {
        return (line & 0x7fff'ffff) | std::uint32_t{of_operation} << 31;
    }
};

// The end of a span.
constexpr trace_event end_of(trace_event span) noexcept
{
    return static_cast<trace_event>(static_cast<std::uint8_t>(span) + 1);
}

} // namespace asio_ewyk::detail

#endif
