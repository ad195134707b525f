// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TRACKING_OPERATION_RECORD_HPP
#define ASIO_EWYK_DETAIL_TRACKING_OPERATION_RECORD_HPP

#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/os/tick_clock.hpp>
#include <asio_ewyk/detail/tracking/operation_site.hpp>
#include <asio_ewyk/detail/tracking/tracking_thread.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace asio_ewyk::detail {

// What an operation is doing. "Created" is none of them: Asio tells of an operation once, before it
// starts it.
//
//     unused -> pending -> ready -> running -> unused
//                  |_________|_____^
//                  |_________|_____-> destroyed -> unused
enum class operation_step : std::uint64_t
{
    unused,
    pending,   // waits for its event; the thread that has created it
    ready,     // has its result; the thread that has performed it, or has created what is posted
    running,   // its handler runs; the thread that runs it
    destroyed, // without having been called; the thread that has destroyed it
};

// An operation, for others to look at. Its memory is never freed.
//
// The threads that take an operation from step to step write one after the other: each has it from
// the one before by means of Asio's own locks. All stores release and all loads of a reader
// acquire: a reader that sees a part of a later operation then finds that word_ has changed, which
// counts the operations.
class alignas(64) operation_record
{
public:
    struct origin
    {
        operation_site* site = nullptr;
        std::uint64_t number = 0; // of the handler
        std::uint64_t parent = 0; // the number of the handler that has created it; or 0
        void const* context = nullptr;
        void const* object = nullptr;
        std::uint64_t descriptor = 0;
        tick_clock::ticks created = 0;
    };

    struct snapshot
    {
        operation_step step = operation_step::unused;
        origin from;
        tick_clock::ticks since = 0; // in this step
        thread_id thread = 0;    // that runs it
    };

    // The owner.
    void begin(
        origin const& o, bool is_ready, operation_site const* place, bool names_handler) noexcept
    {
        place_ = place;
        names_handler_ = names_handler;
        site_.store(o.site, std::memory_order_release);
        number_.store(o.number, std::memory_order_release);
        parent_.store(o.parent, std::memory_order_release);
        context_.store(o.context, std::memory_order_release);
        object_.store(o.object, std::memory_order_release);
        descriptor_.store(o.descriptor, std::memory_order_release);
        created_.store(o.created, std::memory_order_release);
        since_.store(o.created, std::memory_order_release);
        word_.store(((word_.load(std::memory_order_relaxed) >> step_bits) + 1) << step_bits
                | static_cast<std::uint64_t>(
                    is_ready ? operation_step::ready : operation_step::pending),
            std::memory_order_release);
    }

    // The owner. Returns since when it was in the step before.
    tick_clock::ticks enter(operation_step step, tick_clock::ticks now) noexcept
    {
        tick_clock::ticks const before = since_.load(std::memory_order_relaxed);
        since_.store(now, std::memory_order_release);
        if (step == operation_step::running)
            thread_.store(this_thread_id(), std::memory_order_release);
        set(step);
        return before;
    }

    void set(operation_step step) noexcept
    {
        word_.store((word_.load(std::memory_order_relaxed) >> step_bits << step_bits)
                | static_cast<std::uint64_t>(step),
            std::memory_order_release);
    }

    // The owner.
    operation_step step() const noexcept
    {
        return static_cast<operation_step>(word_.load(std::memory_order_relaxed) & step_mask);
    }

    tick_clock::ticks since() const noexcept { return since_.load(std::memory_order_relaxed); }
    operation_site const* place() const noexcept { return place_; }
    bool names_handler() const noexcept { return names_handler_; }
    operation_site& site() const noexcept { return *site_.load(std::memory_order_relaxed); }
    std::uint64_t number() const noexcept { return number_.load(std::memory_order_relaxed); }

    // Any thread, signal handlers too. Unused if the record changes during each of the tries.
    snapshot read() const noexcept
    {
        for (int tries = 0; tries != 4; ++tries)
        {
            std::uint64_t const word = word_.load(std::memory_order_acquire);
            snapshot s;
            s.step = static_cast<operation_step>(word & step_mask);
            if (s.step == operation_step::unused)
                return s;
            s.from.site = site_.load(std::memory_order_acquire);
            s.from.number = number_.load(std::memory_order_acquire);
            s.from.parent = parent_.load(std::memory_order_acquire);
            s.from.context = context_.load(std::memory_order_acquire);
            s.from.object = object_.load(std::memory_order_acquire);
            s.from.descriptor = descriptor_.load(std::memory_order_acquire);
            s.from.created = created_.load(std::memory_order_acquire);
            s.since = since_.load(std::memory_order_acquire);
            s.thread = thread_.load(std::memory_order_acquire);
            if (word_.load(std::memory_order_acquire) == word)
                return s;
        }
        return {};
    }

private:
    friend class operation_store;

