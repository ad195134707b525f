// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "interleavings.hpp"

#include "arena.hpp"
#include "set_of_states.hpp"

#include <boost/context/fiber.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace interleaving {

namespace {

constexpr std::size_t max_threads = 6;
constexpr std::size_t stack_size = 64 * 1024;
constexpr std::size_t max_depth = 5000;

std::uint64_t mix(std::uint64_t x) noexcept
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

struct separate
{
    void* variable;
    std::size_t size;
    void* initial;
};
std::array<separate, 4> variables{};
std::size_t used_variables = 0;

// What C++ keeps for each thread, and the code under test: exceptions that are under way, and the
// variables.
struct own_state
{
    struct
    {
        void* caught;
        unsigned uncaught;
    } exceptions{};
    std::array<void*, 4> values{};

    void save() noexcept
    {
        std::memcpy(&exceptions, abi::__cxa_get_globals(), sizeof exceptions);
        for (std::size_t i = 0; i != used_variables; ++i)
            std::memcpy(&values[i], variables[i].variable, variables[i].size);
    }

    void restore() const noexcept
    {
        std::memcpy(static_cast<void*>(abi::__cxa_get_globals()), &exceptions, sizeof exceptions);
        for (std::size_t i = 0; i != used_variables; ++i)
            std::memcpy(variables[i].variable, &values[i], variables[i].size);
    }
};

struct alignas(16) stack
{
    std::array<unsigned char, stack_size> memory;
};

struct use_stack
{
    stack* of;

    boost::context::stack_context allocate() const
    {
        boost::context::stack_context c;
        c.size = stack_size;
        c.sp = of->memory.data() + stack_size;
        return c;
    }

    void deallocate(boost::context::stack_context&) const noexcept {}
};

struct fiber_thread
{
    // Not destroyed: that would unwind its stack, and run code under test.
    alignas(boost::context::fiber) unsigned char fiber[sizeof(boost::context::fiber)];
    own_state own;
    std::uint64_t told = 0;
    bool (*holds)(void const*) = nullptr;
    void const* what = nullptr;
    bool done = false;

    boost::context::fiber& get() noexcept
    {
        return *std::launder(reinterpret_cast<boost::context::fiber*>(&fiber));
    }

