// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_PRODUCTION_HPP
#define ASIO_EWYK_DETAIL_ENGINE_PRODUCTION_HPP

#include <array>
#include <cstddef>
#include <cstdint>

namespace asio_ewyk::detail {

// The right to produce, as a pure state machine: no threads, no atomics. strategy_engine keeps the
// word in an atomic and applies these transitions by compare-and-swap; test/interleaving explores
// them.

enum class production_state : std::uint32_t
{
    idle,        // no thread produces
    producing,   // one thread produces
    reproducing, // one thread produces, and more production was asked for since it last looked
};

// Layout of the word: [unused 29 bits][pending 1 bit][production_state 2 bits]
//
// pending: a thread was asked to come and produce, and has not arrived yet. At most one at a time.
struct production
{
    production_state state = production_state::idle;
    bool pending = false;

    friend constexpr bool operator==(production, production) noexcept = default;

    static constexpr production unpack(std::uint32_t word) noexcept
    {
        return {static_cast<production_state>(word & 3u), (word & 4u) != 0};
    }

    constexpr std::uint32_t pack() const noexcept
    {
        return static_cast<std::uint32_t>(state) | (pending ? 4u : 0u);
    }
};

// What happened.
enum class production_event : std::size_t
{
    ask,        // a thread wants production, and will not do it itself
    enter,      // a thread comes by itself to produce
    arrive,     // the thread that was asked for comes to produce
    found_none, // the producer found nothing to do
    hand_over,  // its holder wants another thread to produce: before a task, or during one
    take_back,  // hand_over found no thread; its caller produces again unless another one does
    give_up,    // ask found no thread
    resume,     // a thread that handed over has run its task
    abdicate,   // the producer must leave, whatever there is to do
};

// What the thread that made it happen does now.
enum class production_verdict : std::uint8_t
{
    leave,   // it does not produce
    produce, // it is the producer
    start,   // it does not produce, and must get the pending thread on its way
};

struct production_step
{
    production next;
    production_verdict verdict;
};

// The transitions. A state that an event cannot meet stands as `{state, leave}`.
struct production_row
{
    enum class pending_effect : std::uint8_t { keep, set, set_if_idle, clear } pending;
    struct cell
    {
        production_state next;
        production_verdict verdict;
    };
    std::array<cell, 3> cells;
};

inline constexpr auto production_table = [] {
    using effect = production_row::pending_effect;
    using enum production_state;
    using enum production_verdict;
    //                 idle                  producing            reproducing
    return std::array<production_row, 9>{{
        /* ask        */ {effect::set_if_idle,
            {{{idle, start},        {reproducing, leave}, {reproducing, leave}}}},
        /* enter      */ {effect::keep,
            {{{producing, produce}, {reproducing, leave}, {reproducing, leave}}}},
        /* arrive     */ {effect::clear,
            {{{producing, produce}, {producing, leave},   {reproducing, leave}}}},
        /* found_none */ {effect::keep,
            {{{idle, leave},        {idle, leave},        {producing, produce}}}},
        /* hand_over  */ {effect::set,
            {{{idle, leave},        {idle, start},        {idle, start}}}},
        /* take_back  */ {effect::clear,
            {{{producing, produce}, {producing, leave},   {reproducing, leave}}}},
        /* give_up    */ {effect::clear,
            {{{idle, leave},        {producing, leave},   {reproducing, leave}}}},
        /* resume     */ {effect::keep,
            {{{producing, produce}, {producing, leave},   {reproducing, leave}}}},
        /* abdicate   */ {effect::keep,
            {{{idle, leave},        {idle, leave},        {idle, leave}}}},
    }};
}();

constexpr production_step next_production(production now, production_event event) noexcept
{
    using effect = production_row::pending_effect;
    auto const& row = production_table[static_cast<std::size_t>(event)];
    auto const cell = row.cells[static_cast<std::size_t>(now.state)];
    production_step step{{cell.next, now.pending}, cell.verdict};
    switch (row.pending)
    {
    case effect::keep:
        break;
    case effect::set:
        step.next.pending = true;
        break;
    case effect::set_if_idle:
        step.next.pending = now.pending || now.state == production_state::idle;
        break;
    case effect::clear:
        step.next.pending = false;
        break;
    }
    // One thread on its way is enough.
    if (step.verdict == production_verdict::start && now.pending)
        step.verdict = production_verdict::leave;
    return step;
}

} // namespace asio_ewyk::detail

#endif
