// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What a framework does with the io_context that it makes. Before the word means another thing.
#include "../pool_support.hpp"

#include <asio_ewyk/compat/stand_in.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include <chrono>

BOOST_AUTO_TEST_SUITE(stand_in)

namespace {

namespace asio = boost::asio;

// As Boost.Beast and others, which are handed an executor and want its context.
template <class Executor>
asio::io_context& context_of(Executor const& ex)
{
    asio::io_context& ioc = asio::query(ex, asio::execution::context);
    return ioc;
}

} // namespace

BOOST_AUTO_TEST_CASE(executors_answer_the_context)
{
    asio::io_context ioc(1);
    asio::io_context::executor_type const ex = ioc.get_executor();
    BOOST_TEST(&context_of(ex) == &ioc);
    BOOST_TEST(&ex.context() == &ioc);
    BOOST_TEST(&context_of(asio::require(ex, asio::execution::outstanding_work.tracked)) == &ioc);
    BOOST_TEST(&context_of(asio::make_strand(ioc)) == &ioc);
    asio::any_io_executor const any = ex;
    BOOST_TEST(&any.context() == &ioc);
    BOOST_TEST((*any.target<asio::io_context::executor_type>() == ex));
}

// One of the types that the stand-in's own includes must not have declared in another way.
BOOST_AUTO_TEST_CASE(a_stream_has_a_deadline)
{
    asio::ip::tcp::iostream stream;
    stream.expires_after(support::patience);
    BOOST_TEST((stream.expiry() > std::chrono::steady_clock::now()));
}

BOOST_AUTO_TEST_CASE(others_run_while_one_blocks)
{
    asio::io_context ioc(1);
    support::event done;
    bool waited = false;
    asio::post(ioc, [&] {
        asio::post(ioc, [&] { done.set(); });
        waited = done.wait();
    });
    ioc.run();
    BOOST_TEST(waited);
}

#undef io_context
#undef io_service

BOOST_AUTO_TEST_SUITE_END()
