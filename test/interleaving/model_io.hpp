// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What io_production needs beside an io_context: who is told of looks for I/O, the wish for helpers, and
// a clock that stands still.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_MODEL_IO_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_MODEL_IO_HPP

#include "succession_parts.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

#define ASIO_EWYK_DETAIL_OS_WAIT_HOOK_HPP
#define ASIO_EWYK_DETAIL_ENGINE_PARALLELISM_HPP
namespace asio_ewyk::detail {

class wait_observer
{
public:
    virtual void begin(int file, bool waits) noexcept = 0;
    virtual void end(int file, bool waits) noexcept = 0;

    static wait_observer* of_this_thread() noexcept { return (*tops)[interleaving::self()]; }
    static inline std::array<wait_observer*, 8>* tops = nullptr;

protected:
    wait_observer() noexcept
        : outer_(std::exchange((*tops)[interleaving::self()], this))
    {
    }
    ~wait_observer() { (*tops)[interleaving::self()] = outer_; }

private:
    wait_observer* const outer_;
};

/// Nothing is measured: whether handlers are counted, and helpers are wanted, is a part of the setup.
struct parallelism
{
    using helper = task;
    static constexpr unsigned max_empty_polls = 1;
    bool const is_counting;
    bool const has_helpers;

    bool counts() const noexcept { return is_counting; }
    bool wants_help() const noexcept { return has_helpers; }
    void begin_count() const noexcept {}
    void count(std::size_t) const noexcept {}
    void producer_polls(bool) const noexcept {}
    void progressed(helper const&) const noexcept {}
    void add_cpu_time(std::chrono::nanoseconds) const noexcept {}
    void report_enough() const noexcept {}
};

}

namespace stepped {

namespace chrono {

using namespace ::std::chrono;

struct steady_clock : ::std::chrono::steady_clock
{
    static time_point now() noexcept { return {}; }
};

}

namespace this_thread {

inline void sleep_for(::std::chrono::nanoseconds) noexcept {}

}

}

#endif