    bool can_go_on() const noexcept { return !done && (!holds || holds(what)); }
};

// Which threads could go on there, and which one has; those before it were tried.
struct decision
{
    std::uint8_t options;
    std::uint8_t chosen;
    std::size_t saved; // where in what is saved the state before it begins
};

std::array<fiber_thread, max_threads> threads;
std::array<stack, max_threads> stacks;
// Empty while the thread does not run, and so no part of what is saved.
std::array<boost::context::fiber, max_threads> back;

// What else belongs to an execution.
struct
{
    std::size_t running = 0;
    std::size_t accesses = 0;
    std::uint64_t shared = 0; // digest of all words
    std::size_t words = 0;
    bool in_one_step = false;
} now;

scenario* of_now = nullptr;
std::size_t used_threads = 0;
std::size_t next = 0;
constexpr std::size_t nobody = max_threads;

std::vector<decision> path;
std::size_t depth = 0;    // in path
bool is_new = false;      // the last decision: the state before it is to be saved
std::vector<unsigned char> saved;
set_of_states seen;
bool beginning = false;   // each thread is to come to its first point
bool telling = false;
std::string story;

enum class ending
{
    none,
    end,
    cut,
    wrong,
};
ending ended = ending::none;
char const* reason = nullptr;

// A state is the bytes of what is saved, which go back to where they were: pointers stay right.

// Of a thread that does not run: from its stack pointer, which is what a fiber consists of.
std::span<unsigned char> stack_in_use(std::size_t i) noexcept
{
    static_assert(sizeof(boost::context::fiber) == sizeof(unsigned char*));
    unsigned char* begin = nullptr;
    std::memcpy(&begin, &threads[i].fiber, sizeof begin);
    auto* const end = stacks[i].memory.data() + stack_size;
    return {begin ? begin : end, end};
}

std::size_t save()
{
    auto const add = [](void const* from, std::size_t size) {
        auto const* const bytes = static_cast<unsigned char const*>(from);
        saved.insert(saved.end(), bytes, bytes + size);
    };
    std::size_t const at = saved.size();
    add(&now, sizeof now);
    add(&threads, used_threads * sizeof(fiber_thread));
    add(&arena::used, sizeof arena::used);
    add(arena::memory, arena::used);
    for (std::size_t i = 0; i != used_threads; ++i)
        add(stack_in_use(i).data(), stack_in_use(i).size());
    return at;
}

void restore(std::size_t at) noexcept
{
    auto const take = [&](void* to, std::size_t size) {
        std::memcpy(to, saved.data() + at, size);
        at += size;
    };
    take(&now, sizeof now);
    take(&threads, used_threads * sizeof(fiber_thread));
    take(&arena::used, sizeof arena::used);
    take(arena::memory, arena::used);
    for (std::size_t i = 0; i != used_threads; ++i)
        take(stack_in_use(i).data(), stack_in_use(i).size());
}

std::uint64_t digest_of(std::size_t number, std::uint64_t value) noexcept
{
    return mix(value + (number + 1) * 0x9e3779b97f4a7c15u);
}

std::uint64_t key() noexcept
{
    std::uint64_t k = now.shared;
    for (std::size_t i = 0; i != used_threads; ++i)
        k += mix(threads[i].told + (i + 1) * 0xc2b2ae3d27d4eb4fu);
    return mix(k);
}

void decide() noexcept
{
    unsigned options = 0;
    for (std::size_t i = 0; i != used_threads; ++i)
        options |= static_cast<unsigned>(threads[i].can_go_on()) << i;
    if (depth == path.size() && !telling && !seen.add(key()))
    {
        ended = ending::cut;
        next = nobody;
    }
    else if (options == 0)
    {
        ended = ending::end;
        next = nobody;
    }
    else if (++now.accesses > max_depth)
    {
        ended = ending::wrong;
        reason = "threads keep each other busy for ever";
        next = nobody;
    }
    else if (std::has_single_bit(options))
        next = static_cast<std::size_t>(std::countr_zero(options));
    else
    {
        if (depth == path.size())
        {
            // The one that runs goes on first: no change of threads.
            bool const on = (options >> now.running & 1) != 0;
            auto const chosen
                = on ? now.running : static_cast<std::size_t>(std::countr_zero(options));
            path.push_back({static_cast<std::uint8_t>(options & ~(1u << chosen)),
                static_cast<std::uint8_t>(chosen), 0});
            is_new = true;
        }
        next = path[depth++].chosen;
    }
}

// To the thread that goes on, or out of all of them.
void leave() noexcept
{
    arena::in_use = false;
    std::size_t const me = now.running;
    threads[me].own.save();
    back[me] = std::move(back[me]).resume();
    arena::in_use = true;
}

void wait_for_turn() noexcept
{
    arena::in_use = false;
    if (!beginning)
        decide();
    // A thread that runs cannot be saved.
    if (beginning || is_new || next != now.running)
        leave();
    arena::in_use = true;
}

void resume(std::size_t i)
{
    now.running = i;
    fiber_thread& t = threads[i];
    t.own.restore();
    arena::in_use = true;
    t.get() = std::move(t.get()).resume();
    arena::in_use = false;
}

void begin(maker const& of)
{
    now = {};
    arena::used = 0;
    depth = 0;
    arena::in_use = true;
    of_now = of.make();
    arena::in_use = false;
    used_threads = of_now->threads();
    if (used_threads > max_threads)
        std::abort();
    for (std::size_t i = 0; i != used_threads; ++i)
    {
        fiber_thread& t = threads[i];
        t.own = {};
        for (std::size_t v = 0; v != used_variables; ++v)
            t.own.values[v] = variables[v].initial;
        t.told = 0;
        t.holds = nullptr;
        t.done = false;
        ::new (&t.fiber) boost::context::fiber(std::allocator_arg, use_stack{&stacks[i]},
            [i](boost::context::fiber&& b) {
                back[i] = std::move(b);
                of_now->thread(i);
                arena::in_use = false;
                threads[i].done = true;
                threads[i].told = ~std::uint64_t{0};
                threads[i].own.save();
                return std::move(back[i]);
            });
    }
}

void run_threads(bool from_the_beginning)
{
    own_state mine;
    mine.save();
    if (from_the_beginning)
    {
        beginning = true;
        for (std::size_t i = 0; i != used_threads; ++i)
            resume(i);
        beginning = false;
        now.running = 0;
        decide();
    }
    while (next != nobody)
    {
        if (std::exchange(is_new, false))
            path.back().saved = save();
        resume(next);
        if (threads[now.running].done && ended == ending::none)
            decide();
    }
    mine.restore();
}

// All of it, or what comes after the last decision in path.
void execute(maker const& of, bool from_the_beginning)
{
    ended = ending::none;
    reason = nullptr;
    if (from_the_beginning)
        begin(of);
    run_threads(from_the_beginning);
    if (ended != ending::end)
        return;
    reason = of_now->wrong_at_end();
    for (std::size_t i = 0; i != used_threads && !reason; ++i)
        if (!threads[i].done && !of_now->may_rest(i))
            reason = "a thread waits for ever";
    if (reason)
        ended = ending::wrong;
}

// To the last state where another thread may go on. False if all was tried.
bool backtrack()
{
    for (; !path.empty(); path.pop_back())
    {
        decision& d = path.back();
        if (d.options != 0)
        {
            d.chosen = static_cast<std::uint8_t>(std::countr_zero(d.options));
            d.options = static_cast<std::uint8_t>(d.options & (d.options - 1));
            restore(d.saved);
            depth = path.size();
            next = d.chosen;
            return true;
        }
        saved.resize(d.saved);
    }
    return false;
}

}

