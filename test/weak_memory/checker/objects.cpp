// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The atomics, locks and conditions of an execution, as Relacy's.

#include "relacy.hpp"

#include <array>
#include <cstdlib>

namespace weak_memory {

namespace {

// Objects of this execution, by their numbers.
constexpr object max_objects = 4096;
std::array<void*, max_objects> objects{};
object used_objects = 1;

object keep(void* p)
{
    if (used_objects == max_objects)
        std::abort();
    objects[used_objects] = p;
    return used_objects++;
}

template <class T>
T& get(object o)
{
    if (o == 0 || !objects[o])
        fail("access to a destroyed object");
    return *static_cast<T*>(objects[o]);
}

template <class T, class... Args>
object make(Args... args)
{
    return keep(::new (std::malloc(sizeof(T))) T(args...));
}

template <class T>
void destroy(object o)
{
    T& t = get<T>(o);
    t.~T();
    std::free(&t);
    objects[o] = nullptr;
}

rl::debug_info where(operation const& at)
{
    return rl::debug_info(at.function, at.file, static_cast<int>(at.line));
}

// An atomic of one of four sizes.
struct word
{
    virtual ~word() = default;
    virtual std::uint64_t load(operation const& at) = 0;
    virtual void store(std::uint64_t value, operation const& at) = 0;
    virtual std::uint64_t modify(change what, std::uint64_t by, operation const& at) = 0;
    virtual bool compare_exchange(
        std::uint64_t& expected, std::uint64_t desired, bool weak, operation const& at) = 0;
    virtual bool wait(std::uint64_t old, bool timed) = 0;
    virtual void wake(unsigned count) = 0;
};

template <class T>
struct sized_word : word
{
    explicit sized_word(std::uint64_t value)
    {
        atomic.store(static_cast<T>(value), rl::mo_relaxed, $);
    }

    std::uint64_t load(operation const& at) override
    {
        return atomic.load(order_of(at), where(at));
    }

    void store(std::uint64_t value, operation const& at) override
    {
        atomic.store(static_cast<T>(value), order_of(at), where(at));
    }

    std::uint64_t modify(change what, std::uint64_t by, operation const& at) override
    {
        rl::memory_order const order = order_of(at);
        T const v = static_cast<T>(by);
        switch (what)
        {
        case change::exchange: return atomic.exchange(v, order, where(at));
        case change::add: return atomic.fetch_add(v, order, where(at));
        case change::subtract: return atomic.fetch_sub(v, order, where(at));
        case change::bit_and: return atomic.fetch_and(v, order, where(at));
        case change::bit_or: break;
        }
        return atomic.fetch_or(v, order, where(at));
    }

    bool compare_exchange(
        std::uint64_t& expected, std::uint64_t desired, bool weak, operation const& at) override
    {
        T e = static_cast<T>(expected);
        T const d = static_cast<T>(desired);
        rl::memory_order const order = order_of(at);
        bool const done = weak ? atomic.compare_exchange_weak(e, d, order, where(at))
                               : atomic.compare_exchange_strong(e, d, order, where(at));
        expected = e;
        return done;
    }

    // By the newest value, as a futex does it.
    bool wait(std::uint64_t old, bool timed) override
    {
        rl::ctx().sched();
        return atomic.debug_value() != static_cast<T>(old)
            || atomic.wait(rl::ctx(), timed, true, $) != rl::unpark_reason_timeout;
    }

    void wake(unsigned count) override
    {
        rl::ctx().sched();
        atomic.wake(rl::ctx(), count, $);
    }

    rl::generic_atomic<T, false> atomic;
};

// Relacy's std::mutex fails to be locked for no reason, as the standard allows. The systems' do not,
// and a thread that tries relies on the one that has the lock.
class system_mutex : rl::generic_mutex<system_mutex>
{
public:
    system_mutex() { init(false, false, false, false, $); }
    ~system_mutex() { deinit($); }

    void lock(rl::debug_info_param at) { lock_exclusive(at); }
    bool try_lock(rl::debug_info_param at) { return try_lock_exclusive(at); }
    void unlock(rl::debug_info_param at) { unlock_exclusive(at); }
};

// What Relacy wants of the lock of a condition.
struct relock
{
    system_mutex& mutex;
    void lock(rl::debug_info_param at) { mutex.lock(at); }
    void unlock(rl::debug_info_param at) { mutex.unlock(at); }
};

}

void forget_objects() { used_objects = 1; }

object make_atomic(unsigned size, std::uint64_t value)
{
    if (!rl::is_ctx())
        return 0;
    outside const o;
    switch (size)
    {
    case 1: return make<sized_word<std::uint8_t>>(value);
    case 2: return make<sized_word<std::uint16_t>>(value);
    case 4: return make<sized_word<std::uint32_t>>(value);
    case 8: return make<sized_word<std::uint64_t>>(value);
    }
    std::abort();
}

void destroy_atomic(object o)
{
    if (!rl::is_ctx())
        return;
    outside const out;
    word& w = get<word>(o);
    w.~word();
    std::free(&w);
    objects[o] = nullptr;
}

std::uint64_t load(object o, operation const& at)
{
    outside const out;
    return get<word>(o).load(at);
}

void store(object o, std::uint64_t value, operation const& at)
{
    outside const out;
    get<word>(o).store(value, at);
}

std::uint64_t modify(object o, change what, std::uint64_t by, operation const& at)
{
    outside const out;
    return get<word>(o).modify(what, by, at);
}

bool compare_exchange(
    object o, std::uint64_t& expected, std::uint64_t desired, bool weak, operation const& at)
{
    outside const out;
    return get<word>(o).compare_exchange(expected, desired, weak, at);
}

bool sleep(object o, std::uint64_t old, bool timed)
{
    outside const out;
    return get<word>(o).wait(old, timed);
}

void wake(object o, unsigned count)
{
    outside const out;
    // The sleeper may have destroyed it.
    if (o != 0 && objects[o])
        get<word>(o).wake(count);
}

object make_mutex()
{
    outside const o;
    return make<system_mutex>();
}

void destroy_mutex(object o)
{
    outside const out;
    destroy<system_mutex>(o);
}

void lock(object o)
{
    outside const out;
    get<system_mutex>(o).lock($);
}

bool try_lock(object o)
{
    outside const out;
    return get<system_mutex>(o).try_lock($);
}

void unlock(object o)
{
    outside const out;
    get<system_mutex>(o).unlock($);
}

object make_condition()
{
    outside const o;
    return make<rl::condition_variable>();
}

void destroy_condition(object o)
{
    outside const out;
    destroy<rl::condition_variable>(o);
}

bool wait(object condition, object mutex, bool timed)
{
    outside const out;
    relock lock{get<system_mutex>(mutex)};
    auto& c = get<rl::condition_variable>(condition);
    if (!timed)
        return c.wait(lock, $), true;
    return c.wait_for(lock, 0, $);
}

void notify(object condition, bool all)
{
    outside const out;
    auto& c = get<rl::condition_variable>(condition);
    if (all)
        c.notify_all($);
    else
        c.notify_one($);
}

}
