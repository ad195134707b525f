// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "interleavings.hpp"

#include <boost/context/fiber.hpp>

#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace interleaving {

namespace {

constexpr std::size_t max_threads = 6;
constexpr std::size_t stack_size = 64 * 1024;
constexpr std::size_t arena_size = 256 * 1024;
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

// Reused by each execution.
struct stack
{
    std::unique_ptr<char[]> memory{new char[stack_size]};
};

struct use_stack
{
    stack* of;

    boost::context::stack_context allocate() const
    {
        boost::context::stack_context c;
        c.size = stack_size;
        c.sp = of->memory.get() + stack_size;
        return c;
    }

    void deallocate(boost::context::stack_context&) const noexcept {}
};

struct fiber_thread
{
    // Not destroyed: that would unwind its stack, and run code under test.
    alignas(boost::context::fiber) unsigned char fiber[sizeof(boost::context::fiber)];
    boost::context::fiber back;
    stack its;
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
};

struct set_of_states
{
    // False if it was there.
    bool add(std::uint64_t key)
    {
        if ((size_ + 1) * 2 > table_.size())
            grow();
        key |= key == 0;
        std::size_t i = key & (table_.size() - 1);
        for (; table_[i] != 0; i = (i + 1) & (table_.size() - 1))
            if (table_[i] == key)
                return false;
        table_[i] = key;
        ++size_;
        return true;
    }

    std::size_t size() const noexcept { return size_; }

    void clear()
    {
        table_.assign(1024, 0);
        size_ = 0;
    }

private:
    void grow()
    {
        auto const before = std::exchange(table_, std::vector<std::uint64_t>(table_.size() * 2));
        size_ = 0;
        for (std::uint64_t key : before)
            if (key != 0)
                add(key);
    }

    std::vector<std::uint64_t> table_ = std::vector<std::uint64_t>(1024);
    std::size_t size_ = 0;
};

std::array<fiber_thread, max_threads> threads;
std::size_t used_threads = 0;
std::size_t running = 0;
std::size_t next = 0;
constexpr std::size_t nobody = max_threads;

std::vector<decision> path;
std::size_t depth = 0;    // in path
std::size_t accesses = 0;
set_of_states seen;
std::uint64_t shared = 0; // digest of all words
std::size_t words = 0;
bool in_one_step = false;
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

// What the code under test allocates.
alignas(64) unsigned char arena[arena_size];
std::size_t arena_used = 0;
bool in_arena = false;

std::uint64_t digest_of(std::size_t number, std::uint64_t value) noexcept
{
    return mix(value + (number + 1) * 0x9e3779b97f4a7c15u);
}

std::uint64_t key() noexcept
{
    std::uint64_t k = shared;
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
    else if (++accesses > max_depth)
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
            bool const on = (options >> running & 1) != 0;
            auto const chosen = on ? running : static_cast<std::size_t>(std::countr_zero(options));
            path.push_back({static_cast<std::uint8_t>(options & ~(1u << chosen)),
                static_cast<std::uint8_t>(chosen)});
        }
        next = path[depth++].chosen;
    }
}

// To the thread that goes on, or out of all of them.
void leave() noexcept
{
    in_arena = false;
    fiber_thread& me = threads[running];
    me.own.save();
    me.back = std::move(me.back).resume();
    in_arena = true;
}

void wait_for_turn() noexcept
{
    in_arena = false;
    if (!beginning)
        decide();
    if (beginning || next != running)
        leave();
    in_arena = true;
}

void resume(std::size_t i)
{
    running = i;
    fiber_thread& t = threads[i];
    t.own.restore();
    in_arena = true;
    t.get() = std::move(t.get()).resume();
    in_arena = false;
}

void run_threads()
{
    own_state mine;
    mine.save();
    beginning = true;
    for (std::size_t i = 0; i != used_threads; ++i)
        resume(i);
    beginning = false;
    running = 0;
    decide();
    while (next != nobody)
    {
        resume(next);
        if (threads[running].done && ended == ending::none)
            decide();
    }
    mine.restore();
}

