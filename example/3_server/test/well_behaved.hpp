// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_TEST_WELL_BEHAVED_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_TEST_WELL_BEHAVED_HPP

#include "client.hpp"

#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace test {

/** A client on a thread of its own that asks for /fast on one connection, again and again, and
    insists on the right answer each time. If a machine that stalls holds it up for `too_long`, the
    server may have given it up; then it connects again.

    @par Thread Safety
    Shared objects: unsafe.
*/
class well_behaved
{
public:
    explicit well_behaved(
        unsigned short port, std::chrono::milliseconds too_long = std::chrono::hours(24))
      : too_long_(too_long)
      , thread_([this, port](std::stop_token stop) { run(port, stop); })
    {
    }

    /// Ends it. Returns what went wrong, empty if nothing did.
    std::string finish()
    {
        thread_.request_stop();
        if (thread_.joinable())
            thread_.join();
        return complaint_;
    }

    /// Requests answered; valid after finish().
    std::size_t served() const noexcept { return served_; }

private:
    void run(unsigned short port, std::stop_token const& stop)
    try
    {
        using clock = std::chrono::steady_clock;
        std::optional<client> c(port);
        auto last = clock::now();
        do
        {
            auto const a = c->ask(get("/fast"));
            bool const in_time = clock::now() - last < too_long_;
            if (a.status == 200 && a.body == "fast\n")
                ++served_;
            else if (in_time)
                complaint_ = "answer " + std::to_string(served_ + 1) + ": " + a.head + a.body;
            else
                c.emplace(port);
            last = clock::now();
            // Leaves the core to those that misbehave.
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        } while (!stop.stop_requested() && complaint_.empty());
    }
    catch (std::exception const& e)
    {
        complaint_ = e.what();
    }

    std::chrono::milliseconds const too_long_;
    std::string complaint_;    // the thread's until it is joined
    std::size_t served_ = 0;
    std::jthread thread_;
};

}

#endif
