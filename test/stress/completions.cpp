// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What completes inside the io_context, and is late there.

#include "stress.hpp"

#include <array>
#include <stdexcept>

using namespace stress;
using asio::ip::tcp;

BOOST_AUTO_TEST_SUITE(completions)

namespace {

// Two sockets throw a ball to each other: what each of them does next is decided by dice.
class game
{
public:
    game(ewyk::strategy_context& context, tally& caught, std::size_t number, std::size_t throws)
        : sockets_{tcp::socket(context), tcp::socket(context)}
        , caught_(caught)
        , dice_(number)
        , first_(number * throws)
        , last_(first_ + throws)
        , next_(first_)
    {
        tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
        sockets_[0].connect(acceptor.local_endpoint());
        acceptor.accept(sockets_[1]);
    }

    void begin()
    {
        catch_one(0);
        throw_one(1);
    }

private:
    // One step after the other, on whatever thread: so the dice need no lock.
    void catch_one(std::size_t player)
    {
        sockets_[player].async_read_some(
            asio::buffer(ball_), [this, player](error_code error, std::size_t) {
                caught_.count(error ? 0 : next_);
                std::size_t const luck = dice_.roll(100);
                if (luck < 3)
                    std::this_thread::sleep_for(200us); // to be late
                if (++next_ == last_)
                    return;
                catch_one(1 - player);
                throw_one(player);
                if (luck >= 97)
                    std::this_thread::sleep_for(200us); // likewise, with the next ones under way
                if (luck == 50)
                    throw std::runtime_error("as planned");
            });
    }

    void throw_one(std::size_t player)
    {
        sockets_[player].async_write_some(asio::buffer("o", 1), [](error_code, std::size_t) {});
    }

    using error_code = boost::system::error_code;

    std::array<tcp::socket, 2> sockets_;
    tally& caught_;
    dice dice_;
    std::array<char, 1> ball_{}; // as it was caught
    std::size_t first_;
    std::size_t last_;
    std::size_t next_;
};

} // namespace

BOOST_DATA_TEST_CASE(each_ball_is_caught_once, each_pool(), s)
{
    constexpr std::size_t games = 6;
    std::size_t const throws = scaled(2'000);
    std::size_t const posts = scaled(20'000);
    std::atomic<std::size_t> exceptions{0};
    auto o = options(s);
    o.on_exception = [&](std::exception_ptr) { ++exceptions; };
    ewyk::strategy_context context(o);
    tally caught(games * throws);
    tally ran(posts);
    auto work = std::make_unique<asio::executor_work_guard<ewyk::strategy_executor>>(
        context.get_executor());
    std::vector<std::unique_ptr<game>> all;
    for (std::size_t i = 0; i != games; ++i)
        all.push_back(std::make_unique<game>(context, caught, i, throws));
    for (auto& g : all)
        g->begin();

    crowd threads;
    threads.add(1, [&](std::size_t) {
        for (std::size_t i = 0; i != posts; ++i)
        {
            asio::post(context, [&ran, i] { ran.count(i); });
            if (i % 100 == 0)
                std::this_thread::yield();
        }
        work.reset();
    });
    threads.add(2, [&](std::size_t) {
        for (bool over = false; !over;)
            try
            {
                context.run();
                over = true;
            }
            catch (std::runtime_error const&)
            {
                ++exceptions;
            }
    });
    threads.join();
    BOOST_TEST(caught.wrong() == 0u);
    BOOST_TEST(ran.wrong() == 0u);
    BOOST_TEST(exceptions != 0u);
}

namespace {

// Sends messages there and back, each in many steps, of which some are late.
class stream
{
public:
    stream(ewyk::strategy_context& context, std::size_t number, std::size_t rounds)
        : sockets_{tcp::socket(context), tcp::socket(context)}
        , dice_(number)
        , left_(rounds)
        , out_(200'000)
        , in_(200'000)
    {
        tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
        sockets_[0].connect(acceptor.local_endpoint());
        acceptor.accept(sockets_[1]);
    }

    void send(std::size_t from)
    {
        if (left_-- == 0)
            return;
        asio::async_write(
            sockets_[from], asio::buffer(out_), [](boost::system::error_code, std::size_t) {});
        asio::async_read(
            sockets_[1 - from], asio::buffer(in_),
            [this](boost::system::error_code error, std::size_t n) -> std::size_t {
                if (dice_.roll(50) == 0)
                    std::this_thread::sleep_for(200us); // to be late
                return error || n == in_.size() ? 0 : in_.size() - n;
            },
            [this, from](boost::system::error_code, std::size_t) { send(1 - from); });
    }

    // Once: the last one was not sent.
    bool done() const { return left_ + 1 == 0; }

private:
    std::array<tcp::socket, 2> sockets_;
    dice dice_;
    std::size_t left_;
    std::vector<char> out_;
    std::vector<char> in_;
};

} // namespace

// What a late step has caused to complete is found by the thread that produces meanwhile.
BOOST_DATA_TEST_CASE(each_message_arrives, each_strategy(), s)
{
    std::size_t const rounds = scaled(400);
    ewyk::strategy_context context(options(s));
    std::vector<std::unique_ptr<stream>> all;
    for (std::size_t i = 0; i != 3; ++i)
    {
        all.push_back(std::make_unique<stream>(context, i, rounds));
        all.back()->send(0);
    }
    context.run();
    for (auto const& each : all)
        BOOST_TEST(each->done());
}

BOOST_AUTO_TEST_SUITE_END()
