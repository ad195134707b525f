// A client leaves its pool: what its last tasks did is seen by who waits for them, and who destroys
// it is the last to use it. Likewise the threads that are about to finish work.

#include "check.hpp"
#include "checked_io_context.hpp"
#include "stand_ins.hpp"

#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy.hpp>

#include <boost/asio/recycling_allocator.hpp>

#include <memory>

#define std checked
#define io_context checked_io_context
#include <asio_ewyk/detail/finishing.hpp>
#include <asio_ewyk/detail/pool_client.hpp>
#undef io_context
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
            changed.wait(lock, [&] { return client->left(); });
        }
        claim(done[0] == 1 && done[1] == 1, "it sees what its tasks did");
        client.reset();
    }

    checked::mutex mutex;
    checked::condition_variable changed;
    std::unique_ptr<detail::pool_client> client = std::make_unique<detail::pool_client>(this);
    int done[2] = {};
};

// Two end the work; whoever comes to zero stops the io_context, as Asio does, and so does the
// caller of run() that sees it. He restarts it then, and is not stopped by who was late.
struct finish : scenario
{
    void thread(unsigned index) override
    {
        if (index != 0)
        {
            finishers.begin();
            if (work.fetch_sub(1, std::memory_order_acq_rel) == 1)
                ioc.stop();
            finishers.end();
            return;
        }
        while (work.load(std::memory_order_acquire) != 0)
            yield();
        ioc.stop();
        finishers.await_stop(ioc);
        ioc.restart();
        restarted = true;
    }

    void after() override { claim(!ioc.stopped(), "nobody stops it after the restart"); }

    boost::asio::checked_io_context ioc;
    detail::finishing finishers;
    checked::atomic<int> work{2};
    bool restarted = false;
};

std::vector<named_setup> const scenarios{
    {"a client leaves", setup_of<leaves>(3)},
    {"two finish", setup_of<finish>(3)},
};

}

BOOST_AUTO_TEST_CASE(is_left_by_all)
{
    check(scenarios);
    weaken(scenarios,
        {
            {"pool_client.hpp unpin", access::modify, seq_cst, release, "who waits acquires"},
            {"pool_client.hpp left", access::load, seq_cst, acquire, "it is looked at under the lock"},
        });
}

BOOST_AUTO_TEST_SUITE_END()
