// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Runs a scenario of several threads again and again under Relacy, which knows what C++ allows a
// load to return; each time with another schedule and with other values.
//
// This interface is free of Relacy, whose headers replace operator new and define macros: only
// checker.cpp includes them. What is checked is compiled elsewhere, and reaches this by
// checked_std.hpp.

#ifndef ASIO_EWYK_TEST_WEAK_MEMORY_CHECKER_HPP
#define ASIO_EWYK_TEST_WEAK_MEMORY_CHECKER_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weak_memory {

/// Threads that share what this object holds. Made anew for each execution.
class scenario
{
public:
    virtual ~scenario() = default;
    virtual void thread(unsigned index) = 0;

    /// When all threads have ended.
    virtual void after() {}
};

/// `threads` call thread(); up to `more` are started by them.
struct setup
{
    unsigned threads;
    unsigned more;
    std::size_t size;
    scenario* (*make)(void* memory);
};

template <class Scenario>
setup setup_of(unsigned threads, unsigned more = 0)
{
    return {threads, more, sizeof(Scenario),
        [](void* memory) -> scenario* { return ::new (memory) Scenario; }};
}

enum class access
{
    load,
    store,
    modify, // reads and writes
};

/// An atomic operation in the source.
struct operation
{
    char const* file;
    char const* function;
    unsigned line;
    access kind;
    std::memory_order order;
};

/// An operation of the code that is checked whose order is made weaker, in all executions.
struct weakening
{
    operation where;
    std::memory_order to;
};

struct outcome
{
    std::size_t executions = 0;
    std::string wrong; // empty: nothing was found
    std::string story; // the execution that went wrong, if it was asked for
};

/// Ends at the first execution that goes wrong: a data race, a deadlock (what a lost wake-up comes
/// to), an access to what was freed, a claim() that does not hold.
outcome run(setup const& what, std::size_t executions, weakening const* flaw = nullptr,
    bool tell = false);

/// The atomic operations of shipped headers, and of copies of their lines in copied_*.hpp, that were
/// executed so far, by any run(); and forgets them.
std::vector<operation> take_operations();

/// The threads of a scenario are one thread: a thread-local pointer of the code under test is the
/// same for all of them, unless it is told here.
void keep_apart(void** variable);

// For the scenarios.

/// Fails the execution if false.
void claim(bool holds, char const* what);

/// For a thread that looks again and again: what others have written shows in the end.
void yield();

/// So much time passes that every thread sees what all have written until now. No order of C++ stands for
/// that: it says "within a reasonable amount of time" only.
void let_time_pass();

/// 0 to limit - 1, another one in each execution.
unsigned choose(unsigned limit);

/// Which thread of the scenario runs.
unsigned thread_index();

// What checked_std.hpp is made of. The objects have numbers, 0 is none.

using object = std::uint32_t;

/// Outside of an execution: none.
object make_atomic(unsigned size, std::uint64_t value);
void destroy_atomic(object o);
std::uint64_t load(object o, operation const& at);
void store(object o, std::uint64_t value, operation const& at);
enum class change
{
    exchange,
    add,
    subtract,
    bit_and,
    bit_or,
};
std::uint64_t modify(object o, change what, std::uint64_t by, operation const& at);
bool compare_exchange(
    object o, std::uint64_t& expected, std::uint64_t desired, bool weak, operation const& at);

/// Sleeps if the value is `old`, until wake(); or for no reason; or, if `timed`, until a deadline,
/// and then it is false.
bool sleep(object o, std::uint64_t old, bool timed);
void wake(object o, unsigned count);

object make_mutex();
void destroy_mutex(object o);
void lock(object o);
bool try_lock(object o);
void unlock(object o);

object make_condition();
void destroy_condition(object o);
/// False if it was `timed` and the deadline came.
bool wait(object condition, object mutex, bool timed);
void notify(object condition, bool all);

using thread_function = void* (*)(void*);
void* start_thread(thread_function f, void* argument);
void join_thread(void* thread);

}

#endif
