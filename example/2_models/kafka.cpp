// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Kafka: an acceptor, processors that read and write, a bounded queue of requests, and handlers. A
// connection has one request under way; while the queue is full, nothing more is read.
//
//     accepts: the acceptor
//     reads, decodes, writes: the processor that the connection belongs to
//     computes: one of the handlers

#include "service.hpp"

#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>

namespace ewyk = asio_ewyk;
using namespace models;

namespace {

// tag::queue[]
// Places for requests that wait. A connection that finds none waits for one, and meanwhile does not
// read.
class request_queue
{
public:
    request_queue(asio::any_io_executor executor, std::size_t size)
      : places_(std::move(executor), size)
    {
    }

    asio::awaitable<void> enter() { co_await places_.async_send({}, asio::use_awaitable); }

    void leave()
    {
        places_.try_receive([](boost::system::error_code) {});
    }

private:
    asio::experimental::concurrent_channel<void(boost::system::error_code)> places_;
};
// end::queue[]

} // namespace

int main()
{
    // tag::model[]
    ewyk::event_loop acceptors({.name = "acceptor"});
    ewyk::event_loop_group processors(3, {.name = "processor"});
    request_queue queue(acceptors.get_executor(), 500);
    ewyk::worker_pool handlers({.max_threads = 8, .name = "handler"});
    // end::model[]

    // tag::session[]
    auto const session = [&](tcp::socket socket) -> asio::awaitable<void> {
        auto const processor = co_await asio::this_coro::executor;
        lines connection(std::move(socket));
        for (std::string request; co_await connection.read(request);)
        {
            co_await queue.enter();
            co_await ewyk::switch_to(handlers.get_executor());
            queue.leave();
            std::string const answer = compute(request);
            co_await ewyk::switch_to(processor);
            co_await connection.write(answer);
        }
    };
    // end::session[]

    tcp::acceptor acceptor(acceptors, anywhere());
    auto const where = acceptor.local_endpoint();
    asio::cancellation_signal stop;
    auto served = ewyk::serve(std::move(acceptor), processors, session,
        asio::bind_cancellation_slot(stop.slot(), asio::use_future));

    int const result = try_it("kafka", where, "abc", "cba");
    stop.emit(asio::cancellation_type::total);
    served.get();
    processors.shutdown_gracefully(0s, 5s); // before the handlers, which they give work to
    return result;
}
