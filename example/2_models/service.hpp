// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the models have in common: a small service that speaks lines of text, and clients that check
// what it says. A model differs in which thread accepts, reads, computes and writes; at the end it
// prints which did.

#ifndef ASIO_EWYK_EXAMPLE_2_MODELS_SERVICE_HPP
#define ASIO_EWYK_EXAMPLE_2_MODELS_SERVICE_HPP

#include <boost/asio.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <pthread.h>
#endif

namespace models {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

/// Where a model is tried: on this machine, at a port that the system chooses.
inline tcp::endpoint anywhere()
{
    return {asio::ip::address_v4::loopback(), 0};
}

/// The name of the calling thread, without its number, where the system tells.
inline std::string name_of_this_thread()
{
    std::string name = "a thread";
#if defined(__linux__)
    char text[16];
    if (::pthread_getname_np(::pthread_self(), text, sizeof text) == 0)
        name = text;
#endif
    return name.substr(0, name.find('-'));
}

/// A part of the work. Remembers which threads have done it, and how many did at the same time.
class part
{
public:
    explicit part(char const* name)
      : name_(name)
    {
    }

    /// The calling thread does it for as long as this lives.
    class turn
    {
    public:
        explicit turn(part& of)
          : of_(of)
        {
            std::lock_guard const lock(of_.mutex_);
            of_.threads_[name_of_this_thread()].insert(std::this_thread::get_id());
            of_.most_ = std::max(of_.most_, ++of_.now_);
        }
        ~turn()
        {
            std::lock_guard const lock(of_.mutex_);
            --of_.now_;
        }
        turn(turn const&) = delete;
        turn& operator=(turn const&) = delete;

    private:
        part& of_;
    };

    /// The calling thread has done it.
    void done_here() { turn const mine(*this); }

    /// Which threads have done it; and how many at a time, if that matters.
    void print(bool at_a_time) const
    {
        std::lock_guard const lock(mutex_);
        for (auto const& [name, ids] : threads_)
            std::cout << "  " << name_ << name << ", threads: " << ids.size();
        if (at_a_time)
            std::cout << ", at a time: " << most_;
        std::cout << '\n';
    }

private:
    char const* const name_;
    mutable std::mutex mutex_;
    std::map<std::string, std::set<std::thread::id>> threads_; // by name; guarded by mutex_
    int now_ = 0;                                              // likewise
    int most_ = 0;                                             // likewise
};

inline part decodes{"decodes   "};
inline part computes{"computes  "};
inline part writes{"writes    "};

/// What takes its time, as a database does: the answer is the request backwards.
inline std::string compute(std::string request)
{
    part::turn const mine(computes);
    std::this_thread::sleep_for(10ms);
    std::reverse(request.begin(), request.end());
    return request;
}

/// Reads lines from a socket and writes lines to it. The text of a request has no end of line.
template <class Socket>
class lines
{
public:
    explicit lines(Socket socket)
      : socket_(std::move(socket))
    {
    }

    /// False at the end of the connection.
    asio::awaitable<bool> read(std::string& line)
    {
        auto const [error, size] = co_await asio::async_read_until(
            socket_, asio::dynamic_buffer(text_, 1024), '\n', asio::as_tuple(asio::use_awaitable));
        if (error)
            co_return false;
        take(line, size);
        co_return true;
    }

    asio::awaitable<void> write(std::string line)
    {
        line += '\n';
        writes.done_here(); // the call tries to write at once
        co_await asio::async_write(socket_, asio::buffer(line), asio::use_awaitable);
    }

    /// The same, while the thread waits.
    bool wait_and_read(std::string& line)
    {
        boost::system::error_code error;
        auto const size =
            asio::read_until(socket_, asio::dynamic_buffer(text_, 1024), '\n', error);
        if (error)
            return false;
        take(line, size);
        return true;
    }

    void wait_and_write(std::string line)
    {
        writes.done_here();
        line += '\n';
        asio::write(socket_, asio::buffer(line));
    }

private:
    void take(std::string& line, std::size_t size)
    {
        decodes.done_here();
        line = text_.substr(0, size - 1);
        text_.erase(0, size);
    }

    Socket socket_;
    std::string text_; // read, but not taken
};

/// How many requests the clients send.
inline constexpr int clients = 16, requests_of_each = 10, requests = clients * requests_of_each;

/// Has the clients send requests, all at the same time, looks whether each answer is right, and
/// prints which threads have done what. Returns what main() is to return.
inline int try_it(std::string_view model, tcp::endpoint const& where, std::string_view request,
    std::string_view answer)
{
    using clock = std::chrono::steady_clock;
    std::atomic<int> right{0};
    auto const began = clock::now();
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i != clients; ++i)
            threads.emplace_back([&] {
                asio::io_context context;
                tcp::socket socket(context);
                socket.connect(where);
                for (int j = 0; j != requests_of_each; ++j)
                {
                    asio::write(socket, asio::buffer(std::string(request) + '\n'));
                    std::string line;
                    boost::system::error_code error;
                    asio::read_until(socket, asio::dynamic_buffer(line, 1024), '\n', error);
                    right += !error && line == std::string(answer) + '\n';
                }
            });
    }
    auto const took = std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - began);
    std::cout << model << ": " << right << " of " << requests << " answers are right, after "
              << took.count() << " ms\n";
    decodes.print(false);
    computes.print(true);
    writes.print(false);
    return right == requests ? 0 : 1;
}

} // namespace models

#endif
