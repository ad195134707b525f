// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// How the models that are explored are made: by strategy and size of the pool, with names.

#ifndef ASIO_EWYK_TEST_MODEL_COLLECTION_HPP
#define ASIO_EWYK_TEST_MODEL_COLLECTION_HPP

#include "protocol.hpp"

#include <array>
#include <cstddef>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace model {

struct named_setup
{
    std::string name;
    setup what;
};

inline std::ostream& operator<<(std::ostream& os, named_setup const& n)
{
    return os << n.name;
}

/// How many threads of the pool there are.
struct pool_size
{
    char const* name;
    byte parked;
    byte startable;
};

inline constexpr pool_size stopped_pool{"a stopped pool", 0, 0};
inline constexpr pool_size cold_pool{"a thread not started", 0, 1};
inline constexpr pool_size one_thread{"1 thread", 1, 0};
inline constexpr pool_size two_threads{"2 threads", 2, 0};
inline constexpr pool_size three_threads{"3 threads", 3, 0};

inline constexpr std::array strategies{ewyk::strategy_t::produce_consume,
    ewyk::strategy_t::produce_execute_consume, ewyk::strategy_t::execute_produce_consume,
    ewyk::strategy_t::eat_what_you_kill};

class collection
{
public:
    void add(std::string name, ewyk::strategy_t s, pool_size pool, std::vector<task_kind> tasks,
        std::vector<std::vector<action>> callers, setup more = {})
    {
        more.strategy = s;
        more.parked = pool.parked;
        more.startable = pool.startable;
        more.tasks = std::move(tasks);
        more.callers = std::move(callers);
        models_.push_back(
            {std::string(to_string(s)) + ", " + pool.name + ": " + std::move(name), std::move(more)});
    }

    std::vector<named_setup> take() { return std::move(models_); }

private:
    std::vector<named_setup> models_;
};

}

#endif
