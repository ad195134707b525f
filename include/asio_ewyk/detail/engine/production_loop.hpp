// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_PRODUCTION_LOOP_HPP
#define ASIO_EWYK_DETAIL_ENGINE_PRODUCTION_LOOP_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/workforce.hpp>
#include <asio_ewyk/detail/engine/succession.hpp>
#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/pool/elastic_threads.hpp>
#include <asio_ewyk/detail/task/task.hpp>
#include <asio_ewyk/strategy.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <chrono>

namespace asio_ewyk::detail {

// Has one thread at a time take tasks from a source, until that has none left.
//
// again_: a thread has asked for production. That thread sets it before it tries to get the lease;
// the producer clears it before it asks the source, and reads it once more after its lease has
// ended. So either the thread that asked gets the lease, or the producer asks the source once more.
// (Jetty calls that REPRODUCING.) Set and cleared by an exchange, so that the producer sees what
// was done before each request. Sequentially consistent: Dekker with the lease.
class BOOST_SYMBOL_VISIBLE production_loop : private succession_host
{
public:
    production_loop(production_loop const&) = delete;
    production_loop& operator=(production_loop const&) = delete;

    // Produces until the source has nothing left, unless another thread produces. In a task of the
    // loop: as dispatch().
    void produce();

    // Has another thread produce.
    void dispatch() noexcept;

    // Before the loop is destroyed: ends its watch, and waits for the pool's threads that work for
    // it.
    void end()
    {
        succession_.watch().stop(true);
        threads_.leave_pool();
    }

    // The key by which call_frame::find() finds this loop on a thread's stack.
    void const* frame_key() const noexcept { return this; }

    // For diagnostics.
    succession const& state() const noexcept { return succession_; }
    elastic_threads& pool() const noexcept { return threads_.pool(); }
    pool_client const& client() const noexcept { return threads_.client(); }

protected:
    production_loop(elastic_threads& pool, strategy_t s, std::chrono::nanoseconds grace);
    ~production_loop();

    // The producer, which keeps its lease: asks the source for one task, keeps the lease no more,
    // and runs the task or gives it to the pool. False if the source had none.
    virtual bool run_next(call_frame& frame) = 0;

    // The producer: runs a task that the pool has refused, as it has no thread for it.
    void run_refused(task* t, call_frame& frame);

    workforce threads_;
    succession succession_;

private:
    void arrive() override;
    void run_all(call_frame& frame);
    bool produces_again(call_frame& frame) noexcept;

    std::atomic<bool> again_{false};
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/engine/production_loop.ipp>
#endif

#endif
