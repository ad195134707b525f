// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ASIO_SERVICE_TRAITS_HPP
#define ASIO_EWYK_DETAIL_ASIO_SERVICE_TRAITS_HPP

#include <asio_ewyk/detail/asio/basic_executor.hpp>
#include <asio_ewyk/detail/config.hpp>

#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/require.hpp>
#include <boost/config.hpp>

#include <type_traits>
#include <utility>

namespace asio_ewyk::detail {

// The traits of an executor whose target is a service of an io_context: that counts its outstanding
// work. A service that has a thread of its own starts it for that.
template <class Service, bool HasStrategy>
struct BOOST_SYMBOL_VISIBLE service_traits
{
    using target_type = Service;
    static constexpr bool has_strategy = HasStrategy;
    static constexpr bool captures = true;

    using io_context_work = std::decay_t<decltype(asio::require(
        std::declval<asio::io_context::executor_type>(),
        asio::execution::outstanding_work.tracked))>;

    class work : public io_context_work
    {
    public:
        explicit work(Service& service) noexcept
            : io_context_work(asio::require(
                service.context().get_executor(), asio::execution::outstanding_work.tracked))
        {
            start(service);
        }
    };

    static asio::io_context& context(Service& service) noexcept { return service.context(); }

    static bool running_in_this_thread(Service& service) noexcept
    {
        return service.running_in_this_thread();
    }

#if defined(ASIO_EWYK_DETAIL_TS_EXECUTORS)
    static void work_started(Service& service) noexcept
    {
        start(service);
        service.context().get_executor().on_work_started();
    }

    static void work_finished(Service& service) noexcept
    {
        service.context().get_executor().on_work_finished();
    }
#endif

    template <class F, class Allocator>
    static void execute(Service& service, submission s, F&& f, Allocator const& allocator)
    {
        service.execute(s, std::forward<F>(f), allocator);
    }

private:
    static void start(Service& service) noexcept
    {
        if constexpr (requires { service.try_to_start(); })
            service.try_to_start();
    }
};

} // namespace asio_ewyk::detail

#endif
