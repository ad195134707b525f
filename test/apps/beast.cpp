// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Boost.Beast on a context, in a program that is compiled with Asio's hook: whatever a handler does,
// others go on, and it is reported by its name. Prints how soon; that is no matter of the test.

#include "beast_server.hpp"

#include "support.hpp"
#include "websocket_client.hpp"

#include <asio_ewyk/diagnostics/stalls.hpp>
#include <asio_ewyk/diagnostics/tracking.hpp>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(beast)

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

// What is reported of handlers that still run.
class names
{
public:
    void add(asio_ewyk::stall_report const& r)
    {
        if (r.kind != asio_ewyk::stall_kind::running)
            return;
        std::lock_guard const lock(mutex_);
        all_.push_back(r.handler);
        ++count_;
        changed_.notify_all();
    }

    int count() const { return count_; }

    bool wait_for(int n)
    {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, apps::patience, [&] { return count_ >= n; });
    }

    std::vector<std::string> all() const
    {
        std::lock_guard const lock(mutex_);
        return all_;
    }

private:
    std::mutex mutable mutex_;
    std::condition_variable changed_;
    std::vector<std::string> all_; // guarded by mutex_
    std::atomic<int> count_{0};
};

// Handlers that are late until another one, the last, has run.
class round
{
public:
    // `reports`: of how many handlers, before each of them goes on.
    round(names& reported, int reports) : reported_(reported), enough_(reported.count() + reports) {}

    std::string answer(std::string const& question)
    {
        if (question == "tell")
            return tell();
        auto const began = clock::now();
        std::unique_lock resource(resource_, std::defer_lock);
        if (question == "hold")
            resource.lock();
        begin(began);
        if (question == "compute")
            return compute(began) ? "told" : "lost";
        if (question == "lock")
            resource.lock();
        return wait() && reported_.wait_for(enough_) ? "told" : "lost";
    }

    bool wait_until_begun(int n)
    {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, apps::patience, [&] { return begun_ >= n; });
    }

    // How long it took from the begin of the last one that is late.
    std::chrono::microseconds time() const
    {
        std::lock_guard const lock(mutex_);
        return std::chrono::duration_cast<std::chrono::microseconds>(told_at_ - begun_at_);
    }

private:
    void begin(clock::time_point now)
    {
        std::lock_guard const lock(mutex_);
        begun_at_ = now;
        ++begun_;
        changed_.notify_all();
    }

    std::string tell()
    {
        std::lock_guard const lock(mutex_);
        told_at_ = clock::now();
        told_ = true;
        changed_.notify_all();
        return "done";
    }

    bool wait()
    {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, apps::patience, [&] { return told_.load(); });
    }

    bool compute(clock::time_point began) const
    {
        while (!told_ || reported_.count() < enough_ || clock::now() < began + 30ms)
            if (clock::now() > began + apps::patience)
                return false;
        return true;
    }

    names& reported_;
    int const enough_;
    std::mutex resource_; // that handlers wait for
    std::mutex mutable mutex_;
    std::condition_variable changed_;
    clock::time_point begun_at_; // guarded by mutex_, as are the next
    clock::time_point told_at_;
    int begun_ = 0;
    std::atomic<bool> told_{false};
};

// A server, whose clients ask for handlers that are late in one way.
class late_handlers
{
public:
    explicit late_handlers(asio_ewyk::strategy_t s)
      : context_(options(s)), server_(context_, [this](std::string const& question) {
            return round_.load()->answer(question);
        })
    {
    }

    // Each question but the last is asked when the handler of the one before has begun. Checks that
    // all go on, and returns when the last did.
    std::chrono::microseconds ask(std::vector<std::string> const& questions, bool are_reported)
    {
        int const late = static_cast<int>(questions.size()) - 1;
        round r(names_, are_reported ? late : 0);
        round_ = &r;
        while (clients_.size() < questions.size())
            clients_.push_back(std::make_unique<apps::websocket_client>(server_));
        for (std::size_t i = 0; i != questions.size(); ++i)
        {
            clients_[i]->send(questions[i]);
            if (questions[i] != "tell")
                BOOST_TEST(r.wait_until_begun(static_cast<int>(i) + 1));
        }
        for (int i = 0; i != late; ++i)
            BOOST_TEST(clients_[static_cast<std::size_t>(i)]->receive() == "told");
        BOOST_TEST(clients_[static_cast<std::size_t>(late)]->receive() == "done");
        return r.time();
    }

