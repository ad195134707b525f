// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What Boost.Asio's own tests expect of an io_context as a registry of services.

#include "support.hpp"

#include <memory>
#include <string>

using namespace support;

namespace {

/// Writes down what happens to it.
class recorder : public asio::execution_context::service
{
public:
    using key_type = recorder;
    static inline asio::execution_context::id id;

    explicit recorder(asio::execution_context& ctx) : asio::execution_context::service(ctx) {}
    recorder(asio::execution_context& ctx, std::string& log)
      : asio::execution_context::service(ctx), log_(&log)
    {
    }

    ~recorder() override { write("destroyed "); }

private:
    void shutdown() override { write("shutdown "); }

    void write(std::string const& what)
    {
        if (log_)
            *log_ += what;
    }

    std::string* log_ = nullptr;
};

class other_service : public asio::execution_context::service
{
public:
    static inline asio::execution_context::id id;
    explicit other_service(asio::execution_context& ctx) : asio::execution_context::service(ctx) {}

private:
    void shutdown() override {}
};

class timer_owner : public asio::execution_context::service
{
public:
    using key_type = timer_owner;
    static inline asio::execution_context::id id;

    timer_owner(asio::execution_context& ctx, asio::any_io_executor const& ex, census& c)
      : asio::execution_context::service(ctx), timer_(std::make_unique<asio::steady_timer>(ex, 1h))
    {
        timer_->async_wait(resident(c));
    }

private:
    void shutdown() override { timer_.reset(); }

    std::unique_ptr<asio::steady_timer> timer_;
};

}

BOOST_AUTO_TEST_SUITE(asio_suite_services)

CONTEXT_TEST_CASE(a_service_is_made_once, s)
{
    context ctx(s);
    BOOST_TEST(!asio::has_service<recorder>(ctx));
    auto& service = asio::use_service<recorder>(ctx);
    BOOST_TEST(asio::has_service<recorder>(ctx));
    BOOST_TEST(&service == &asio::use_service<recorder>(ctx));
    BOOST_TEST(!asio::has_service<other_service>(ctx));
    BOOST_TEST((&service.context() == &static_cast<asio::execution_context&>(ctx)));
}

CONTEXT_TEST_CASE(a_second_one_is_refused, s)
{
    context ctx(s);
    auto service = std::make_unique<recorder>(ctx);
    asio::add_service(ctx, service.release());
    auto second = std::make_unique<recorder>(ctx);
    BOOST_CHECK_THROW(asio::add_service(ctx, second.get()), asio::service_already_exists);
    BOOST_CHECK_THROW(asio::make_service<recorder>(ctx), asio::service_already_exists);
}

CONTEXT_TEST_CASE(a_service_of_another_context_is_refused, s)
{
    context ctx(s);
    context other(s);
    auto service = std::make_unique<recorder>(other);
    BOOST_CHECK_THROW(asio::add_service(ctx, service.get()), asio::invalid_service_owner);
    BOOST_TEST(!asio::has_service<recorder>(ctx));
}

CONTEXT_TEST_CASE(a_service_is_shut_down_and_then_destroyed, s)
{
    std::string log;
    {
        context ctx(s);
        asio::make_service<recorder>(ctx, log);
        asio::post(ctx, [] {});
        run(ctx);
        BOOST_TEST(log.empty());
    }
    BOOST_TEST(log == "shutdown destroyed ");
}

// The services of Asio itself are those of the same context, however it is named.
CONTEXT_TEST_CASE(the_context_of_the_executor_is_the_context, s)
{
    context ctx(s);
    auto& service = asio::use_service<recorder>(ctx);
    asio::execution_context& by_query = asio::query(ctx.get_executor(), asio::execution::context);
    asio::execution_context& by_object = asio::steady_timer(ctx).get_executor().context();
    asio::execution_context& by_member = ctx.get_executor().context();
    BOOST_TEST(&asio::use_service<recorder>(by_query) == &service);
    BOOST_TEST(&asio::use_service<recorder>(by_object) == &service);
    BOOST_TEST(&asio::use_service<recorder>(by_member) == &service);
}

// A service may own I/O objects, and gives them up when it is shut down.
CONTEXT_TEST_CASE(a_service_may_own_io_objects, s)
{
    census c;
    {
        context ctx(s);
        asio::make_service<timer_owner>(ctx, ctx.get_executor(), c);
    }
    BOOST_TEST(c.made == 1);
    BOOST_TEST(c.destroyed == 1);
    BOOST_TEST(c.ran == 0);
}

BOOST_AUTO_TEST_SUITE_END()
