// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The succession that ships, with its lease, its workforce and its returning threads, over threads of a
// pool that are a part of the test. The flaws are here: in what the shipped code calls.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_SUCCESSION_PARTS_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_SUCCESSION_PARTS_HPP

#include "../weak_memory/stand_ins.hpp"
#include "stepped_std.hpp"

#include <asio_ewyk/detail/engine/choose.hpp>
#include <asio_ewyk/detail/metrics/strategy_counters.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/thread_clock.hpp>
#include <asio_ewyk/detail/task/task.hpp>
#include <asio_ewyk/worker_pool_options.hpp>

#include <boost/intrusive/list.hpp>

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

class call_frame;

}

namespace interleaving {

namespace ewyk = asio_ewyk;
namespace detail = asio_ewyk::detail;

/// Where the succession, or what is around it, is made worse, to see whether that is found.
enum class flaw
{
    none,
    arrives_late,            // the request is cleared after the look at the lease
    parks_without_look,      // an idle caller does not look whether the lease is free
    leaves_in_silence,       // a producer that leaves asks no thread to come
    takes_over_in_silence,   // nor does one that takes over
    releases_in_silence,     // nor does a task that says that it blocks
    passes_in_silence,       // nor one that had the lease in vain for a thread that comes back
    passes_once,             // which does not look again whether a thread comes back
    start_is_not_given_up,   // where none could be started, one is awaited for ever
    hand_over_is_not_given_up, // likewise where a hand-over found none
    give_up_is_forgotten,    // likewise where the request was taken back
    late_renews,             // a thread whose lease has ended produces on
    returns_in_silence,      // a thread that comes back does not call the producer
    return_is_not_seen,      // which threads come back is not looked at
    take_back_is_forgotten,  // a hand-over that found no thread does not take the lease back
    end_wakes_none,          // nor the end of all work
    place_is_kept,           // the place of a lease that is taken over is forgotten
    section_is_not_counted,  // the pool may not produce while a task is in a section
    late_stays_inside,       // a thread that has lost the right and is no owner does not leave
    owner_takes_nothing,     // the owner does not take the right back
    owner_does_not_come,     // nor where it is called
    lent_is_not_counted,     // a thread beside it, which has lost the right, is not called
    seizes_what_is_kept,     // or also from a thread that keeps it
    seized_place_is_kept,    // or forgets the place of the pool's thread that had it
    owner_does_not_resign,   // one that leaves is the owner for ever
    owner_passes_and_goes_on, // the owner does not wait until it has the right again
    blocks_producer,         // the producer runs what it should give to the pool
    keeps_what_is_back,      // no thread produces while the producer runs what the pool gave back
    ask_is_lost,             // the lost wake-up: a thread that asks while one produces is not heard
    nested_run_forgets,      // produce() from a task does nothing
    leaves_unheard,          // a thread that has run handlers sends no wake-up as it leaves
    asks_once,               // a thread that found none does not ask again, though a caller came
    announcement_is_forgotten, // a task that says that it blocks is not heard
};

/// What is wrong with the parts of this execution.
inline flaw wrong = flaw::none;

/// Which thread has the lease, by what it was told; 0 is none, 1 the first one.
class book
{
public:
    book() noexcept;

    void take() noexcept
    {
        if (holder_.get() != 0)
            fail("two have the lease");
        hand();
    }
    void hand() noexcept
    {
        holder_.set(self() + 1);
        lost[self()] = false;
    }
    void drop() noexcept { holder_.set(0); }

    /// From whichever thread has it.
    void seize() noexcept
    {
        if (holder_.get() == self() + 1)
            fail("a thread takes the lease from itself");
        hand();
    }

    bool is_held() const noexcept { return holder_.get() == self() + 1; }
    bool is_free() const noexcept { return holder_.get() == 0; }
    std::size_t holder() const noexcept { return holder_.get() - 1; }

    /// A thread that has lost the lease may run what it has found, and then no other handler.
    void run_one_more() noexcept
    {
        if (!is_held() && std::exchange(lost[self()], true))
            fail("a thread that has lost the lease runs another handler");
    }

    void check() const noexcept
    {
        if (holder_.get() != self() + 1)
            fail("a thread renews the lease of another one");
    }

