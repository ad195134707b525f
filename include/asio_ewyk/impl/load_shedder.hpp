// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_LOAD_SHEDDER_HPP
#define ASIO_EWYK_IMPL_LOAD_SHEDDER_HPP

#include <asio_ewyk/detail/overload/shedding.hpp>

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution/allocator.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/relationship.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <type_traits>
#include <utility>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// Of load_shedder::async_admit.
template <class Handler>
class admit_op
{
public:
    template <class H>
    admit_op(shedding& s, time_point deadline, H&& handler)
        : handler_(std::forward<H>(handler))
        , wait_(s, deadline)
    {
    }

    void operator()()
    {
        boost::system::error_code const error = judge();
        std::move(handler_)(error);
    }

private:
    boost::system::error_code judge() noexcept
    {
        if (!wait_)
            return asio::error::no_buffer_space;
        switch (wait_.end())
        {
        case shedding::verdict::overloaded:
            return asio::error::try_again;
        case shedding::verdict::late:
            return asio::error::timed_out;
        case shedding::verdict::admitted:
            break;
        }
        return {};
    }

    Handler handler_; // the last to be destroyed: it may own the shedder
    shed_wait wait_;
};

struct initiate_admit
{
    template <class Handler>
    void operator()(Handler&& handler) const
    {
        using decayed = std::decay_t<Handler>;
        static_assert(
            !std::is_same_v<asio::associated_executor_t<decayed>, asio::system_executor>,
            "the completion handler needs an associated executor: see asio::bind_executor");
        auto const executor = asio::get_associated_executor(handler);
        auto const allocator = asio::get_associated_allocator(handler);
        asio::prefer(asio::require(executor, asio::execution::blocking.never),
            asio::execution::relationship.fork, asio::execution::allocator(allocator))
            .execute(admit_op<decayed>(*what, deadline, std::forward<Handler>(handler)));
    }

    shedding* what;
    time_point deadline;
};

} // namespace asio_ewyk::detail

#endif
