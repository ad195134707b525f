#include <asio_ewyk/serve.hpp>

#include "serve_support.hpp"
#include <asio_ewyk/strategy_context.hpp>

#include <deque>
#include <stdexcept>

#if defined(__linux__)
#include <sys/resource.h>
#endif

BOOST_AUTO_TEST_SUITE(serve_faults)

namespace {

using namespace support;

BOOST_AUTO_TEST_CASE(a_session_that_throws_ends_alone)
{
    std::atomic<int> thrown{0};
    gathering errors;
    ewyk::event_loop_group boss(1), workers(2);
    auto const session = [](tcp::socket socket) -> asio::awaitable<void> {
        char c;
        co_await socket.async_read_some(asio::buffer(&c, 1), asio::use_awaitable);
        if (c == 't')
            throw std::runtime_error("thrown");
        co_await asio::async_write(socket, asio::buffer(&c, 1), asio::use_awaitable);
        co_await echo(std::move(socket));
    };
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, session,
        {.max_connections = 4,
            .on_session_error =
                [&](std::exception_ptr e) {
                    try
                    {
                        std::rethrow_exception(e);
                    }
                    catch (std::runtime_error const&)
                    {
                        ++thrown;
                    }
                    errors.arrive();
                }},
        asio::detached);
    client good(where);
    BOOST_TEST(good.ask('g') == 'g');
    for (int i = 0; i != 10; ++i)
        BOOST_TEST(client(where).ask('t') == lost);
    BOOST_TEST(good.ask('g') == 'g');
    BOOST_TEST(errors.wait_for(10));
    BOOST_TEST(thrown == 10);
}

// A function that returns a coroutine, and throws before.
BOOST_AUTO_TEST_CASE(a_session_that_does_not_begin)
{
    std::atomic<int> calls{0}, errors{0};
    ewyk::event_loop_group boss(1), workers(2);
    auto const session = [&](tcp::socket socket) {
        if (++calls <= 3)
            throw std::runtime_error("no session");
        return echo(std::move(socket));
    };
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, session,
        {.max_connections = 1, .on_session_error = [&](std::exception_ptr) { ++errors; }},
        asio::detached);
    for (int i = 0; i != 3; ++i)
        BOOST_TEST(client(where).receive() == lost);
    BOOST_TEST(client(where).ask() == 'x');
    BOOST_TEST(errors == 3);
}

BOOST_AUTO_TEST_CASE(a_chooser_that_throws_leaves_the_client_waiting)
{
    std::atomic<int> calls{0}, errors{0};
    ewyk::event_loop_group boss(1), workers(2, {}, [&](auto const&) -> std::size_t {
        return ++calls <= 2 ? 7 : 1;
    });
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo,
        {.back_off = 1ms, .on_session_error = [&](std::exception_ptr) { ++errors; }},
        asio::detached);
    BOOST_TEST(client(where).ask() == 'x');
    BOOST_TEST(errors == 2);
}

BOOST_AUTO_TEST_CASE(a_worker_that_refuses)
{
    gathering errors;
    event begun, go_on;
    ewyk::event_loop boss;
    ewyk::event_loop worker({.max_pending_tasks = 1});
    asio::post(worker, [&] {
        begun.set();
        go_on.wait();
    });
    BOOST_TEST(begun.wait());
    asio::post(worker, [] {}); // the one that may wait
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), worker, echo,
        {.back_off = 1ms, .on_session_error = [&](std::exception_ptr) { errors.arrive(); }},
        asio::detached);
    BOOST_TEST(client(where).receive() == lost);
    BOOST_TEST(errors.wait_for(1));
    go_on.set();
    BOOST_TEST(eventually([&] {
        client next(where);
        try
        {
            return next.ask() == 'x';
        }
        catch (boost::system::system_error const&)
        {
            return false; // refused before it could ask
        }
    }));
}

// UndefinedBehaviorSanitizer opens a pipe to look at an object.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
// While it lives the process can open no more descriptors.
class no_descriptors
{
public:
    no_descriptors()
    {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        int const next = ::dup(0);
        ::close(next);
        rlimit now = before_;
        now.rlim_cur = static_cast<rlim_t>(next);
        ::setrlimit(RLIMIT_NOFILE, &now);
    }
    no_descriptors(no_descriptors const&) = delete;
    no_descriptors& operator=(no_descriptors const&) = delete;
    ~no_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};

