// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TRACKING_OPERATION_SITE_HPP
#define ASIO_EWYK_DETAIL_TRACKING_OPERATION_SITE_HPP

#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/tracking/tracking_thread.hpp>

#include <boost/config.hpp>
#include <boost/core/typeinfo.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>
#include <string_view>
#include <utility>

namespace asio_ewyk::detail {

// Where operations come from: the location that the program has given, else the operation's type.
// The strings have static storage, so two are taken for the same if their addresses are.
struct site_key
{
    char const* kind = nullptr;     // "socket"
    char const* name = nullptr;     // "async_receive"
    char const* file = nullptr;     // null: no location is known
    char const* function = nullptr;
    boost::core::typeinfo const* type = nullptr; // of Asio's operation, which names the handler's
    unsigned line = 0;

    // "async_read": the composed operations that it is a step of, the innermost first; null: no
    // more. If they are too many, some next to the last are left out.
    static constexpr std::size_t most_composed = 4;
    char const* composed[most_composed] = {};

    // What the program has begun. Null if that is the operation itself.
    char const* begun() const noexcept
    {
        char const* last = nullptr;
        for (char const* c : composed)
            last = c ? c : last;
        return last;
    }

    // The next one outwards.
    void add_composed(char const* c) noexcept
    {
        std::size_t n = 0;
        while (n + 1 != most_composed && composed[n])
            ++n;
        if (n == 0 || composed[n - 1] != c)
            composed[n] = c;
    }

    bool is_step_of(char const* c) const noexcept
    {
        return std::find(std::begin(composed), std::end(composed), c) != std::end(composed);
    }

    bool is_same_site(site_key const& k) const noexcept
    {
        return name == k.name && kind == k.kind && file == k.file && line == k.line
            && (file || type == k.type)
            && std::equal(std::begin(composed), std::end(composed), k.composed);
    }

    std::size_t hash() const noexcept
    {
        std::uint64_t h = line;
        for (void const* p : {static_cast<void const*>(name), static_cast<void const*>(kind),
                 static_cast<void const*>(composed[0]),
                 file ? static_cast<void const*>(file) : static_cast<void const*>(type)})
            h = (h ^ reinterpret_cast<std::uintptr_t>(p)) * 0x9e3779b97f4a7c15u;
        return static_cast<std::size_t>(h >> 32);
    }
};

// What has happened at a site. Times are ticks of tick_clock.
struct site_totals
{
    std::uint64_t handlers = 0;  // that have been run
    std::uint64_t destroyed = 0; // without having been called
    std::uint64_t waits = 0;     // of handlers of which it is known when they became ready
    std::uint64_t waited = 0;
    std::uint64_t longest_wait = 0;
    std::uint64_t ran = 0;
    std::uint64_t longest_run = 0;
    std::uint64_t blocks = 0;  // handlers from whose thread another one has taken over
    std::uint64_t blocked = 0; // how long they have run after that
    std::uint64_t longest_block = 0;

    void add(site_totals const& t) noexcept
    {
        handlers += t.handlers;
        destroyed += t.destroyed;
        waits += t.waits;
        waited += t.waited;
        ran += t.ran;
        longest_wait = longest_wait < t.longest_wait ? t.longest_wait : longest_wait;
        longest_run = longest_run < t.longest_run ? t.longest_run : longest_run;
        blocks += t.blocks;
        blocked += t.blocked;
        longest_block = longest_block < t.longest_block ? t.longest_block : longest_block;
    }
};

// The totals of a site and a lane, of one period between two resets. Written by the lane's thread,
// or by all that share it.
//
// A counter of an earlier period is void. The thread that writes the first one of a new period sets
// all to 0 while period_ is 0. All stores release and all loads of a reader acquire: a reader that
// sees a part of a later period then sees that period_ has changed.
class BOOST_SYMBOL_VISIBLE site_counters
{
public:
    // A new period begins, for all counters.
    static void reset() noexcept { now_.fetch_add(1); }

