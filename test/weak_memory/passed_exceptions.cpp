// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Exceptions on their way from threads of the pool to callers: none is lost, and none is thrown
// twice, also where the last caller leaves meanwhile.

#include "check.hpp"
#include "checked_std.hpp"

#include <asio_ewyk/detail/config.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <list>
#include <utility>
#include <vector>

#define std checked
#include <asio_ewyk/detail/task/passed_exceptions.hpp>
#undef std

BOOST_AUTO_TEST_SUITE(passed_exceptions)

namespace {

using namespace weak_memory;
namespace detail = asio_ewyk::detail;

// The last caller leaves, as a handler throws on a thread of the pool.
struct one_leaves : scenario
{
    one_leaves() { thrown.came(); }

    void thread(unsigned index) override
    {
        if (index == 0)
        {
            if (!thrown.pass(error))
                handled.fetch_add(1, std::memory_order_relaxed);
        }
        else
        {
            thrown.left();
            try
            {
                thrown.rethrow_one();
            }
            catch (int)
            {
                handled.fetch_add(1, std::memory_order_relaxed);
            }
        }
        done[index].store(1, std::memory_order_release);
        if (done[1 - index].load(std::memory_order_acquire) != 0)
            claim(handled.load(std::memory_order_relaxed) == 1, "one of the two has it");
    }

    std::exception_ptr const error = std::make_exception_ptr(1);
    detail::passed_exceptions thrown;
    checked::atomic<int> handled{0};
    checked::atomic<int> done[2]{0, 0};
};

std::vector<named_setup> const scenarios{
    {"the last caller leaves", setup_of<one_leaves>(2)},
};

}

BOOST_AUTO_TEST_CASE(loses_none)
{
    check(scenarios);
    weaken(scenarios,
        {
            {"passed_exceptions.hpp left", access::modify, seq_cst, seq_cst, ""},
            {"passed_exceptions.hpp any", access::load, seq_cst, seq_cst, ""},
            {"passed_exceptions.hpp pass", access::store, seq_cst, seq_cst, ""},
            {"passed_exceptions.hpp pass", access::load, seq_cst, seq_cst, ""},
        });
}

BOOST_AUTO_TEST_SUITE_END()
