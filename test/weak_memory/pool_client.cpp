// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A client leaves its pool: what its last tasks did is seen by the thread that waits for them, and the one
// that destroys it is the last to use it. Or a thread waits only until they are done or another has come.

#include "check.hpp"
#include "checked_std.hpp"
#include "stand_ins.hpp"

#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy.hpp>

#include <boost/asio/recycling_allocator.hpp>

#include <memory>

#define std checked
#include <asio_ewyk/detail/pool/pool_client.hpp>
#undef std

BOOST_AUTO_TEST_SUITE(pool_client)

namespace {

using namespace weak_memory;
namespace detail = asio_ewyk::detail;

// elastic_threads::release() and leave().
struct leaves : scenario
{
    leaves()
    {
        client->pin();
        client->pin();
    }

    void thread(unsigned index) override
    {
        if (index != 0)
        {
            done[index - 1] = 1;
            if (client->unpin())
            {
                std::lock_guard const lock(mutex);
                changed.notify_all();
            }
            return;
        }
        {
            std::unique_lock lock(mutex);
            client->leave();
            client->begin_wait();
            changed.wait(lock, [&] { return client->pins() == 0; });
            client->end_wait();
        }
        claim(done[0] == 1 && done[1] == 1, "it sees what its tasks did");
        client.reset();
    }

    checked::mutex mutex;
    checked::condition_variable changed;
    std::unique_ptr<detail::pool_client> client = std::make_unique<detail::pool_client>(this);
    int done[2] = {};
};

// elastic_threads::await() and end_await(): the last caller of run() waits until a thread of the pool has
// done its task, or until another caller has come.
template <bool Ends>
struct awaits : scenario
{
    awaits() { client.pin(); }

    void thread(unsigned index) override
    {
        if (index == 0)
        {
            std::unique_lock lock(mutex);
            client.begin_wait();
            changed.wait(lock, [&] { return client.pins() == 0 || enough.load() != 0; });
            client.end_wait();
            if (Ends)
                claim(done == 1, "it sees what its task did");
            return;
        }
        if (Ends)
        {
            done = 1;
            if (client.unpin())
                tell();
        }
        // context's threads::runner_came()
        else if (enough.fetch_add(1) == 0 && client.awaited())
            tell();
    }

    void tell()
    {
        std::lock_guard const lock(mutex);
        changed.notify_all();
    }

    checked::mutex mutex;
    checked::condition_variable changed;
    detail::pool_client client{this};
    checked::atomic<std::size_t> enough{0};
    int done = 0;
};

std::vector<named_setup> const scenarios{
    {"a client leaves", setup_of<leaves>(3)},
    {"one waits for a task", setup_of<awaits<true>>(2)},
    {"one waits, another one comes", setup_of<awaits<false>>(2)},
};

}

BOOST_AUTO_TEST_CASE(is_left_by_all)
{
    check(scenarios);
    weaken(scenarios,
        {
            {"pool_client.hpp unpin", access::modify, seq_cst, release, "the thread that waits acquires"},
            {"pool_client.hpp begin_wait", access::modify, seq_cst, seq_cst, ""},
            {"pool_client.hpp awaited", access::load, seq_cst, seq_cst, ""},
        });
}

BOOST_AUTO_TEST_SUITE_END()