    /// One request is under way at most.
    void send() noexcept
    {
        if (requests_.get() != 0)
            fail("two requests are under way");
        requests_.set(1);
    }
    void arrive() noexcept
    {
        if (requests_.get() == 0)
            fail("a request arrives twice");
        requests_.set(0);
    }
    bool is_under_way() const noexcept { return requests_.get() != 0; }

    static inline book* now = nullptr;

    /// The function that has ended a lease on that thread most lately.
    std::array<char const*, 8> last{};

    /// Whether that thread has run a handler since it has lost the lease.
    std::array<bool, 8> lost{};

    /// Whether it has said that it waits for I/O, or could not have the lease.
    std::array<bool, 8> may_wait{};

private:
    word holder_{0};
    word requests_{0};
};

/// What the parts need of the model.
class saboteur
{
public:
    /// Whether the thread that calls it watches leases.
    virtual bool watches() const noexcept = 0;

    /// Before and after what the thread of that frame does at the end of a task.
    virtual void ends_task(detail::call_frame const&, bool /*kept*/, bool /*over*/) noexcept {}

    static inline saboteur* now = nullptr;

protected:
    ~saboteur() = default;
};

// Until the scenario has its parts there is no step.
inline book::book() noexcept
{
    now = this;
    saboteur::now = nullptr;
}

/// A request for a thread is on its way.
inline void request_is_sent() noexcept { book::now->send(); }

/// What is worse in the pool: a place is not given back,
inline bool keeps_place() noexcept
{
    return wrong == flaw::place_is_kept && saboteur::now->watches();
}

/// or a task of a user's comes back as if the pool were stopped and had no threads, and the producer
/// runs it, while none produces.
inline bool refuses_tasks() noexcept { return wrong == flaw::blocks_producer; }

/// What is worse in the flag that says that a thread was asked.
inline bool is_forgotten(char const* where) noexcept
{
    using namespace std::string_view_literals;
    if (wrong == flaw::none)
        return false;
    char const* const after = book::now->last[self()];
    std::string_view const last = after ? after : "";
    std::string_view const in = where;
    switch (wrong)
    {
    case flaw::arrives_late:
        return in == "arrive"sv;
    case flaw::leaves_in_silence:
        return in == "ask"sv && last == "stop_producing"sv;
    case flaw::takes_over_in_silence:
        return in == "ask"sv && last == "take_over"sv;
    case flaw::releases_in_silence:
        return in == "ask"sv && last == "release"sv;
    case flaw::passes_in_silence:
        return in == "ask"sv && last == "pass_free_lease"sv;
    case flaw::start_is_not_given_up:
        return in == "clear_asked"sv;
    case flaw::hand_over_is_not_given_up:
        return in == "hand_over"sv;
    case flaw::give_up_is_forgotten:
        return in == "give_up_request"sv;
    case flaw::owner_does_not_resign:
        return in == "resign_owner"sv;
    case flaw::lent_is_not_counted:
        return in == "count_lent"sv;
    case flaw::ask_is_lost:
        return in == "dispatch"sv || in == "produce"sv;
    default:
        return false;
    }
}

/// Where a thread sleeps until another one wakes it. A thread's sleeps are one inside the other, so
/// they are known by their depth.
class sleep
{
public:
    sleep() noexcept
        : shift_((self() * deepest + (*depth)[self()]++) * 2)
    {
    }
    sleep(sleep const&) = delete;
    sleep& operator=(sleep const&) = delete;
    ~sleep() { --(*depth)[self()]; }

    bool park_until(detail::time_point) noexcept
    {
        await([this] { return (woken->get() >> shift_ & 3) != 0; });
        observe(woken->get() >> shift_ & 3);
        if (tells())
            tell("is woken");
        woken->set(woken->get() & ~(std::uint64_t{3} << shift_));
        return true;
    }

    void unpark() noexcept
    {
        point();
        if (tells())
            tell("wakes a thread");
        if ((woken->get() >> shift_ & 3) != 0)
            fail("a thread is woken twice");
        woken->set(woken->get() | code() << shift_);
    }

    /// With what it is woken, if that is to be known.
    detail::task* const* job = nullptr;