    template <bool Shared>
    void add(site_totals const& t) noexcept
    {
        if (!enter<Shared>())
            return;
        add<Shared>(handlers_, t.handlers);
        add<Shared>(destroyed_, t.destroyed);
        add<Shared>(waits_, t.waits);
        add<Shared>(waited_, t.waited);
        add<Shared>(ran_, t.ran);
        raise<Shared>(longest_wait_, t.longest_wait);
        raise<Shared>(longest_run_, t.longest_run);
        if (t.blocks == 0) [[likely]]
            return;
        add<Shared>(blocks_, t.blocks);
        add<Shared>(blocked_, t.blocked);
        raise<Shared>(longest_block_, t.longest_block);
    }

    // Any thread. All 0 if they are of an earlier period, or change to a later one meanwhile.
    site_totals read() const noexcept
    {
        std::uint64_t const period = period_.load(std::memory_order_acquire);
        if (period != now_.load())
            return {};
        site_totals t;
        t.handlers = handlers_.load(std::memory_order_acquire);
        t.destroyed = destroyed_.load(std::memory_order_acquire);
        t.waits = waits_.load(std::memory_order_acquire);
        t.waited = waited_.load(std::memory_order_acquire);
        t.longest_wait = longest_wait_.load(std::memory_order_acquire);
        t.ran = ran_.load(std::memory_order_acquire);
        t.longest_run = longest_run_.load(std::memory_order_acquire);
        t.blocks = blocks_.load(std::memory_order_acquire);
        t.blocked = blocked_.load(std::memory_order_acquire);
        t.longest_block = longest_block_.load(std::memory_order_acquire);
        return period_.load(std::memory_order_acquire) == period ? t : site_totals{};
    }

private:
    using counter = std::atomic<std::uint64_t>;

    // Whether the counters are of this period. False for a thread that shares the lane while
    // another one sets them to 0: what it would have counted is lost.
    template <bool Shared>
    bool enter() noexcept
    {
        std::uint64_t const now = now_.load(std::memory_order_relaxed);
        std::uint64_t period = period_.load(std::memory_order_relaxed);
        if (period == now) [[likely]]
            return true;
        if (period == 0)
            return false;
        if constexpr (Shared)
        {
            if (!period_.compare_exchange_strong(period, 0))
                return false;
        }
        else
            period_.store(0, std::memory_order_release);
        for (counter* c : {&handlers_, &destroyed_, &waits_, &waited_, &longest_wait_, &ran_,
                 &longest_run_, &blocks_, &blocked_, &longest_block_})
            c->store(0, std::memory_order_release);
        period_.store(now, std::memory_order_release);
        return true;
    }

    template <bool Shared>
    static void add(counter& c, std::uint64_t n) noexcept
    {
        if (n == 0)
            return;
        if constexpr (Shared)
            c.fetch_add(n, std::memory_order_release);
        else
            c.store(c.load(std::memory_order_relaxed) + n, std::memory_order_release);
    }

    template <bool Shared>
    static void raise(counter& c, std::uint64_t n) noexcept
    {
        std::uint64_t most = c.load(std::memory_order_relaxed);
        if constexpr (Shared)
            while (most < n && !c.compare_exchange_weak(most, n, std::memory_order_release,
                       std::memory_order_relaxed))
                ;
        else if (most < n)
            c.store(n, std::memory_order_release);
    }

    static inline counter now_{1}; // the period; never 0

    alignas(64) counter period_{1};
    counter handlers_{0};
    counter destroyed_{0};
    counter waits_{0};
    counter waited_{0};
    counter longest_wait_{0};
    counter ran_{0};
    counter longest_run_{0};

    // A cache line of their own, as they are seldom written.
    counter blocks_{0};
    counter blocked_{0};
    counter longest_block_{0};
};

// Never freed, as its counters.
class operation_site
{
public:
    explicit constexpr operation_site(site_key const& k) noexcept
        : key(k)
        , is_ready_at_once(is_submission(k.name))
        , hides_handler(k.type && is_hidden(k.type->name()))
    {
    }

    operation_site(operation_site const&) = delete;
    operation_site& operator=(operation_site const&) = delete;