exploration explore(maker const& of, std::size_t limit)
{
    exploration result;
    path.clear();
    saved.clear();
    seen.clear();
    telling = false;
    do
    {
        execute(of, result.executions == 0);
        ++result.executions;
        if (ended == ending::end)
            ++result.ends;
        if (seen.size() >= limit)
            result.complete = false;
    } while (ended != ending::wrong && result.complete && backtrack());
    result.states = seen.size();
    if (ended == ending::wrong)
    {
        result.wrong = reason;
        telling = true;
        story.clear();
        execute(of, true);
        telling = false;
        result.story = std::move(story);
    }
    return result;
}

void keep_apart(void** variable)
{
    if (used_variables == variables.size())
        std::abort();
    variables[used_variables++] = {variable, sizeof *variable, nullptr};
}

void keep_apart(bool* variable, bool initial)
{
    if (used_variables == variables.size())
        std::abort();
    separate s{variable, sizeof *variable, nullptr};
    std::memcpy(&s.initial, &initial, sizeof initial);
    variables[used_variables++] = s;
}

void point() noexcept
{
    if (now.in_one_step)
        return;
    threads[now.running].holds = nullptr;
    wait_for_turn();
    observe(0); // at least that it has come so far
}

void await(bool (*holds)(void const*), void const* what) noexcept
{
    fiber_thread& me = threads[now.running];
    me.holds = holds;
    me.what = what;
    wait_for_turn();
    me.holds = nullptr;
    observe(0);
}

one_step::one_step() noexcept
{
    point();
    now.in_one_step = true;
}

one_step::~one_step() { now.in_one_step = false; }

void observe(std::uint64_t value) noexcept
{
    std::uint64_t& told = threads[now.running].told;
    told = mix(told * 3 + value + 1);
}

bool is_alone() noexcept
{
    for (std::size_t i = 0; i != used_threads; ++i)
        if (i != now.running && threads[i].can_go_on())
            return false;
    return true;
}

void forget(std::uint64_t what_is_left) noexcept { threads[now.running].told = what_is_left; }

void fail(char const* what) noexcept
{
    ended = ending::wrong;
    reason = what;
    next = nobody;
    leave();
    std::abort();
}

std::size_t self() noexcept { return now.running; }

bool tells() noexcept { return telling; }

void tell(std::string const& what) noexcept
{
    bool const arena_before = std::exchange(arena::in_use, false);
    story += "\n    ";
    story += static_cast<char>('A' + now.running);
    story += ": ";
    story += what;
    arena::in_use = arena_before;
}

word::word(std::uint64_t value) noexcept
    : value_(value)
    , number_(now.words++)
{
    now.shared += digest_of(number_, value);
}

void word::set(std::uint64_t value) noexcept
{
    now.shared += digest_of(number_, value) - digest_of(number_, value_);
    value_ = value;
}

}
