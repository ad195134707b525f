// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_CONNECTION_HPP
#define ASIO_EWYK_TEST_BENCHMARK_CONNECTION_HPP

#include "computing.hpp"

#include <asio_ewyk/invocation.hpp>

#include <boost/lockfree/spsc_queue.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

namespace benchmark {

/// What is known of a user. Shared objects: under the mutex.
struct session
{
    std::mutex mutex;
    std::map<std::string, std::string> values;
};

/// All sessions by name. Shared objects: safe.
class session_store
{
public:
    /// Makes it if there is none of that name.
    session& find(std::string const& name)
    {
        {
            std::shared_lock const lock(mutex_);
            if (auto const found = sessions_.find(name); found != sessions_.end())
                return found->second;
        }
        std::unique_lock const lock(mutex_);
        return sessions_[name];
    }

private:
    std::shared_mutex mutex_;
    std::unordered_map<std::string, session> sessions_;
};

/// The answer to a request, for one request at a time.
class answer
{
public:
    void set(std::string text)
    {
        text_ = std::move(text);
        is_there_.release();
    }

    /// Waits for set().
    std::string const& wait()
    {
        is_there_.acquire();
        return text_;
    }

private:
    std::string text_;
    std::binary_semaphore is_there_{0};
};

/// A request that was read, and has to be answered: the task of connection.
class request
{
public:
    request() = default;

    request(session_store& sessions, answer& to, std::map<std::string, std::string> fields)
        : sessions_(&sessions)
        , to_(&to)
        , fields_(std::move(fields))
    {
    }

    explicit operator bool() const { return to_ != nullptr; }

    asio_ewyk::invocation_t invocation() const
    {
        return fields_.at("blocking") == "true" ? asio_ewyk::invocation.blocking
                                                : asio_ewyk::invocation.non_blocking;
    }

    void operator()()
    {
        session& user = sessions_->find(fields_["session"]);
        std::string name;
        {
            std::lock_guard const lock(user.mutex);
            seed_ = compute(100, seed_);
            name = user.values.try_emplace("user", "user-" + fields_["session"]).first->second;
        }
        if (std::chrono::milliseconds const sleep(std::stoi(fields_["sleep"])); sleep.count() != 0)
            std::this_thread::sleep_for(sleep);
        seed_ = compute(std::stoull(fields_["units"]) + 1000, seed_);

        std::string text;
        text.reserve(4096);
        text.append("uri: ").append(fields_["uri"]).append("\nuser: ").append(name);
        text.append("\nsession: ").append(fields_["session"]);
        text.append("\nresult: ").append(std::to_string(seed_)).append("\n");
        to_->set(std::move(text));
    }

private:
    session_store* sessions_ = nullptr;
    answer* to_ = nullptr;
    std::map<std::string, std::string> fields_;
    std::uint64_t seed_ = 0;
};

/** A connection with requests that came and were not yet read: a producer.

    @par Thread Safety
    One thread may call submit() while another one calls produce().
*/
class connection
{
public:
    /// That may be under way.
    static constexpr std::size_t most_requests = 4;

    connection(session_store& sessions, bool sleeps, unsigned seed)
        : sessions_(sessions)
        , sleeps_(sleeps)
        , random_(seed)
        , session_("session-" + std::to_string(random(100'000'000)))
    {
    }

    void submit(answer& to) { waiting_.push(&to); }

    request produce()
    {
        answer* to = nullptr;
        if (!waiting_.pop(to))
            return {};

        // The choice of what a request asks for, and how often, is that of Jetty's TestConnection.
        int const choice = random(1000);
        int const uri = choice % 100;
        bool const blocking = choice / 10 > 2;
        int const delay = blocking && uri % 4 == 1 ? choice / 2 : 0;
        seed_ = compute(static_cast<std::uint64_t>(random(500)), seed_);
        return {sessions_, *to,
            {{"session", session_}, {"uri", std::to_string(uri) + ".txt"},
                {"blocking", blocking ? "true" : "false"},
                {"sleep", std::to_string(sleeps_ ? delay / 8 : 0)},
                {"units", std::to_string(sleeps_ ? 0 : delay * 150)}}};
    }

private:
    int random(int below) { return std::uniform_int_distribution(0, below - 1)(random_); }

    session_store& sessions_;
    bool sleeps_;
    std::minstd_rand random_; // the producer's
    std::string session_;
    std::uint64_t seed_ = 0;
    boost::lockfree::spsc_queue<answer*, boost::lockfree::capacity<most_requests>> waiting_;
};

} // namespace benchmark

#endif