BOOST_AUTO_TEST_CASE(out_of_descriptors)
{
    std::atomic<int> reports{0}, others{0};
    gathering reported;
    ewyk::event_loop_group boss(1), workers(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo,
        {.back_off = 1ms,
            .on_accept_error =
                [&](boost::system::error_code e) {
                    ++(e == asio::error::no_descriptors ? reports : others);
                    reported.arrive();
                }},
        asio::detached);
    client before(where), during, after;
    BOOST_TEST(before.ask() == 'x');
    {
        no_descriptors const none;
        during.connect(where);
        during.send('d');
        BOOST_TEST(reported.wait_for(1));
        BOOST_TEST(before.ask() == 'x');
    }
    BOOST_TEST(during.receive() == 'd');
    after.connect(where);
    BOOST_TEST(after.ask() == 'x');
    BOOST_TEST(reports == 1); // however often it tried
    BOOST_TEST(others == 0);
}
#endif

#if defined(__linux__)
BOOST_AUTO_TEST_CASE(an_acceptor_that_is_broken_ends_the_operation)
{
    outcome over;
    ewyk::event_loop_group boss(1), workers(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    int const descriptor = acceptor.native_handle();
    ewyk::serve(std::move(acceptor), workers, echo, over.token());
    client live(where);
    BOOST_TEST(live.ask() == 'x');
    ::shutdown(descriptor, SHUT_RDWR);
    BOOST_TEST(live.ask() == 'x');
    live.close();
    BOOST_TEST(over.wait());
    BOOST_REQUIRE(over.failure());
    BOOST_CHECK_EXCEPTION(std::rethrow_exception(over.failure()), boost::system::system_error,
        [](auto const& e) { return e.code() == asio::error::invalid_argument; });
}
#endif

enum class first
{
    boss,
    workers,
};

template <class Boss, class Workers>
void destroy_under_load(first goes)
{
    census handlers;
    auto boss = std::make_unique<Boss>();
    auto workers = std::make_unique<Workers>();
    auto acceptor = acceptor_of(*boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(
        std::move(acceptor), *workers,
        [kept = resident(handlers)](tcp::socket socket) { return echo(std::move(socket)); },
        {.max_connections = 8}, resident(handlers));
    std::atomic<bool> over{false};
    gathering answered;
    std::thread load([&] {
        while (!over)
            try
            {
                if (client(where).ask() == 'x')
                    answered.arrive();
            }
            catch (boost::system::system_error const&)
            {
            }
    });
    BOOST_TEST(answered.wait_for(20));
    if (goes == first::workers)
        workers.reset();
    boss.reset();
    workers.reset();
    over = true;
    load.join();
    BOOST_TEST(handlers.made == handlers.destroyed);
}

BOOST_AUTO_TEST_CASE(either_side_may_be_destroyed_first)
{
    struct one_loop : ewyk::event_loop_group
    {
        one_loop() : ewyk::event_loop_group(1) {}
    };
    struct two_loops : ewyk::event_loop_group
    {
        two_loops() : ewyk::event_loop_group(2) {}
    };
    using context = run_by_a_thread<ewyk::strategy_context>;
    for (int i = 0; i != 10; ++i)
        for (first const goes : {first::boss, first::workers})
        {
            destroy_under_load<one_loop, two_loops>(goes);
            destroy_under_load<context, two_loops>(goes);
            destroy_under_load<one_loop, context>(goes);
        }
}

BOOST_AUTO_TEST_CASE(workers_that_go_end_the_operation)
{
    outcome over;
    ewyk::event_loop_group boss(1);
    auto workers = std::make_unique<ewyk::event_loop_group>(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), *workers, echo, over.token());
    client c(where);
    BOOST_TEST(c.ask() == 'x');
    workers.reset();
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
    BOOST_TEST(c.receive() == lost);
}

BOOST_AUTO_TEST_CASE(cancelled_while_clients_come)
{
    std::deque<outcome> outcomes;
    ewyk::event_loop_group boss(2), workers(2);
    for (int i = 0; i != 20; ++i)
    {
        outcome& over = outcomes.emplace_back();
        auto acceptor = acceptor_of(boss);
        auto const where = acceptor.local_endpoint();
            ewyk::serve(std::move(acceptor), workers, echo, {.max_connections = 2}, over.token());
        std::thread load([&] {
            try
            {
                for (;;)
                    client(where).send('x');
            }
            catch (boost::system::system_error const&)
            {
            }
        });
        client c;
        try
        {
            c.connect(where);
            c.ask();
        }
        catch (boost::system::system_error const&)
        {
        }
        over.cancel();
        c.close();
        BOOST_TEST(over.wait());
        BOOST_TEST(!over.failure());
        load.join();
    }
}

}

BOOST_AUTO_TEST_SUITE_END()