    static constexpr unsigned step_bits = 3;
    static constexpr std::uint64_t step_mask = (1u << step_bits) - 1;

    // [operations that were here <61 bits>][step <3 bits>]
    std::atomic<std::uint64_t> word_{0};
    std::atomic<operation_site*> site_{nullptr};
    std::atomic<std::uint64_t> number_{0};
    std::atomic<std::uint64_t> parent_{0};
    std::atomic<void const*> context_{nullptr};
    std::atomic<void const*> object_{nullptr};
    std::atomic<std::uint64_t> descriptor_{0};
    std::atomic<tick_clock::ticks> created_{0};
    std::atomic<tick_clock::ticks> since_{0};
    std::atomic<thread_id> thread_{0};

    // Of the owner: a site with the location that the handler goes on from. That of the handler
    // which has created it, if this one only takes that to another thread or strand.
    operation_site const* place_ = nullptr;

    // Of the owner: whether the place also names the handler. False for what a handler has posted
    // by itself, which is another one.
    bool names_handler_ = false;

    // While it is unused. Of the store; positions, counted from 1.
    std::uint32_t position_ = 0;            // this one's; set before others know it
    std::uint32_t next_ = 0;                // in a chain; the thread that has it
    std::uint32_t length_ = 0;              // of the chain that begins here; as above
    std::atomic<std::uint32_t> below_{0};   // the next chain on the stack
};

// All records. A lane has up to two chains of unused ones, so that a thread which only creates
// operations and one which only runs their handlers pass them on in chains.
class BOOST_SYMBOL_VISIBLE operation_store
{
public:
    // Null without memory, or with too many.
    static operation_record* take(unsigned lane) noexcept
    {
        if (lane == shared_tracking_lane)
        {
            std::uint32_t const first = take_chain();
            if (first == 0)
                return nullptr;
            operation_record& r = at(first);
            if (r.length_ > 1)
                push(r.next_, r.length_ - 1);
            return &r;
        }
        reserve& mine = of_lane_[lane];
        if (mine.first == 0) [[unlikely]]
        {
            mine.first = std::exchange(mine.spare, 0);
            if (mine.first == 0 && (mine.first = take_chain()) == 0)
                return nullptr;
            mine.length = at(mine.first).length_;
        }
        operation_record& r = at(mine.first);
        mine.first = r.next_;
        --mine.length;
        return &r;
    }

    static void give_back(operation_record& r, unsigned lane) noexcept
    {
        r.set(operation_step::unused);
        if (lane == shared_tracking_lane)
        {
            r.next_ = 0;
            return push(r.position_, 1);
        }
        reserve& mine = of_lane_[lane];
        if (mine.length == chain)
        {
            std::uint32_t const full = std::exchange(mine.spare, mine.first);
            at(mine.first).length_ = chain;
            mine.first = 0;
            mine.length = 0;
            if (full != 0)
                push(full, chain);
        }
        r.next_ = std::exchange(mine.first, r.position_);
        ++mine.length;
    }

    // Keeps one that was destroyed for others to see, instead of the one that was kept for longest.
    static void keep_destroyed(operation_record& r, unsigned lane) noexcept
    {
        // Relaxed: the threads only have to get different numbers.
        auto const n = next_destroyed_.fetch_add(1, std::memory_order_relaxed);
        auto& slot = destroyed_[n % most_destroyed];
        // Acquire and release: what comes of the other one was done by the thread that kept it.
        if (std::uint32_t const old = slot.exchange(r.position_, std::memory_order_acq_rel))
            give_back(at(old), lane);
    }

    // Any thread, signal handlers too: f with what is seen of each that is used.
    template <class F>
    static void for_each(F f)
    {
        std::uint32_t const made = made_.load(std::memory_order_acquire);
        for (std::uint32_t i = 0; i < made; i += block_size)
        {
            block const* const there = blocks_[i / block_size].load(std::memory_order_acquire);
            if (!there)
                continue;
            for (operation_record const& r : there->records)
                if (auto const s = r.read(); s.step != operation_step::unused)
                    f(s);
        }
    }

private:
    static constexpr std::uint32_t chain = 32;
    static constexpr std::uint32_t block_size = 256;
    static constexpr std::uint32_t most_blocks = 16384;
    static constexpr std::uint32_t most_destroyed = 64;