    static constexpr std::size_t deepest = 3;
    static inline std::array<std::size_t, 8>* depth = nullptr;
    static inline word* woken = nullptr;

private:
    std::uint64_t code() const noexcept
    {
        if (!job || !*job)
            return 1;
        if (!(*job)->is_request())
            return 3;
        request_is_sent();
        return 2;
    }

    std::size_t shift_;
};

}

#define ASIO_EWYK_DETAIL_OS_PARKER_HPP
namespace asio_ewyk::detail {

using parker = interleaving::sleep;

}

#define std stepped
#define lease shipped_lease
#include <asio_ewyk/detail/frame/lease.hpp>
#undef lease
#undef std

namespace asio_ewyk::detail {

/// It reads only for its compare-and-swap, which tells if the value was old: so each operation
/// is one step. Keeps the book beside it.
class lease : public shipped_lease
{
public:
    bool acquire(number& n, bool is_pooled, char const* where = __builtin_FUNCTION()) noexcept
    {
        using namespace std::string_view_literals;
        if (interleaving::wrong == interleaving::flaw::take_back_is_forgotten
            && where == "hand_over"sv)
            return false;
        interleaving::one_step const together;
        if (!shipped_lease::acquire(n, is_pooled))
            return false;
        interleaving::book::now->take();
        return true;
    }

    ended seize(number& n, bool is_pooled, activity& what) noexcept
    {
        using interleaving::flaw;
        if (interleaving::wrong == flaw::owner_takes_nothing)
            return {false, false};
        interleaving::one_step const together;
        if (interleaving::wrong == flaw::seizes_what_is_kept && (word_.get() & kept) != 0)
            word_.store(word_.get() - kept + leased);
        ended const e = shipped_lease::seize(n, is_pooled, what);
        if (e)
            interleaving::book::now->seize();
        else
            interleaving::book::now->may_wait[interleaving::self()] = true;
        return {e.now, e.pooled && interleaving::wrong != flaw::seized_place_is_kept};
    }

    number adopt(bool is_pooled) noexcept
    {
        interleaving::one_step const together;
        number const n = shipped_lease::adopt(is_pooled);
        interleaving::book::now->hand();
        return n;
    }

    bool renew(number n) noexcept
    {
        interleaving::one_step const together;
        if (!shipped_lease::renew(n))
            return interleaving::wrong == interleaving::flaw::late_renews;
        interleaving::book::now->check();
        return true;
    }

    bool keep(number n) noexcept
    {
        interleaving::one_step const together;
        if (!shipped_lease::keep(n))
            return false;
        interleaving::book::now->check();
        return true;
    }

    void keep_no_more() noexcept
    {
        interleaving::one_step const together;
        interleaving::book::now->check();
        shipped_lease::keep_no_more();
    }

    ended end(number n, char const* where = __builtin_FUNCTION()) noexcept
    {
        interleaving::one_step const together;
        interleaving::book::now->last[interleaving::self()] = where;
        ended const e = shipped_lease::end(n);
        if (e)
            interleaving::book::now->drop();
        return e;
    }

    snapshot read() const noexcept
    {
        interleaving::one_step const together;
        return shipped_lease::read();
    }

    void mark(number n, activity what) noexcept
    {
        interleaving::one_step const together;
        shipped_lease::mark(n, what);
        if (what == activity::polls)
            interleaving::book::now->may_wait[interleaving::self()] = true;
    }
};

}

#include "model_watch.hpp"

#define ASIO_EWYK_DETAIL_POOL_ELASTIC_THREADS_HPP
#define ASIO_EWYK_DETAIL_POOL_POOL_CLIENT_HPP
namespace asio_ewyk::detail {

class elastic_threads;

/// Counts the threads that run something for it.
class pool_client
{
public:
    explicit pool_client(void const* frame_key) noexcept
        : frame_key_(frame_key)
    {
    }

    void const* frame_key() const noexcept { return frame_key_; }
    bool leaving() const noexcept { return false; }
    bool awaited() const noexcept { return false; }
    std::size_t size() const noexcept;

    void run(task* t)
    {
        struct pin
        {
            pool_client& of;
            std::uint64_t const bit = std::uint64_t{1} << interleaving::self();

            explicit pin(pool_client& c) noexcept
                : of(c)
            {
                of.pins_.set(of.pins_.get() | bit);
            }
            ~pin()
            {
                interleaving::point();
                of.pins_.set(of.pins_.get() & ~bit);
            }
        } const pinned(*this);
        t->run();
    }

