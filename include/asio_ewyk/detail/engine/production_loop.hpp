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
#include <boost/core/typeinfo.hpp>

#include <atomic>
#include <chrono>

namespace asio_ewyk::detail {

// Has one thread at a time take what there is to do from some source, until that has nothing more.
//
// again_: a thread has asked for production. Set before the lease is tried, and taken away by the
// producer before it looks at the source; the producer reads it once more after its lease has
// ended. So either the one that asked gets the lease, or the producer looks once more. (Jetty calls
// that REPRODUCING.) Set and taken away by an exchange, so that the producer sees what was done
// before each request. Sequentially consistent: Dekker with the lease.
//
// The object is itself the task that a thread is given to come and produce.
class BOOST_SYMBOL_VISIBLE production_loop : private task
{
public:
    production_loop(production_loop const&) = delete;
    production_loop& operator=(production_loop const&) = delete;

    // As long as there is something to do, and no other thread produces. In a task of its own:
    // dispatch().
    void produce();

    // Has another thread do that.
    void dispatch() noexcept;

    // Ends the threads that look after it, and waits for those of the pool. Before it is destroyed.
    void end()
    {
        succession_.watch().stop(true);
        threads_.leave();
    }

    // What its threads work for is found by this.
    void const* owner() const noexcept { return this; }

    // For diagnostics.
    succession const& state() const noexcept { return succession_; }
    elastic_threads& pool() const noexcept { return threads_.pool(); }
    pool_client const& client() const noexcept { return threads_.client(); }

protected:
    production_loop(elastic_threads& pool, strategy_t s, std::chrono::nanoseconds grace);
    ~production_loop();

    // Produces, keeps the lease no more, and runs what it has got or gives it away. False if it has
    // got nothing.
    virtual bool run_next(call_frame& frame) = 0;

    // A task that the pool has no thread for.
    void run_back(task* t, call_frame& frame);

    workforce threads_;
    succession succession_;

private:
    static boost::core::typeinfo const* act(task* base, task_purpose purpose);
    void arrive(call_frame& frame);
    void run_all(call_frame& frame);
    bool looks_again(call_frame& frame) noexcept;
    void give_up_request() noexcept;

    std::atomic<bool> again_{false};
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/engine/production_loop.ipp>
#endif

#endif
