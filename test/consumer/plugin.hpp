// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What a program and its plugin know of each other.

#ifndef ASIO_EWYK_TEST_CONSUMER_PLUGIN_HPP
#define ASIO_EWYK_TEST_CONSUMER_PLUGIN_HPP

#include <asio_ewyk.hpp>

#include <atomic>
#include <cstddef>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;

class plugin
{
public:
    static constexpr std::size_t handlers = 100;

    // Whether all handlers run of a context of the plugin's, or of a strategy of its own, whose
    // threads are the program's.
    virtual bool runs_over(ewyk::worker_pool& pool, ewyk::strategy_t s) = 0;
    virtual bool produces_over(ewyk::worker_pool& pool, ewyk::strategy_t s) = 0;

    // To what the program has made: so many.
    virtual void post_to(ewyk::strategy_context& context, std::atomic<std::size_t>& ran) = 0;
    virtual void post_to(ewyk::worker_pool& pool, std::atomic<std::size_t>& ran) = 0;

protected:
    ~plugin() = default;
};

#endif
