// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// serve() with delays wherever something changes hands, ended in each of its states and in every way
// that it may be ended.

#include "delays.hpp"

#include <asio_ewyk/server.hpp>

#if defined(__GNUC__) && !defined(__clang__)
// Of coroutines: g++ 12 takes one of the two functions of a frame for inlined, the other one not.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

BOOST_AUTO_TEST_SUITE(serve)

namespace {

using namespace delays;
using asio::ip::tcp;

/// Much longer than anything takes.
constexpr auto patience = 60s;

template <class Predicate>
bool soon(Predicate holds)
{
    for (auto const end = std::chrono::steady_clock::now() + patience; !holds();)
    {
        if (std::chrono::steady_clock::now() > end)
            return false;
        std::this_thread::sleep_for(100us);
    }
    return true;
}

/// What a round does to itself while clients come.
enum class end_by
{
    cancellation,
    shutdown_of_workers,
    shutdown_in_a_session,
    asynchronous_shutdown,
    one_worker_stops,
    boss_destroyed,
    shutdown_of_boss,
    last = shutdown_of_boss,
};

struct round
{
    explicit round(std::size_t number)
        : d(seed() * 7919 + number)
    {
    }

    dice d;
    ledger sessions;
    ledger completions;
    std::atomic<long> errors{0};
    std::atomic<bool> shutdown_wanted{false};
    std::unique_ptr<ewyk::event_loop_group> boss;
    std::unique_ptr<ewyk::event_loop_group> others; // null: the boss is the workers
    ewyk::event_loop_group* workers = nullptr;

    ewyk::serve_options options()
    {
        ewyk::serve_options o;
        o.max_connections = std::size_t{3} * d.roll(3);
        o.when_full = d.roll(2) ? ewyk::connections_full::wait : ewyk::connections_full::refuse;
        o.max_accept_rate = d.roll(3) ? 0 : 500;
        o.reuse_port = d.roll(3) == 0;
        o.back_off = 1ms;
        o.drain = std::chrono::milliseconds(d.roll(3) ? d.roll(20) : 0);
        o.cancel_sessions = d.roll(2) == 0;
        if (d.roll(2))
            o.admit = [n = std::make_shared<std::atomic<std::size_t>>(0)](auto const&) {
                if (++*n % 11 == 0)
                    throw std::runtime_error("admit throws");
                return *n % 7 != 0;
            };
        if (d.roll(3) == 0)
            o.overloaded = [n = std::make_shared<std::atomic<std::size_t>>(0)] {
                if (++*n % 13 == 0)
                    throw std::runtime_error("overloaded throws");
                return *n % 5 == 0;
            };
        o.on_session_error = [this](std::exception_ptr) { ++errors; };
        return o;
    }

    asio::awaitable<void> talk(tcp::socket socket, [[maybe_unused]] std::shared_ptr<void> life)
    {
        char c = 0;
        if (shutdown_wanted.exchange(false))
            workers->shutdown_gracefully(1ms, 20ms);
        for (;;)
        {
            auto const [error, n] = co_await socket.async_read_some(
                asio::buffer(&c, 1), asio::as_tuple(asio::use_awaitable));
            if (error || n == 0)
                co_return;
            if (c == 't')
                throw std::runtime_error("a session throws");
            if (c == 's') // blocks its worker
                std::this_thread::sleep_for(2ms);
            co_await asio::async_write(socket, asio::buffer(&c, 1), asio::use_awaitable);
        }
    }
};

/// Clients that come and go until they are told to stop.
class visitors
{
public:
    visitors(tcp::endpoint where, std::size_t n, dice& d)
        : where_(where)
    {
        for (std::size_t i = 0; i != n; ++i)
            asio::co_spawn(context_, visit(d.roll(1'000'000)), asio::detached);
        thread_ = std::thread([this] { context_.run(); });
    }

    visitors(visitors const&) = delete;
    visitors& operator=(visitors const&) = delete;

    ~visitors()
    {
        context_.stop();
        thread_.join();
    }

