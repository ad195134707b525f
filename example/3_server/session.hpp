// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_SESSION_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_SESSION_HPP

#include "connections.hpp"
#include "limits.hpp"
#include "request_reader.hpp"
#include "responder.hpp"

#include <asio_ewyk/switch_to.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

namespace http_server {

/** Serves one connection: reads requests, has them answered, writes the answers, in order.

    It is one coroutine that awaits one operation after the other, so its steps never overlap, on
    however many threads the context runs it; it needs no strand. The only other party is the
    watchdog, see `watched`. A request that the offload takes is answered elsewhere; what concerns
    the socket is done at home.

    A request costs one recv, one send and its share of epoll_wait: the answer is sent right away
    and goes through the context only if the client does not take it.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe, but for what `watched` says.
*/
template <class Executor, class Offload>
class session final : public watched
{
public:
    using socket_type = asio::basic_stream_socket<tcp, Executor>;

    session(socket_type socket, std::shared_ptr<connections> all, Offload offload)
      : socket_(std::move(socket)), all_(std::move(all)), offload_(offload),
        responder_(all_->page()), shedder_(all_->shedding().of(socket_.get_executor().context()))
    {
        error_code ignored;    // of a client that has gone already; the first read finds out
        socket_.set_option(tcp::no_delay(true), ignored);
        socket_.non_blocking(true, ignored);
        expire_after(all_->timeout());
        all_->add(*this);
    }

    ~session() { all_->remove(*this, served_); }

    session(session const&) = delete;
    session& operator=(session const&) = delete;

    /// Serves until the connection ends. Throws only std::bad_alloc.
    asio::awaitable<void, Executor> run();

    /// Ends a connection whose last answer was sent. The client has it, or will find it; but a
    /// socket closed with something unread would reset the connection and take the answer along.
    asio::awaitable<void, Executor> leave();

private:
    static constexpr auto token = asio::as_tuple(asio::deferred);
    static constexpr bool offloads = requires(Offload offload) { offload.leave(); };

    /// Answers the request elsewhere, and is back home when it completes.
    asio::awaitable<std::string_view, Executor> answer_elsewhere(request const& r);

    void shut(tcp::socket::shutdown_type what) noexcept override
    {
        error_code ignored;    // the client may be gone already
        socket_.shutdown(what, ignored);
    }

    /// What to say to a client that will send no more of the request it began.
    http::status excuse() const noexcept
    {
        return ending() == reason::late ? http::status::request_timeout
                                        : http::status::bad_request;
    }

    /// Sends what the socket takes at once. Returns the rest.
    std::string_view write_some(std::string_view text, error_code& error)
    {
        text.remove_prefix(socket_.write_some(asio::buffer(text), error));
        if (error == asio::error::would_block)
            error = {};
        return text;
    }

    socket_type socket_;
    std::shared_ptr<connections> all_;
    [[no_unique_address]] Offload offload_;
    request_reader reader_;
    responder responder_;
    asio_ewyk::load_shedder* shedder_;    // null if nothing is refused
    std::uint64_t served_ = 0;
};

template <class Executor, class Offload>
asio::awaitable<std::string_view, Executor> session<Executor, Offload>::answer_elsewhere(
    request const& r)
{
    Executor const home = socket_.get_executor();
    std::string_view text;
    std::exception_ptr failure;
    co_await offload_.leave();
    try
    {
        text = responder_.answer(r);
    }
    catch (...)
    {
        // It ends the connection, and with it the socket: at home.
        failure = std::current_exception();
    }
    co_await asio_ewyk::switch_to(home);
    if (failure)
        std::rethrow_exception(failure);
    co_return text;
}

template <class Executor, class Offload>
asio::awaitable<void, Executor> session<Executor, Offload>::run()
{
    for (bool timed = false, keep_alive = true; keep_alive;)
    {
        auto parsed = reader_.parse();
        if (parsed == request_reader::outcome::need_more)
        {
            // The first bytes of a request start its own time.
            if (!timed && reader_.begun())
                expire_after(all_->timeout());
            timed = reader_.begun();

            auto const [error, size] = co_await socket_.async_read_some(reader_.prepare(), token);
            reader_.commit(size);
            if (!error && ending() == reason::none)
                continue;
            // What has come may still complete the request; nothing more will.
            parsed = reader_.parse();
            if (parsed == request_reader::outcome::need_more && !reader_.begun())
                co_return;
        }

        auto const complete = parsed == request_reader::outcome::complete;
        std::string_view text;
        if (complete)
        {
            auto request = reader_.get();
            request.keep_alive = request.keep_alive && ending() == reason::none;
            keep_alive = request.keep_alive;
            never_expire();
            error_code refused;
            if (shedder_ && request.todo != action::metrics)
                refused = std::get<0>(co_await shedder_->async_admit(token));
            bool elsewhere = false;
            if constexpr (offloads)
                elsewhere = !refused && offload_.takes(request);
            if (refused)
                text = responder_.answer_overloaded(request);
            else if (!elsewhere)
                text = responder_.answer(request);
            else if constexpr (offloads)
                text = co_await answer_elsewhere(request);
            expire_after(all_->timeout());
            reader_.next();
            timed = false;
        }
        else
        {
            keep_alive = false;
            text = responder_.refuse(
                parsed == request_reader::outcome::refused ? reader_.status() : excuse());
        }

        error_code error;
        text = write_some(text, error);
        if (!error && !text.empty())
            error = std::get<0>(co_await asio::async_write(socket_, asio::buffer(text), token));
        if (error)
            co_return;
        ++served_;
    }

    co_await leave();
}

template <class Executor, class Offload>
asio::awaitable<void, Executor> session<Executor, Offload>::leave()
{
    error_code error;
    socket_.shutdown(tcp::socket::shutdown_send, error);
    expire_after(all_->timeout());
    for (std::size_t sum = 0; !error && sum < limits::drained && ending() == reason::none;)
    {
        std::size_t size = 0;
        reader_.clear();
        std::tie(error, size) = co_await socket_.async_read_some(reader_.prepare(), token);
        sum += size;
    }
}

}

#endif
