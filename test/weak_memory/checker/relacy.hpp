// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Relacy, all of it that is used. Its operator new is not: it is defined inline, and that of
// memory.cpp is to be called instead.

#ifndef ASIO_EWYK_TEST_WEAK_MEMORY_RELACY_HPP
#define ASIO_EWYK_TEST_WEAK_MEMORY_RELACY_HPP

#include "checker.hpp"
#include "memory.hpp"

[[gnu::noinline, gnu::noipa]] void* operator new(std::size_t);
[[gnu::noinline, gnu::noipa]] void* operator new[](std::size_t);
[[gnu::noinline, gnu::noipa]] void operator delete(void*) noexcept;
[[gnu::noinline, gnu::noipa]] void operator delete[](void*) noexcept;

#include <relacy/base.hpp>
#include <relacy/context.hpp>
#include <relacy/context_base_impl.hpp>
#include <relacy/atomic.hpp>
#include <relacy/dyn_thread.hpp>
#include <relacy/var.hpp>
#include <relacy/test_suite.hpp>
#include <relacy/stdlib/mutex.hpp>
#include <relacy/stdlib/condition_variable.hpp>
#include <relacy/stdlib/semaphore.hpp>
#include <relacy/stdlib/event.hpp>

namespace weak_memory {

/// The code under test is left, for Relacy; which may go on with another thread.
class outside
{
public:
    outside() noexcept { leave(); }
    ~outside() { come_back(); }
    outside(outside const&) = delete;
    outside& operator=(outside const&) = delete;

private:
    void leave() noexcept;
    void come_back() noexcept;

    void* own_[4]; // thread-local variables
};

/// With the weakening of this run.
rl::memory_order order_of(operation const& at);

/// An execution begins: the objects of the last one are gone.
void forget_objects();

}

#endif
