// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_SIMULATION_ASIO_PEERS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_SIMULATION_ASIO_PEERS_HPP

#include "asio_scheduler.hpp"

#include <cstddef>
#include <deque>

namespace benchmark::simulation {

/// What is made of Asio alone.
class asio_peer : public peer
{
public:
    duration cpu_time() const override;
    std::uint64_t switches() const override;
    std::size_t threads() const override;

protected:
    std::deque<asio_scheduler> schedulers_;
};

/// Contexts with so many threads each, that share the chains.
class io_contexts final : public asio_peer
{
public:
    io_contexts(machine& on, std::size_t contexts, std::size_t threads);

private:
    void accept(task const& t, thread* by) override;
};

/// An io_context with a thread that gives handlers to a thread_pool.
class offloading_context final : public asio_peer
{
public:
    enum class handlers
    {
        all,
        blocking, // the others it runs itself: it is told in advance which are which
    };

    offloading_context(machine& on, std::size_t threads, handlers which);

private:
    void accept(task const& t, thread* by) override;
};

} // namespace benchmark::simulation

#endif
