// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_TEST_WELL_BEHAVED_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_TEST_WELL_BEHAVED_HPP

#include "client.hpp"

#include <chrono>
#include <cstddef>
#include <exception>
#include <stop_token>
#include <string>
#include <thread>

namespace test {

/** A client on a thread of its own that asks for /fast on one connection, again and again, and
    insists on the right answer each time.

    @par Thread Safety
    Shared objects: unsafe.
*/
class well_behaved
{
public:
    explicit well_behaved(unsigned short port)
      : thread_([this, port](std::stop_token stop) { run(port, stop); })
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
        client c(port);
        do
        {
            auto const a = c.ask(get("/fast"));
            if (a.status != 200 || a.body != "fast\n")
                complaint_ = "answer " + std::to_string(served_ + 1) + ": " + a.head + a.body;
            else
                ++served_;
            // Leaves the core to those that misbehave.
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        } while (!stop.stop_requested() && complaint_.empty());
    }
    catch (std::exception const& e)
    {
        complaint_ = e.what();
    }

    std::string complaint_;    // the thread's until it is joined
    std::size_t served_ = 0;
    std::jthread thread_;
};

}

#endif