    // The thread of that lane. Without memory for its counters nothing is counted.
    void add(site_totals const& t, unsigned lane) noexcept
    {
        // Relaxed, for one's own lane: the thread before has published it with the lane.
        site_counters* c = of_lane_[lane].load(
            lane == shared_tracking_lane ? std::memory_order_acquire : std::memory_order_relaxed);
        if (!c && !(c = allocate(of_lane_[lane]))) [[unlikely]]
            return;
        if (lane == shared_tracking_lane)
            c->add<true>(t);
        else
            c->add<false>(t);
    }

    // Any thread.
    site_totals read() const noexcept
    {
        site_totals sum;
        for (auto const& lane : of_lane_)
            if (site_counters const* const c = lane.load(std::memory_order_acquire))
                sum.add(c->read());
        return sum;
    }

    // For a handler. Only where there is a location.
    thread_activity::place where() const noexcept
    {
        char const* const begun = key.begun();
        return {key.file, begun ? begun : key.name, key.line};
    }

    site_key const key;
    bool const is_ready_at_once; // its operations wait for nothing but a thread
    bool const hides_handler;    // an any_io_executor has submitted it, so the type says nothing

private:
    // The names are Asio's.
    static constexpr bool is_submission(std::string_view name) noexcept
    {
        return name == "post" || name == "dispatch" || name == "defer"
            || name.starts_with("execute") || name.starts_with("bulk");
    }

    // The name, which may be a mangled one, is Asio's.
    static constexpr bool is_hidden(std::string_view type) noexcept
    {
        return type.find("executor_function") != type.npos;
    }

    ASIO_EWYK_COLD static site_counters* allocate(std::atomic<site_counters*>& lane) noexcept
    {
        auto* const made = new (std::nothrow) site_counters;
        site_counters* there = nullptr;
        // Release: a thread that finds the counters finds them constructed.
        if (!made || lane.compare_exchange_strong(there, made, std::memory_order_acq_rel))
            return made;
        delete made;
        return there;
    }

    std::atomic<site_counters*> of_lane_[tracking_lanes + 1]{};
};

// All sites: a hash table that only grows, without a lock.
class BOOST_SYMBOL_VISIBLE site_table
{
public:
    // Without room or memory for another site: the one of all others.
    static operation_site& find(site_key const& k) noexcept
    {
        std::size_t const first = k.hash() % size;
        for (std::size_t n = 0; n != size; ++n)
        {
            auto& slot = slots_[(first + n) % size];
            // Acquire: a thread that finds the site finds it constructed.
            operation_site* s = slot.load(std::memory_order_acquire);
            if (!s && !(s = add(slot, k)))
                break;
            if (s->key.is_same_site(k)) [[likely]]
                return *s;
        }
        return others_;
    }

    // Any thread.
    template <class F>
    static void for_each(F f)
    {
        for (auto const& slot : slots_)
            if (operation_site const* const s = slot.load(std::memory_order_acquire))
                f(*s);
        f(std::as_const(others_));
    }

private:
    // The site that is in the slot then; null without memory.
    ASIO_EWYK_COLD static operation_site* add(
        std::atomic<operation_site*>& slot, site_key const& k) noexcept
    {
        auto* const made = new (std::nothrow) operation_site(k);
        operation_site* there = nullptr;
        if (!made || slot.compare_exchange_strong(there, made, std::memory_order_acq_rel))
            return made;
        delete made;
        return there;
    }

    static constexpr std::size_t size = 4096;

    static inline std::atomic<operation_site*> slots_[size]{};
    static inline constinit operation_site others_{{.kind = "others", .name = "others"}};
};

// Of a file's name, as __FILE__ has it: whether it is a header of Asio or of Beast, whose composed
// operations say where they are by the same macro as programs do.
inline bool is_of_library(char const* file) noexcept
{
    static constexpr std::string_view boost = "boost";
    std::string_view name(file);
    auto const at = name.rfind(boost);
    if (at == name.npos)
        return false;
    name.remove_prefix(at + boost.size());
    auto const is_slash = [](char c) { return c == '/' || c == '\\'; };
    for (std::string_view const library : {"asio", "beast"})
        if (std::size_t const n = library.size(); name.size() > n + 1 && is_slash(name[0])
            && is_slash(name[n + 1]) && name.substr(1, n) == library)
            return true;
    return false;
}

} // namespace asio_ewyk::detail

#endif