    names const& reported() const { return names_; }

private:
    asio_ewyk::strategy_options options(asio_ewyk::strategy_t s)
    {
        asio_ewyk::strategy_options o{.strategy = s, .max_threads = 4};
        o.stall_threshold = 5ms;
        o.on_stall = [this](auto const& r) { names_.add(r); };
        return o;
    }

    names names_;
    std::atomic<round*> round_{nullptr};
    asio_ewyk::strategy_context context_;
    apps::beast_server server_;
    apps::running<asio_ewyk::strategy_context> run_{context_};
    std::vector<std::unique_ptr<apps::websocket_client>> clients_;
};

// The first time each late handler waits until it is reported.
void expect_to_be_noticed(asio_ewyk::strategy_t s, std::vector<std::string> const& questions,
    clock::duration silence = {}, int rounds = 20)
{
    late_handlers handlers(s);
    handlers.ask(questions, true);
    for (std::string const& name : handlers.reported().all())
    {
        BOOST_TEST(name.starts_with("apps::"), name);
        BOOST_TEST(name.find("session::read()") != std::string::npos, name);
    }
    std::vector<std::chrono::microseconds> times;
    for (int i = 0; i != rounds; ++i)
    {
        std::this_thread::sleep_for(silence);
        times.push_back(handlers.ask(questions, false));
    }
    std::sort(times.begin(), times.end());
    BOOST_TEST_MESSAGE(questions[0] << " after " << silence / 1ms << " ms: others go on after "
                                    << times[times.size() / 2].count() << " us, at most "
                                    << times.back().count());
}

} // namespace

BOOST_DATA_TEST_CASE(the_first_one_after_a_silence_may_block, apps::strategies, s)
{
    expect_to_be_noticed(s, {"wait", "tell"});
    expect_to_be_noticed(s, {"wait", "tell"}, 50ms);
    expect_to_be_noticed(s, {"wait", "tell"}, 300ms, 5);
    expect_to_be_noticed(s, {"wait", "tell"}, 1500ms, 2);
}

BOOST_DATA_TEST_CASE(one_may_compute, apps::strategies, s)
{
    expect_to_be_noticed(s, {"compute", "tell"});
}

BOOST_DATA_TEST_CASE(one_may_wait_for_a_mutex_while_another_is_late, apps::strategies, s)
{
    expect_to_be_noticed(s, {"hold", "lock", "tell"});
}

// What each connection waits for, by what its session has begun.
BOOST_AUTO_TEST_CASE(what_is_pending)
{
    asio_ewyk::strategy_context context;
    apps::beast_server server(context, [](std::string const&) { return "done"; });
    apps::running const run(context);
    std::vector<std::unique_ptr<apps::websocket_client>> clients;
    for (int i = 0; i != 3; ++i)
    {
        clients.push_back(std::make_unique<apps::websocket_client>(server));
        BOOST_TEST(clients.back()->ask("tell") == "done");
    }
    auto const end = clock::now() + apps::patience;
    std::ptrdiff_t reads = 0;
    do
    {
        auto const all = asio_ewyk::tracking::pending();
        reads = std::count_if(all.begin(), all.end(), [&](auto const& o) {
            return o.context == &static_cast<boost::asio::execution_context&>(context) && o.composed
                && o.name == std::string_view("async_receive")
                && o.composed == std::string_view("websocket::async_read");
        });
    } while (reads != 3 && clock::now() < end);
    BOOST_TEST(reads == 3);
    auto const sites = asio_ewyk::tracking::profile();
    BOOST_TEST(std::any_of(sites.begin(), sites.end(), [](auto const& s) {
        return s.name == std::string_view("async_receive") && s.type.starts_with("apps::")
            && s.type.find("session::read()") != std::string::npos;
    }));
}

BOOST_AUTO_TEST_SUITE_END()
