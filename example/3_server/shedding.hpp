// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What refuses requests where more come than can be answered.

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_SHEDDING_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_SHEDDING_HPP

#include <asio_ewyk/diagnostics/prometheus.hpp>
#include <asio_ewyk/overload/load_shedder.hpp>

#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>

namespace http_server {

namespace asio = boost::asio;

/** A shedder for each context: each is a queue of its own.

    @par Thread Safety
    Shared objects: safe.
*/
class shedders
{
public:
    /// 0: nothing is refused.
    explicit shedders(std::chrono::milliseconds max_queue_delay) : delay_(max_queue_delay) {}

    /// Null if nothing is refused. Throws std::bad_alloc and boost::system::system_error.
    template <class Context>
    asio_ewyk::load_shedder* of(Context& context)
    {
        if (delay_ == delay_.zero())
            return nullptr;
        std::lock_guard lock(mutex_);
        auto const [at, added] = all_.try_emplace(
            &context, asio_ewyk::load_shedder_options{.max_queue_delay = delay_});
        if constexpr (std::is_base_of_v<asio::io_context, Context>)
            if (added)
                at->second.observe(context);
        return &at->second;
    }

    void add_metrics(asio_ewyk::prometheus_page& page) const
    {
        std::lock_guard lock(mutex_);
        for (std::size_t i = 0; auto const& [context, shedder] : all_)
            page.add(shedder.metrics(), {{"context", std::to_string(i++)}});
    }

private:
    std::chrono::milliseconds delay_;
    std::mutex mutable mutex_;
    std::map<asio::execution_context const*, asio_ewyk::load_shedder> all_;    // guarded by mutex_
};

}

#endif
