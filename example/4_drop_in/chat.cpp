// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A chat room: what a participant says reaches all of them, and who comes later learns what was
// said before. The server has callbacks, and one strand for the room; three clients talk to it, and
// must have heard the same in the end.

#include <boost/asio.hpp>

#include <deque>
#include <exception>
#include <future>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t clients = 3;
constexpr std::size_t lines_of_each = 20;
constexpr std::size_t lines = clients * lines_of_each;

class participant
{
public:
    virtual ~participant() = default;
    virtual void deliver(std::string const& line) = 0;
};

// All of it runs on one strand.
class room
{
public:
    void join(std::shared_ptr<participant> p)
    {
        for (auto const& line : said_)
            p->deliver(line);
        participants_.insert(std::move(p));
    }

    void leave(std::shared_ptr<participant> const& p) { participants_.erase(p); }

    void say(std::string line)
    {
        said_.push_back(std::move(line));
        for (auto const& p : participants_)
            p->deliver(said_.back());
    }

private:
    std::set<std::shared_ptr<participant>> participants_;
    std::vector<std::string> said_;
};

class session final
    : public participant
    , public std::enable_shared_from_this<session>
{
public:
    session(tcp::socket socket, room& r)
        : socket_(std::move(socket))
        , room_(r)
    {
    }

    void start()
    {
        room_.join(shared_from_this());
        read();
    }

    void deliver(std::string const& line) override
    {
        to_write_.push_back(line);
        if (to_write_.size() == 1)
            write();
    }

private:
    void read()
    {
        boost::asio::async_read_until(socket_, boost::asio::dynamic_buffer(read_, 1024), '\n',
            [this, self = shared_from_this()](error_code error, std::size_t size) {
                if (error)
                {
                    room_.leave(self);
                    return;
                }
                room_.say(read_.substr(0, size));
                read_.erase(0, size);
                read();
            });
    }

    void write()
    {
        boost::asio::async_write(socket_, boost::asio::buffer(to_write_.front()),
            [this, self = shared_from_this()](error_code error, std::size_t) {
                if (error)
                {
                    room_.leave(self);
                    return;
                }
                to_write_.pop_front();
                if (!to_write_.empty())
                    write();
            });
    }

    tcp::socket socket_;
    room& room_;
    std::string read_;                 // what came, up to an unfinished line
    std::deque<std::string> to_write_; // the first one is being written
};

class server
{
public:
    server(boost::asio::io_context& io_context, tcp::endpoint const& where)
        : acceptor_(boost::asio::make_strand(io_context), where)
    {
        accept();
    }

    tcp::endpoint where() const { return acceptor_.local_endpoint(); }

private:
    void accept()
    {
        // The sockets' executor is the acceptor's: the room's strand.
        acceptor_.async_accept([this](error_code error, tcp::socket socket) {
            if (error)
                return;
            std::make_shared<session>(std::move(socket), room_)->start();
            if (++accepted_ != clients)
                accept();
        });
    }

    tcp::acceptor acceptor_;
    room room_;
    std::size_t accepted_ = 0;
};

// Talks, and returns what it has heard.
std::vector<std::string> talk(tcp::endpoint const& where, std::string_view name)
{
    boost::asio::io_context io_context;
    tcp::socket socket(io_context);
    socket.connect(where);
    for (std::size_t i = 0; i != lines_of_each; ++i)
    {
        auto const line = std::string(name) + " says " + std::to_string(i) + '\n';
        boost::asio::write(socket, boost::asio::buffer(line));
    }

    std::vector<std::string> heard;
    std::string buffer;
    while (heard.size() != lines)
    {
        auto const size
            = boost::asio::read_until(socket, boost::asio::dynamic_buffer(buffer, 1024), '\n');
        heard.push_back(buffer.substr(0, size));
        buffer.erase(0, size);
    }
    return heard;
}

} // namespace

int main()
try
{
    boost::asio::io_context io_context;
    server const chat(io_context, {boost::asio::ip::address_v4::loopback(), 0});

    std::vector<std::future<std::vector<std::string>>> talks;
    for (auto const* name : {"Ada", "Barbara", "Grace"})
        talks.push_back(std::async(std::launch::async, talk, chat.where(), name));
    io_context.run();

    auto const first = talks.front().get();
    bool same = true;
    for (std::size_t i = 1; i != clients; ++i)
        same = talks[i].get() == first && same;
    std::cout << "everybody has heard " << first.size() << " lines, "
              << (same ? "the same ones" : "but not the same ones") << '\n';
    return same ? 0 : 1;
}
catch (std::exception const& e)
{
    std::cerr << e.what() << '\n';
    return 1;
}