    bool runs_any(std::uint64_t threads) const noexcept { return (pins_.get() & threads) != 0; }
    std::size_t pins() const noexcept
    {
        interleaving::point();
        interleaving::observe(pins_.get());
        return static_cast<std::size_t>(std::popcount(pins_.get()));
    }
    elastic_threads* pool = nullptr;

private:
    void const* frame_key_;
    interleaving::word pins_{0};
};

}

#include "model_pool.hpp"

namespace asio_ewyk::detail {

inline std::size_t pool_client::size() const noexcept
{
    interleaving::point();
    interleaving::observe(pool->queued());
    return pool->queued();
}

}

#if defined(INTERLEAVING_POOL_ONLY)
// No callers and no sections: what could be read of them is no step.
#define ASIO_EWYK_DETAIL_ENGINE_IDLE_CALLERS_HPP
namespace asio_ewyk::detail {

struct idle_caller
{
    parker sleep;
};

struct idle_callers
{
    void park_last(idle_caller&) const noexcept {}
    bool any() const noexcept { return false; }
    bool wake_first(task*) const noexcept { return false; }
    std::size_t parked() const noexcept { return 0; }
    bool wake_one(task*) const noexcept { return false; }
    void wake_all() const noexcept {}
};

}
#else
namespace boost::stepped_intrusive {

/// Of things that threads have, one each. Which are in it, and their order, is one word.
template <class T, class>
class list
{
public:
    bool empty() const noexcept { return order_.get() == 0; }

    void push_front(T& x) noexcept
    {
        link(x);
        order_.set(order_.get() << 4 | x.owner);
    }

    void push_back(T& x) noexcept
    {
        link(x);
        std::uint64_t const all = order_.get();
        order_.set(all | x.owner << (std::bit_width(all) + 3) / 4 * 4);
    }

    T& front() const noexcept { return *all_[order_.get() & 15]; }
    void pop_front() noexcept
    {
        interleaving::observe(order_.get() & 15);
        erase(&front());
    }

    T* iterator_to(T& x) const noexcept { return &x; }
    void erase(T* x) noexcept
    {
        if (!x->linked)
            interleaving::fail("a caller that is not parked is withdrawn");
        std::uint64_t const all = order_.get();
        int at = 0;
        while ((all >> at & 15) != x->owner)
            at += 4;
        std::uint64_t const before = all & ((std::uint64_t{1} << at) - 1);
        order_.set(before | all >> (at + 4) << at);
        x->linked = false;
    }

private:
    void link(T& x) noexcept
    {
        if (x.linked)
            interleaving::fail("a caller parks twice");
        x.owner = interleaving::self() + 1;
        all_[x.owner] = &x;
        x.linked = true;
    }

    interleaving::word order_{0};
    std::array<T*, 9> all_{};
};

template <class = void>
struct list_base_hook
{
    bool is_linked() const noexcept
    {
        interleaving::observe(linked);
        return linked;
    }
    bool linked = false;
    std::uint64_t owner = 0;
};

template <bool>
struct constant_time_size;

}

#define std stepped
#define intrusive stepped_intrusive
#define idle_callers shipped_idle_callers
#include <asio_ewyk/detail/engine/idle_callers.hpp>
#undef idle_callers
#undef intrusive
#undef std

namespace asio_ewyk::detail {

/// The flaws are of those at the end of a section: of the callers, none asks for any().
class idle_callers : public shipped_idle_callers
{
public:
    void park(idle_caller& c) noexcept
    {
        c.sleep.job = &c.job;
        shipped_idle_callers::park(c);
    }

    bool any() noexcept
    {
        using interleaving::flaw;
        if (interleaving::wrong == flaw::return_is_not_seen
            || (interleaving::wrong == flaw::passes_once
                && std::exchange(in_vain_[interleaving::self()], false)))
            return false;
        return shipped_idle_callers::any();
    }
    bool any() const noexcept
    {
        return interleaving::wrong != interleaving::flaw::return_is_not_seen
            && shipped_idle_callers::any();
    }

