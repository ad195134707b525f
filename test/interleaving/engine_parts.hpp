// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The engine that ships, with its lease, its right and pool_threads, over threads of a pool that
// are a part of the test.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_ENGINE_PARTS_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_ENGINE_PARTS_HPP

#include "../weak_memory/stand_ins.hpp"
#include "stepped_std.hpp"

#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/pool/pool_client.hpp>
#include <asio_ewyk/detail/engine/production.hpp>
#include <asio_ewyk/detail/engine/parallelism_control.hpp>
#include <asio_ewyk/detail/metrics/strategy_counters.hpp>
#include <asio_ewyk/detail/os/counter.hpp>
#include <asio_ewyk/producer.hpp>
#include <asio_ewyk/strategy_policy.hpp>
#include <asio_ewyk/worker_pool_options.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace interleaving {

namespace ewyk = asio_ewyk;
namespace detail = asio_ewyk::detail;
using detail::production;
using detail::production_event;
using detail::production_state;
using detail::production_step;
using detail::production_verdict;

/// Where the engine, or what is around it, is made worse, to see whether that is found.
enum class flaw
{
    none,
    blocks_producer,        // the producer runs what it should give to the pool
    starts_before_release,  // hand-over asks for a thread and then gives up the right
    thrower_goes_on,        // a task that throws after a hand-over returns to the loop (jetty#2468)
    thrower_keeps_right,    // a task that throws leaves the loop with the right to produce
    thrower_tells_nobody,   // the same, without it, but no thread is asked to produce
    nested_run_forgets,     // produce() from a task does nothing
    late_goes_on,           // a late thread does not take its lease back, and produces on
    hands_over_before_end,  // the right is given up before the lease is ended
    place_is_kept,          // it forgets the place that belongs to the right
    start_is_forgotten,     // where a thread has to be started none is
    start_is_not_given_up,  // where none could be started, one is awaited for ever
    late_leaves_the_right,  // a late thread does not look whether its right was passed on
    released_in_silence,    // a task that says that it is going to block asks no other thread to come
    announcement_is_forgotten, // a task that says so is not heard
    ask_is_lost,            // the lost wake-up: a thread that asks while one produces is not heard
};

/// Stands for one row of the production table.
struct replacement
{
    production_event event;
    production now;
    production_step step;
};

/// What is wrong with the parts of this execution.
inline flaw wrong = flaw::none;
inline std::optional<replacement> other_step;

/// The rows that were used: by event, and by what the word was.
inline std::array<std::array<bool, 8>, detail::production_table.size()> used_rows{};

/// In place of detail::next_production, for production_right.
inline production_step next_step(production now, production_event event)
{
    auto step = detail::next_production(now, event);
    used_rows[static_cast<std::size_t>(event)][now.pack()] = true;
    if (other_step && other_step->event == event && other_step->now == now)
        step = other_step->step;
    if (wrong == flaw::ask_is_lost && event == production_event::ask)
        step.next.state = now.state;
    return step;
}

/// Which thread has the right to produce, by what it was told; 0 is none, 1 the first one.
class book
{
public:
    book() noexcept { now = this; }

    void take() noexcept
    {
        if (holder_.get() != 0 && holder_.get() != self() + 1)
            fail("two producers");
        holder_.set(self() + 1);
    }

    void drop() noexcept { holder_.set(0); }

    void check() const noexcept
    {
        if (holder_.get() != self() + 1)
            fail("produces without the right to");
    }

    static inline book* now = nullptr;

private:
    word holder_{0};
};

/// What the flaws need of the model.
class saboteur
{
public:
    /// Starts a thread that comes to produce.
    virtual bool start_early() noexcept = 0;
    /// Whether the thread that calls it watches leases.
    virtual bool watches() const noexcept = 0;
    /// Whether the task that it runs was to throw.
    virtual bool has_thrown() const noexcept = 0;

    static inline saboteur* now = nullptr;

protected:
    ~saboteur() = default;
};