    struct block
    {
        operation_record records[block_size];
    };

    struct alignas(64) reserve
    {
        std::uint32_t first;
        std::uint32_t length; // of the chain that begins there
        std::uint32_t spare;  // a whole chain
    };

    static operation_record& at(std::uint32_t position) noexcept
    {
        std::uint32_t const i = position - 1;
        // Relaxed: the position comes from a thread that has seen the block.
        return blocks_[i / block_size].load(std::memory_order_relaxed)->records[i % block_size];
    }

    // [changes <32 bits>][position of the first of a chain <32 bits>], so that a thread which comes
    // late does not take the same word for the same stack.
    static std::uint64_t changed(std::uint64_t stack, std::uint32_t position) noexcept
    {
        return ((stack >> 32) + 1) << 32 | position;
    }

    static void push(std::uint32_t first, std::uint32_t length) noexcept
    {
        operation_record& r = at(first);
        r.length_ = length;
        std::uint64_t top = unused_.load(std::memory_order_relaxed);
        do
            r.below_.store(static_cast<std::uint32_t>(top), std::memory_order_relaxed);
        while (!unused_.compare_exchange_weak(
            top, changed(top, first), std::memory_order_release, std::memory_order_relaxed));
    }

    // 0: there is none.
    BOOST_NOINLINE static std::uint32_t take_chain() noexcept
    {
        std::uint64_t top = unused_.load(std::memory_order_acquire);
        while (auto const first = static_cast<std::uint32_t>(top))
            // Another thread may have taken it and changed what is below: then the exchange fails.
            if (unused_.compare_exchange_weak(top,
                    changed(top, at(first).below_.load(std::memory_order_relaxed)),
                    std::memory_order_acquire, std::memory_order_acquire))
                return first;
        return new_chain();
    }

    static std::uint32_t new_chain() noexcept
    {
        static_assert(block_size % chain == 0);
        std::uint32_t i = made_.load(std::memory_order_relaxed);
        do
            if (i == most_blocks * block_size)
                return 0;
        while (!made_.compare_exchange_weak(i, i + chain, std::memory_order_relaxed));
        auto& slot = blocks_[i / block_size];
        // Acquire: a thread that finds the block finds it constructed.
        if (!slot.load(std::memory_order_acquire) && !add_block(slot, i / block_size))
            return 0; // and these positions are never used
        for (std::uint32_t n = 0; n != chain; ++n)
            at(i + 1 + n).next_ = n + 1 == chain ? 0 : i + 2 + n;
        at(i + 1).length_ = chain;
        return i + 1;
    }

    ASIO_EWYK_COLD static bool add_block(std::atomic<block*>& slot, std::uint32_t number) noexcept
    {
        auto* const made = new (std::nothrow) block;
        if (!made)
            return slot.load(std::memory_order_acquire) != nullptr;
        for (std::uint32_t n = 0; n != block_size; ++n)
            made->records[n].position_ = number * block_size + n + 1;
        block* there = nullptr;
        if (!slot.compare_exchange_strong(there, made, std::memory_order_acq_rel))
            delete made;
        return true;
    }

    static inline constinit reserve of_lane_[tracking_lanes]{}; // of the lane's thread
    static inline std::atomic<std::uint64_t> unused_{0};
    static inline std::atomic<std::uint32_t> made_{0}; // positions that have been used
    static inline std::atomic<block*> blocks_[most_blocks]{};
    static inline std::atomic<std::uint32_t> next_destroyed_{0};
    static inline std::atomic<std::uint32_t> destroyed_[most_destroyed]{};
};

// Numbers of handlers: a lane takes many at once, so they tell handlers apart, but not which was
// first.
class BOOST_SYMBOL_VISIBLE handler_numbers
{
public:
    static std::uint64_t next(unsigned lane) noexcept
    {
        if (lane == shared_tracking_lane)
            return taken_.fetch_add(1, std::memory_order_relaxed) + 1;
        range& mine = of_lane_[lane];
        if (mine.next == mine.end) [[unlikely]]
        {
            mine.next = taken_.fetch_add(many, std::memory_order_relaxed) + 1;
            mine.end = mine.next + many;
        }
        return mine.next++;
    }

private:
    static constexpr std::uint64_t many = 256;

    struct alignas(64) range
    {
        std::uint64_t next;
        std::uint64_t end;
    };

    static inline constinit range of_lane_[tracking_lanes]{}; // of the lane's thread
    static inline std::atomic<std::uint64_t> taken_{0};
};

} // namespace asio_ewyk::detail

#endif