    bool wake_first(task* job) noexcept
    {
        bool const passed = shipped_idle_callers::wake_first(job);
        interleaving::observe(passed);
        in_vain_[interleaving::self()] = !passed;
        return passed;
    }

private:
    std::array<bool, 8> in_vain_{};
};

}
#endif

#define std stepped
#define workforce shipped_workforce
#include <asio_ewyk/detail/engine/workforce.hpp>
#undef workforce
#undef std

namespace asio_ewyk::detail {

class workforce : public shipped_workforce
{
public:
    using shipped_workforce::shipped_workforce;

    void arrived(call_frame* frame) noexcept
    {
        interleaving::book::now->arrive();
        shipped_workforce::arrived(frame);
    }

    void wake_all() noexcept
    {
        if (interleaving::wrong != interleaving::flaw::end_wakes_none)
            shipped_workforce::wake_all();
    }

    bool may_ask_pool() const noexcept
    {
        return interleaving::wrong != interleaving::flaw::asks_once
            && shipped_workforce::may_ask_pool();
    }

    // Who has run how many handlers would be a part of each state.
    void credit(std::size_t) const noexcept {}
    void debit() const noexcept {}

    void section_entered() noexcept
    {
        if (interleaving::wrong != interleaving::flaw::section_is_not_counted)
            shipped_workforce::section_entered();
    }
    void section_left() noexcept
    {
        if (interleaving::wrong != interleaving::flaw::section_is_not_counted)
            shipped_workforce::section_left();
    }
};

}

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif
#define std stepped
#define final
#define succession shipped_succession
#include <asio_ewyk/detail/engine/succession.hpp>
#undef succession
#undef final
#undef std

namespace asio_ewyk::detail {

/// With the flaws of what calls it.
class succession : public shipped_succession
{
public:
    using flaw = interleaving::flaw;
    using shipped_succession::shipped_succession;

    bool is_free(char const* where = __builtin_FUNCTION()) const noexcept
    {
        return !is(flaw::parks_without_look, where, "park") && shipped_succession::is_free();
    }

    bool arrive(call_frame& frame) noexcept
    {
        bool const produces = shipped_succession::arrive(frame);
        if (is(flaw::arrives_late))
            asked_.store(false, std::memory_order_seq_cst, "arrives late");
        return produces;
    }

    bool take_back(call_frame& frame, char const* where = __builtin_FUNCTION()) noexcept
    {
        return !is(flaw::owner_does_not_come, where, "run_wake_up")
            && shipped_succession::take_back(frame);
    }

    bool renew_or_resume(call_frame& frame, char const* where = __builtin_FUNCTION()) noexcept
    {
        bool const renewed = shipped_succession::renew_or_resume(frame);
        if (renewed || !is(flaw::late_stays_inside, where, "produce"))
            return renewed;
        frame.role = call_frame::role_t::producer;
        return true;
    }

    bool pass_lease(call_frame& frame, bool waits) noexcept
    {
        return shipped_succession::pass_lease(frame, waits && !is(flaw::owner_passes_and_goes_on));
    }

    void yield_right(call_frame& frame) noexcept
    {
        bool& keeps = keeps_[interleaving::self()];
        keeps = is(flaw::keeps_what_is_back) && !is_exclusive() && keep(frame);
        if (!keeps)
            shipped_succession::yield_right(frame);
    }
    void end_task(call_frame& frame, bool kept) noexcept
    {
        interleaving::saboteur::now->ends_task(frame, kept, false);
        bool const keeps = std::exchange(keeps_[interleaving::self()], false);
        shipped_succession::end_task(frame, kept || keeps);
        interleaving::saboteur::now->ends_task(frame, kept, true);
    }

    // How many help changes what is counted, and when the watchdog asks for a sign of life.
    void helper_came() const noexcept {}
    void helper_left() const noexcept {}

    /// Where no thread asks for a sign of life, none looks whether one does.
    bool give_sign() noexcept { return is_asked && shipped_succession::give_sign(); }
    static inline bool is_asked = true;

private:
    static bool is(flaw f, std::string_view where = {}, std::string_view in = {}) noexcept
    {
        return interleaving::wrong == f && where == in;
    }

    std::array<bool, 8> keeps_{};
};

}

#endif
