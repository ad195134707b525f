// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_UNIT_TWO_THREADS_HPP
#define ASIO_EWYK_TEST_UNIT_TWO_THREADS_HPP

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace support {

/// Runs functions on one of two threads at a time; the other one waits.
class two_threads
{
public:
    template <class F>
    void run(std::size_t on, F f)
    {
        boost::asio::post(threads_[on], boost::asio::use_future(std::move(f))).get();
    }

private:
    std::array<boost::asio::thread_pool, 2> threads_{
        boost::asio::thread_pool(1), boost::asio::thread_pool(1)};
};

} // namespace support

#endif
