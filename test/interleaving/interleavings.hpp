// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Runs shipped code of several threads in every order in which its accesses to what threads share
// can come, one access at a time.
//
// The threads are fibers of one thread. Each says point() before an access; there any other one may
// go on. Where several can, the bytes of all stacks, and of what is allocated, are saved: they are
// put back, and another one goes on, until all were tried. An execution is cut where it comes to a
// state that was seen before: a thread's own state follows from what its accesses have told it, so
// the digest of that and of what is shared stands for the state of the whole.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_INTERLEAVINGS_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_INTERLEAVINGS_HPP

#include <cstddef>
#include <cstdint>
#include <string>

namespace interleaving {

/// Threads and what they share. Never destroyed: an execution that is cut has threads that are in
/// the middle of something. What it allocates is forgotten with it.
class scenario
{
public:
    virtual std::size_t threads() const = 0;
    virtual void thread(std::size_t index) = 0;

    /// Whether that thread may wait for ever.
    virtual bool may_rest(std::size_t index) const = 0;

    /// When no thread can go on: what is wrong; null if nothing is.
    virtual char const* wrong_at_end() const = 0;

protected:
    ~scenario() = default;
};

struct exploration
{
    std::size_t executions = 0;
    std::size_t states = 0;
    std::size_t ends = 0;
    bool complete = true; // false: it gave up at the limit
    std::string wrong;    // empty: nothing was found
    std::string story;    // the accesses that lead to it
};

class maker
{
public:
    /// In memory from malloc(), which has any alignment here: it is saved and put back.
    virtual scenario* make() const = 0;

protected:
    ~maker() = default;
};

/// Ends at the first execution that goes wrong, or where there are more states than the limit.
exploration explore(maker const& of, std::size_t limit);

/// A variable of the code that is one for each thread, were they threads.
void keep_apart(void** variable);
void keep_apart(bool* variable, bool initial);

// For the threads.

/// Before an access to what threads share.
void point() noexcept;

/// Until the end of its scope there is only one point, at its beginning: all accesses are one step.
class one_step
{
public:
    one_step() noexcept;
    one_step(one_step const&) = delete;
    one_step& operator=(one_step const&) = delete;
    ~one_step();
};

/// What the access has told this thread. Not needed if it follows from what it knew before.
void observe(std::uint64_t value) noexcept;

/// Waits until that holds. As point(), before an access.
void await(bool (*holds)(void const*), void const* what) noexcept;

template <class F>
void await(F const& holds) noexcept
{
    await([](void const* f) { return (*static_cast<F const*>(f))(); }, &holds);
}

/// Whether all others wait, and will until this thread has done something.
bool is_alone() noexcept;

/// This thread has forgotten what it was told; only that is left.
void forget(std::uint64_t what_is_left) noexcept;

/// Ends the execution, which has gone wrong.
[[noreturn]] void fail(char const* what) noexcept;

std::size_t self() noexcept;

/// For the story; `tells()`: whether there is to be one.
bool tells() noexcept;
void tell(std::string const& what) noexcept;

/// A word that threads share, and that is a part of the state. Made while no execution runs, too:
/// then it is none.
class word
{
public:
    explicit word(std::uint64_t value) noexcept;
    word(word const&) = delete;
    word& operator=(word const&) = delete;

    std::uint64_t get() const noexcept { return value_; }
    void set(std::uint64_t value) noexcept;

private:
    std::uint64_t value_;
    std::size_t number_;
};

}

#endif
