// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The pool: threads that park and tasks that are queued or handed to them; a client that leaves;
// the end.

#include "check.hpp"
#include "checked_futex.hpp"
#include "stand_ins.hpp"

#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy.hpp>
#include <asio_ewyk/worker_pool_options.hpp>

#include <boost/asio/execution_context.hpp>
#include <boost/asio/recycling_allocator.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#define std checked
#define syscall checked_futex
#include <asio_ewyk/detail/pool/elastic_threads.hpp>
#undef syscall
#undef std

BOOST_AUTO_TEST_SUITE(elastic_threads)

namespace {

using namespace weak_memory;
namespace detail = asio_ewyk::detail;

// What has to be done until a thread may go on.
class countdown
{
public:
    explicit countdown(int n)
        : left_(n)
    {
    }

    void done()
    {
        std::lock_guard const lock(mutex_);
        --left_;
        zero_.notify_all();
    }

    void wait()
    {
        std::unique_lock lock(mutex_);
        zero_.wait(lock, [this] { return left_ == 0; });
    }

private:
    checked::mutex mutex_;
    checked::condition_variable zero_;
    int left_;
};

struct job : detail::task
{
    job()
        : task(&job::act, {}, {})
    {
    }

    static boost::core::typeinfo const* act(task* t, detail::task_purpose purpose)
    {
        auto* const self = static_cast<job*>(t);
        claim(self->given == 1, "it sees what was written before");
        ++self->given;
        if (purpose == detail::task_purpose::run && self->ran)
            self->ran->done();
        return nullptr;
    }

    int given = 0;
    countdown* ran = nullptr; // null: none waits for it
};

asio_ewyk::worker_pool_options options(std::size_t max, std::size_t min)
{
    asio_ewyk::worker_pool_options o;
    o.max_threads = max;
    o.min_threads = min;
    o.reserve = 0;
    return o;
}

// Two give tasks to the pool; one of them waits for all, and ends it.
template <std::size_t Max, std::size_t Min, bool Tries>
struct two_submit : scenario
{
    void thread(unsigned index) override
    {
        for (int i = 0; i != 2; ++i)
        {
            job& j = jobs[index][i];
            j.given = 1;
            j.ran = &left;
            if (Tries && pool.try_execute(client, &j))
                continue;
            auto const outcome = pool.execute(client, &j);
            claim(outcome == detail::elastic_threads::outcome::accepted
                    || outcome == detail::elastic_threads::outcome::no_thread, "it is accepted");
        }
        submitted.done();
        if (index != 0)
            return;
        submitted.wait();
        left.wait();
        pool.leave(client);
        pool.stop_and_wait();
        for (auto& of : jobs)
            for (job& j : of)
                claim(j.given == 2, "each ran");
    }

    countdown submitted{2};
    countdown left{4};
    detail::pool_client client{this};
    job jobs[2][2];
    detail::elastic_threads pool{options(Max, Min)};
};

std::vector<named_setup> const all{
    {"one thread", setup_of<two_submit<1, 1, false>>(2, 2), 10'000},
    {"two threads", setup_of<two_submit<2, 2, false>>(2, 2), 10'000},
    {"two threads, some are handed over", setup_of<two_submit<2, 2, true>>(2, 2), 10'000},
};

}

BOOST_AUTO_TEST_CASE(lose_nothing)
{
    keep_apart(reinterpret_cast<void**>(&detail::call_frame::top_));
    check(all);
    std::vector<needed_order> needed{
        {"parked_threads.hpp park", access::modify, seq_cst, seq_cst, ""},
        {"parked_threads.ipp claim", access::load, seq_cst, seq_cst, ""},
        {"parked_threads.ipp claim", access::modify, seq_cst, acquire, "the job is published by unpark()"},
    };
    // These show after some hundred thousand executions, which take minutes.
    if (std::getenv("EWYK_WEAK_MEMORY_ALL"))
        for (auto const& [function, kind] : {std::pair("elastic_threads.ipp execute", access::store),
                 std::pair("elastic_threads.ipp next", access::load)})
            needed.push_back({function, kind, seq_cst, seq_cst, ""});
    weaken(all, needed);
}

BOOST_AUTO_TEST_SUITE_END()