/// A request for a thread is on its way; the production table says how many there are.
inline void request_is_sent() noexcept {}

/// What is worse in the pool: a place is not given back,
inline bool keeps_place() noexcept
{
    return wrong == flaw::place_is_kept && saboteur::now->watches();
}

/// or a task of a user's comes back as if the pool were stopped, and the producer runs it.
inline bool refuses_tasks() noexcept { return wrong == flaw::blocks_producer; }

}

#define std stepped
#define next_production interleaving::next_step
#define lease shipped_lease
#include <asio_ewyk/detail/frame/lease.hpp>
#define production_right shipped_right
#include <asio_ewyk/detail/engine/production_right.hpp>
#undef production_right
#undef lease
#undef next_production
#undef std

namespace asio_ewyk::detail {

/// Keeps the book beside it.
class production_right : public shipped_right
{
public:
    production_step apply(production_event event) noexcept
    {
        using enum production_event;
        using interleaving::flaw;
        using interleaving::wrong;
        auto* const saboteur = interleaving::saboteur::now;
        if (event == resume && wrong == flaw::thrower_goes_on && saboteur->has_thrown())
            return {{}, production_verdict::produce};
        if (event == abdicate && wrong == flaw::thrower_keeps_right)
            return {};
        if (event == ask && wrong == flaw::thrower_tells_nobody && saboteur->has_thrown())
            return {{}, production_verdict::leave};
        if (event == give_up && wrong == flaw::start_is_not_given_up && saboteur->watches())
            return {};
        if (event == hand_over && wrong == flaw::starts_before_release && !saboteur->watches()
            && saboteur->start_early())
        {
            auto step = shipped_right::apply(event);
            interleaving::book::now->drop();
            step.verdict = production_verdict::leave;
            return step;
        }
        // Its load is only for its compare-and-swap, which tells if that was wrong.
        interleaving::one_step const together;
        production_step const step = shipped_right::apply(event);
        if (step.verdict == production_verdict::produce)
            interleaving::book::now->take();
        else if (event == found_none || event == hand_over || event == abdicate)
            interleaving::book::now->drop();
        return step;
    }

    std::optional<production_verdict> pass_on(std::uint64_t n) noexcept
    {
        interleaving::one_step const together;
        auto const verdict = shipped_right::pass_on(n);
        if (verdict)
            interleaving::book::now->drop();
        return verdict;
    }

    bool reclaim(std::uint64_t n) noexcept
    {
        if (interleaving::wrong == interleaving::flaw::late_leaves_the_right)
            return false;
        interleaving::one_step const together;
        if (!shipped_right::reclaim(n))
            return false;
        interleaving::book::now->drop();
        interleaving::book::now->take();
        return true;
    }
};

/// In begin() and look() one access counts, that to the word; the others are hints, which are not
/// believed here. See test/weak_memory/lease.cpp.
class lease : public shipped_lease
{
public:
    number begin(activity what) noexcept
    {
        interleaving::one_step const together;
        number const n = shipped_lease::begin(what);
        interleaving::book::now->check();
        interleaving::book::now->drop();
        return n;
    }

    sight look() const noexcept
    {
        interleaving::one_step const together;
        return shipped_lease::look();
    }

    // Its load is only for its compare-and-swap, which tells if that was wrong.
    bool end(number n) noexcept
    {
        using interleaving::flaw;
        bool const watches = interleaving::saboteur::now->watches();
        interleaving::one_step const together;
        if (!shipped_lease::end(n) && (watches || interleaving::wrong != flaw::late_goes_on))
            return false;
        interleaving::book::now->take();
        return true;
    }
};

}

#include "model_sentinel.hpp"

#define ASIO_EWYK_DETAIL_POOL_ELASTIC_THREADS_HPP
#include "model_pool.hpp"

#define std stepped
#include <asio_ewyk/detail/pool/pool_threads.hpp>
#include <asio_ewyk/detail/engine/strategy_engine.hpp>
#undef std

#include <asio_ewyk/detail/engine/strategy_engine_impl.hpp>

#endif