void execute(maker const& of)
{
    depth = accesses = words = shared = arena_used = 0;
    in_one_step = false;
    ended = ending::none;
    reason = nullptr;
    running = 0;
    in_arena = true;
    scenario* const s = of.make();
    in_arena = false;
    used_threads = s->threads();
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
        ::new (&t.fiber) boost::context::fiber(std::allocator_arg, use_stack{&t.its},
            [s, i](boost::context::fiber&& back) {
                threads[i].back = std::move(back);
                s->thread(i);
                in_arena = false;
                threads[i].done = true;
                threads[i].told = ~std::uint64_t{0};
                threads[i].own.save();
                return std::move(threads[i].back);
            });
    }
    run_threads();
    if (ended != ending::end)
        return;
    reason = s->wrong_at_end();
    for (std::size_t i = 0; i != used_threads && !reason; ++i)
        if (!threads[i].done && !s->may_rest(i))
            reason = "a thread waits for ever";
    if (reason)
        ended = ending::wrong;
}

// False if all was tried.
bool backtrack()
{
    for (; !path.empty(); path.pop_back())
        if (decision& d = path.back(); d.options != 0)
        {
            d.chosen = static_cast<std::uint8_t>(std::countr_zero(d.options));
            d.options = static_cast<std::uint8_t>(d.options & (d.options - 1));
            return true;
        }
    return false;
}

}

exploration explore(maker const& of, std::size_t limit)
{
    exploration result;
    path.clear();
    seen.clear();
    telling = false;
    do
    {
        execute(of);
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
        execute(of);
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
    if (in_one_step)
        return;
    threads[running].holds = nullptr;
    wait_for_turn();
    observe(0); // at least that it has come so far
}

void await(bool (*holds)(void const*), void const* what) noexcept
{
    fiber_thread& me = threads[running];
    me.holds = holds;
    me.what = what;
    wait_for_turn();
    me.holds = nullptr;
    observe(0);
}

one_step::one_step() noexcept
{
    point();
    in_one_step = true;
}

one_step::~one_step() { in_one_step = false; }

void observe(std::uint64_t value) noexcept
{
    fiber_thread& me = threads[running];
    me.told = mix(me.told * 3 + value + 1);
}

void forget(std::uint64_t what_is_left) noexcept { threads[running].told = what_is_left; }

void fail(char const* what) noexcept
{
    ended = ending::wrong;
    reason = what;
    next = nobody;
    leave();
    std::abort();
}

std::size_t self() noexcept { return running; }

bool tells() noexcept { return telling; }

void tell(std::string const& what) noexcept
{
    bool const arena_before = std::exchange(in_arena, false);
    story += "\n    ";
    story += static_cast<char>('A' + running);
    story += ": ";
    story += what;
    in_arena = arena_before;
}

word::word(std::uint64_t value) noexcept
    : value_(value)
    , number_(words++)
{
    shared += digest_of(number_, value);
}

void word::set(std::uint64_t value) noexcept
{
    shared += digest_of(number_, value) - digest_of(number_, value_);
    value_ = value;
}

}

// What an execution that is cut has allocated would be lost.

void* operator new(std::size_t size)
{
    using namespace interleaving;
    if (!in_arena)
    {
        if (void* p = std::malloc(size))
            return p;
        throw std::bad_alloc();
    }
    std::size_t const at = (arena_used + 63) & ~std::size_t{63};
    if (at + size > arena_size)
        std::abort();
    arena_used = at + size;
    return arena + at;
}

void operator delete(void* p) noexcept
{
    auto* const bytes = static_cast<unsigned char*>(p);
    if (bytes < interleaving::arena || bytes >= interleaving::arena + interleaving::arena_size)
        std::free(p);
}

void operator delete(void* p, std::size_t) noexcept { operator delete(p); }
