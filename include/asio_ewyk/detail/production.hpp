#ifndef ASIO_EWYK_DETAIL_PRODUCTION_HPP
#define ASIO_EWYK_DETAIL_PRODUCTION_HPP

#include <array>
#include <cstddef>
#include <cstdint>

namespace asio_ewyk::detail {

// The right to produce, as a pure state machine: no threads, no atomics. strategy_engine keeps the
// word in an atomic and applies these transitions by compare-and-swap; test/model explores them.

enum class production_state : std::uint32_t
{
    idle,        // nobody produces
    producing,   // one thread produces
    reproducing, // one thread produces, and more production was asked for since it last looked
    lent,        // the producer runs a task, and goes on producing unless that is late
};

// Layout of the word:
// [loan 28 bits][occupies 1 bit][pending 1 bit][production_state 2 bits]
//
// loan: the number of the last loan, by which a lender knows his own.
// occupies: the pool counts the lender among its threads that produce. Only while lent.
// pending: a thread was asked to come and produce, and has not arrived yet; or has, and stands by.
// At most one at a time; always while lent.
struct production
{
    production_state state = production_state::idle;
    bool pending = false;
    std::uint32_t loan = 0;
    bool occupies = false;

    friend constexpr bool operator==(production, production) noexcept = default;

    static constexpr production unpack(std::uint32_t word) noexcept
    {
        return {static_cast<production_state>(word & 3u), (word & 4u) != 0, word >> 4,
            (word & 8u) != 0};
    }

    constexpr std::uint32_t pack() const noexcept
    {
        return static_cast<std::uint32_t>(state) | (pending ? 4u : 0u) | (occupies ? 8u : 0u)
            | loan << 4;
    }
};

// What happened.
enum class production_event : std::size_t
{
    ask,        // somebody wants production and will not do it himself
    enter,      // a thread comes by itself to produce
    arrive,     // the thread that was asked for comes to produce
    found_none, // the producer found nothing to do
    hand_over,  // the producer is about to run a task and wants another thread to produce
    take_back,  // hand_over's thread could not be had; its caller produces on if nobody else does
    give_up,    // ask's thread could not be had
    resume,     // a thread that handed over has run its task
    abdicate,   // the producer must leave, whatever there is to do
    engage,     // the producer wants a thread to stand by
    lend,       // the producer is about to run a task, and a thread stands by or is on its way
    reclaim,    // the lender has run its task in time
    overrun,    // the task is late for the thread that stands by
    surrender,  // the lender's task says that it is going to be late
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
    bool vacates = false; // it has ended a loan whose lender the pool counts
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
    std::array<cell, 4> cells;
};

inline constexpr auto production_table = [] {
    using effect = production_row::pending_effect;
    using enum production_state;
    using enum production_verdict;
    //                 idle                  producing            reproducing           lent
    return std::array<production_row, 14>{{
        /* ask        */ {effect::set_if_idle,
            {{{idle, start},        {reproducing, leave}, {reproducing, leave}, {lent, leave}}}},
        /* enter      */ {effect::keep,
            {{{producing, produce}, {reproducing, leave}, {reproducing, leave}, {lent, leave}}}},
        /* arrive     */ {effect::clear,
            {{{producing, produce}, {producing, leave}, {reproducing, leave},
                {producing, produce}}}},
        /* found_none */ {effect::keep,
            {{{idle, leave},        {idle, leave},        {producing, produce}, {lent, leave}}}},
        /* hand_over  */ {effect::set,
            {{{idle, leave},        {idle, start},        {idle, start},        {lent, leave}}}},
        /* take_back  */ {effect::clear,
            {{{producing, produce}, {producing, leave}, {reproducing, leave},
                {producing, produce}}}},
        /* give_up    */ {effect::clear,
            {{{idle, leave},        {producing, leave},   {reproducing, leave}, {idle, leave}}}},
        /* resume     */ {effect::keep,
            {{{producing, produce}, {producing, leave},   {reproducing, leave}, {lent, leave}}}},
        /* abdicate   */ {effect::keep,
            {{{idle, leave},        {idle, leave},        {idle, leave},        {lent, leave}}}},
        /* engage     */ {effect::set,
            {{{idle, leave},        {producing, start},   {reproducing, start}, {lent, leave}}}},
        /* lend       */ {effect::keep,
            {{{idle, leave},        {lent, leave},        {lent, leave},        {lent, leave}}}},
        /* reclaim    */ {effect::keep,
            {{{idle, leave}, {producing, leave},  {reproducing, leave}, {producing, produce}}}},
        /* overrun    */ {effect::clear,
            {{{idle, leave}, {producing, leave},  {reproducing, leave}, {producing, produce}}}},
        /* surrender  */ {effect::keep,
            {{{idle, leave}, {producing, leave},  {reproducing, leave}, {idle, leave}}}},
    }};
}();

constexpr production_step next_production(production now, production_event event) noexcept
{
    using effect = production_row::pending_effect;
    auto const& row = production_table[static_cast<std::size_t>(event)];
    auto const cell = row.cells[static_cast<std::size_t>(now.state)];
    production_step step{{cell.next, now.pending, now.loan, now.occupies}, cell.verdict};
    if (event == production_event::lend)
        step.next.loan = (now.loan + 1) & (~std::uint32_t{0} >> 4);
    if (now.occupies && cell.next != production_state::lent)
    {
        step.next.occupies = false;
        step.vacates = true;
    }
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
