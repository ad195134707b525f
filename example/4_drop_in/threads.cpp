// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// One io_context that several threads run. A server counts words: each connection has a strand,
// and so has the table that they share. The clients count as well, and must come to the same.

#include <boost/asio.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

constexpr int threads = 4;
constexpr int clients = 12;
constexpr int words_of_each = 100;
constexpr auto deadline = 100s;

// Counts on its own strand, and answers on the asker's.
class table
{
public:
    explicit table(asio::io_context& context) : strand_(asio::make_strand(context)) {}

    template <class Executor, class Handler>
    void count(std::string word, Executor asker, Handler handler)
    {
        asio::post(strand_, [this, word = std::move(word), asker, handler]() mutable {
            int const times = ++times_[word];
            asio::post(asker, [handler, times]() mutable { handler(times); });
        });
    }

    // When the threads are gone.
    std::map<std::string, int> const& times() const { return times_; }

private:
    asio::strand<asio::io_context::executor_type> strand_;
    std::map<std::string, int> times_;
};

class session : public std::enable_shared_from_this<session>
{
public:
    session(tcp::socket socket, table& words) : socket_(std::move(socket)), words_(words) {}

    void read()
    {
        asio::async_read_until(socket_, asio::dynamic_buffer(input_, 1024), '\n',
            [this, self = shared_from_this()](error_code error, std::size_t size) {
                if (error)
                    return;
                auto word = input_.substr(0, size - 1);
                input_.erase(0, size);
                words_.count(std::move(word), socket_.get_executor(),
                    [this, self](int times) { write(times); });
            });
    }

private:
    void write(int times)
    {
        output_ = std::to_string(times) + '\n';
        asio::async_write(socket_, asio::buffer(output_),
            [this, self = shared_from_this()](error_code error, std::size_t) {
                if (!error)
                    read();
            });
    }

    tcp::socket socket_;
    table& words_;
    std::string input_;
    std::string output_;
};

class server
{
public:
    explicit server(asio::io_context& context)
        : context_(context)
        , acceptor_(context, {asio::ip::address_v4::loopback(), 0})
        , words_(context)
    {
        accept();
    }

    tcp::endpoint where() const { return acceptor_.local_endpoint(); }
    table const& words() const { return words_; }

private:
    void accept()
    {
        acceptor_.async_accept(
            asio::make_strand(context_), [this](error_code error, tcp::socket socket) {
                if (error)
                    return;
                auto const on = socket.get_executor();
                auto const next = std::make_shared<session>(std::move(socket), words_);
                asio::dispatch(on, [next] { next->read(); });
                if (++accepted_ != clients)
                    accept();
            });
    }

    asio::io_context& context_;
    tcp::acceptor acceptor_;
    table words_;
    int accepted_ = 0;
};

void talk(tcp::endpoint const& where, std::string const& name)
{
    asio::io_context context;
    tcp::socket socket(context);
    socket.connect(where);
    std::string answer;
    for (int i = 0; i != words_of_each; ++i)
    {
        asio::write(socket, asio::buffer((i % 2 ? name : "all") + '\n'));
        auto const size = asio::read_until(socket, asio::dynamic_buffer(answer, 64), '\n');
        answer.erase(0, size);
    }
}

} // namespace

int main()
try
{
    asio::io_context context(threads);
    server counting(context);
    std::vector<std::future<void>> talks;
    for (int i = 0; i != clients; ++i)
        talks.push_back(std::async(std::launch::async, talk, counting.where(),
            "client" + std::to_string(i)));
    {
        std::vector<std::jthread> pool;
        for (int i = 0; i != threads; ++i)
            pool.emplace_back([&] { context.run_for(deadline); });
    }
    bool const in_time = context.stopped();
    for (auto& each : talks)
        each.get();

    int right = 0;
    for (auto const& [word, times] : counting.words().times())
        right += times == (word == "all" ? clients * words_of_each / 2 : words_of_each / 2);
    std::cout << right << " of " << clients + 1 << " words were counted right\n";
    return in_time && right == clients + 1 ? 0 : 1;
}
catch (std::exception const& e)
{
    std::cerr << e.what() << '\n';
    return 1;
}