    std::size_t answered() const { return answered_; }

private:
    asio::awaitable<void> visit(std::size_t s)
    {
        constexpr auto token = asio::as_tuple(asio::use_awaitable);
        dice d(s);
        asio::steady_timer pause(context_);
        for (;;)
        {
            tcp::socket socket(context_);
            auto const [refused] = co_await socket.async_connect(where_, token);
            for (std::size_t i = refused ? 0 : d.roll(4); i != 0; --i)
            {
                char c = "xxxxxxts"[d.roll(8)];
                auto const [sent, n] = co_await asio::async_write(socket, asio::buffer(&c, 1), token);
                if (sent)
                    break;
                auto const [got, m] = co_await asio::async_read(socket, asio::buffer(&c, 1), token);
                if (got)
                    break;
                ++answered_;
            }
            pause.expires_after(std::chrono::microseconds(d.roll(2'000)));
            co_await pause.async_wait(token);
        }
    }

    tcp::endpoint const where_;
    std::atomic<std::size_t> answered_{0};
    asio::io_context context_{1};
    std::thread thread_;
};

} // namespace

BOOST_AUTO_TEST_CASE(each_session_is_destroyed_and_each_operation_completes)
{
    for (std::size_t n = 0; n != 5 * rounds; ++n)
    {
        delayed_round const slow(n);
        round r(n);
        dice& d = r.d;
        auto const how = static_cast<end_by>(d.roll(static_cast<std::size_t>(end_by::last) + 1));
        BOOST_TEST_CONTEXT("round " << n << ", end " << static_cast<int>(how))
        {
            ewyk::event_loop_options loops;
            loops.on_exception = [](std::exception_ptr) {};
            loops.stall_threshold = 0s;
            r.boss = std::make_unique<ewyk::event_loop_group>(1 + d.roll(2), loops);
            if (d.roll(3))
                r.others = std::make_unique<ewyk::event_loop_group>(1 + d.roll(3), loops);
            r.workers = r.others ? r.others.get() : r.boss.get();

            asio::cancellation_signal signal;
            tcp::acceptor free_port((*r.boss)[0], {asio::ip::address_v4::loopback(), 0});
            auto const where = free_port.local_endpoint();
            auto session = [&r](tcp::socket socket) {
                return r.talk(std::move(socket),
                    std::make_shared<entered<void (*)()>>(r.sessions, [] {}));
            };
            auto token = asio::bind_cancellation_slot(
                signal.slot(), entered(r.completions, [] {}));
            if (auto o = r.options(); o.reuse_port)
            {
                free_port.close();
                ewyk::serve(*r.boss, *r.workers, where, session, o, std::move(token));
            }
            else
                ewyk::serve(std::move(free_port), *r.workers, session, o, std::move(token));
            {
                visitors const guests(where, 6, d);
                std::size_t const enough = d.roll(20);
                soon([&] {
                    return guests.answered() >= enough || d.roll(50) == 0;
                });
                switch (how)
                {
                case end_by::cancellation:
                    signal.emit(asio::cancellation_type::terminal);
                    break;
                case end_by::shutdown_of_workers:
                    BOOST_TEST(r.workers->shutdown_gracefully(1ms, patience));
                    break;
                case end_by::shutdown_in_a_session:
                    r.shutdown_wanted = true;
                    asio::post((*r.workers)[0], [&] { r.workers->shutdown_gracefully(1ms, 20ms); });
                    BOOST_TEST(soon([&] { return r.workers->terminated(); }));
                    break;
                case end_by::asynchronous_shutdown:
                {
                    entered told(r.completions, [] {});
                    r.workers->async_shutdown_gracefully(1ms, 10ms,
                        [t = std::move(told)](boost::system::error_code) mutable { t(); });
                    (*r.workers)[0].async_shutdown_gracefully(1ms, 10ms, asio::detached);
                    break;
                }
                case end_by::one_worker_stops:
                    (*r.workers)[0].stop();
                    break;
                case end_by::boss_destroyed:
                    r.boss.reset();
                    break;
                case end_by::shutdown_of_boss:
                    BOOST_TEST(r.boss->shutdown_gracefully(1ms, patience));
                    break;
                }
                if (how == end_by::one_worker_stops && r.others)
                {
                    signal.emit(asio::cancellation_type::total);
                    BOOST_TEST(soon([&] { return r.completions.ran != 0; }));
                }
                // With a boss that goes on it completes while clients still come.
                bool const boss_lives = r.others && how != end_by::boss_destroyed
                    && how != end_by::shutdown_of_boss;
                if (boss_lives)
                    BOOST_TEST(soon([&] { return r.completions.ran == r.completions.made; }));
            }
            r.boss.reset();
            r.others.reset();
        }
        BOOST_TEST(soon([&] { return r.completions.gone == r.completions.made; }));
        BOOST_TEST(r.sessions.gone == r.sessions.made);
        BOOST_TEST(r.completions.twice == 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
