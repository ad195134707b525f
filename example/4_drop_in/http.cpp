// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// An HTTP server and its clients, with Boost.Beast and coroutines. The server keeps notes: PUT
// writes one, GET reads it. A connection on which nothing comes in time is closed.

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <iostream>
#include <map>
#include <mutex>
#include <string>

namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
using net::awaitable;
using net::use_awaitable;
using net::ip::tcp;
using request = http::request<http::string_body>;
using response = http::response<http::string_body>;
using namespace std::chrono_literals;

constexpr int clients = 10;
constexpr int notes_of_each = 25;
constexpr auto deadline = 100s;

class notebook
{
public:
    response answer(request const& asked)
    {
        std::lock_guard const lock(mutex_);
        response answer(http::status::ok, asked.version());
        std::string const name(asked.target());
        if (asked.method() == http::verb::put)
            notes_[name] = asked.body();
        else if (asked.method() != http::verb::get)
            answer.result(http::status::method_not_allowed);
        else if (auto const note = notes_.find(name); note != notes_.end())
            answer.body() = note->second;
        else
            answer.result(http::status::not_found);
        answer.set(http::field::content_type, "text/plain");
        answer.keep_alive(asked.keep_alive());
        answer.prepare_payload();
        return answer;
    }

private:
    std::mutex mutex_; // sessions run on several threads, or one day will
    std::map<std::string, std::string> notes_;
};

// A stream and its timeout are for one thread at a time: each is on a strand.
awaitable<void> session(beast::tcp_stream stream, notebook& notes)
{
    beast::flat_buffer buffer;
    try
    {
        for (bool more = true; more;)
        {
            request asked;
            stream.expires_after(deadline);
            co_await http::async_read(stream, buffer, asked, use_awaitable);
            auto const answer = notes.answer(asked);
            co_await http::async_write(stream, answer, use_awaitable);
            more = answer.keep_alive();
        }
        stream.socket().shutdown(tcp::socket::shutdown_send);
    }
    catch (boost::system::system_error const& e)
    {
        if (e.code() != http::error::end_of_stream)
            std::cerr << "a session ends: " << e.what() << '\n';
    }
}

awaitable<void> listen(net::io_context& ioc, tcp::acceptor& acceptor, notebook& notes)
{
    for (;;)
    {
        auto const on = net::make_strand(ioc);
        auto [error, socket] = co_await acceptor.async_accept(on, net::as_tuple(use_awaitable));
        if (error)
            co_return;
        net::co_spawn(on, session(beast::tcp_stream(std::move(socket)), notes), net::detached);
    }
}

class client
{
public:
    explicit client(net::any_io_executor const& on) : stream_(on) {}

    awaitable<void> connect(tcp::endpoint const& where)
    {
        stream_.expires_after(deadline);
        co_await stream_.async_connect(where, use_awaitable);
    }

    awaitable<response> ask(http::verb verb, std::string const& target, std::string body = {})
    {
        request asked(verb, target, 11, std::move(body));
        asked.set(http::field::host, "localhost");
        asked.prepare_payload();
        stream_.expires_after(deadline);
        co_await http::async_write(stream_, asked, use_awaitable);
        response answer;
        co_await http::async_read(stream_, buffer_, answer, use_awaitable);
        co_return answer;
    }

private:
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
};

awaitable<int> take_notes(tcp::endpoint where, int number)
{
    client notes(co_await net::this_coro::executor);
    co_await notes.connect(where);
    int right = 0;
    for (int i = 0; i != notes_of_each; ++i)
    {
        auto const target = '/' + std::to_string(number) + '/' + std::to_string(i);
        std::string const text(static_cast<std::size_t>(i) * 1000, 'x');
        bool const missing
            = (co_await notes.ask(http::verb::get, target)).result() == http::status::not_found;
        co_await notes.ask(http::verb::put, target, text);
        bool const there = (co_await notes.ask(http::verb::get, target)).body() == text;
        right += missing && there;
    }
    co_return right;
}

} // namespace

int main()
try
{
    net::io_context ioc;
    notebook notes;
    tcp::acceptor acceptor(net::make_strand(ioc), {net::ip::address_v4::loopback(), 0});
    auto const where = acceptor.local_endpoint();
    net::co_spawn(acceptor.get_executor(), listen(ioc, acceptor, notes), net::detached);

    std::atomic<int> right = 0;
    std::atomic<int> busy = clients;
    for (int i = 0; i != clients; ++i)
        net::co_spawn(net::make_strand(ioc), take_notes(where, i),
            [&](std::exception_ptr error, int n) {
                right += n;
                if (--busy == 0)
                    net::post(acceptor.get_executor(), [&] { acceptor.close(); });
                if (error)
                    std::rethrow_exception(error);
            });
    ioc.run_for(deadline);

    std::cout << right << " of " << clients * notes_of_each << " notes were kept\n";
    return right == clients * notes_of_each ? 0 : 1;
}
catch (std::exception const& e)
{
    std::cerr << e.what() << '\n';
    return 1;
}
