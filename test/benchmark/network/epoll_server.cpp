// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The server of example/3_server without Asio: one thread, one epoll, and nothing that need not be.
// What a request costs here is what the kernel takes, and the same parser.
//
// Like http_server it says where it listens, which is at a port of the system's choice. A signal ends
// it.

#include "3_server/limits.hpp"
#include "3_server/request_reader.hpp"
#include "3_server/responder.hpp"
#include "3_server/test/descriptor.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <system_error>
#include <unordered_map>

namespace {

using http_server::request_reader;
using test::descriptor;

int checked(int result, char const* what)
{
    if (result < 0)
        throw std::system_error(errno, std::generic_category(), what);
    return result;
}

/// What the answer to /metrics is: a loop of its own counts nothing.
std::function<std::string()> const no_metrics = [] { return std::string(); };

/// One connection: what was read of it, and what is still to be sent.
class connection
{
public:
    explicit connection(int fd) : socket_(fd) {}

    enum class state
    {
        reading,    ///< come again when there is something to read
        writing,    ///< come again when there is room to write
        closed,     ///< nothing more to do
    };

    /// What advance() returned last.
    state last() const noexcept { return state_; }

    /// Does all that can be done without waiting.
    state advance() { return state_ = go_on(); }

private:
    state go_on()
    {
        for (bool received = false;;)
        {
            if (!flush())
                return state::closed;
            if (!rest_.empty())
                return state::writing;
            if (closing_)
                return drain();
            auto const parsed = reader_.parse();
            if (parsed != request_reader::outcome::need_more || (ended_ && reader_.begun()))
                answer(parsed);
            else if (ended_)
                return state::closed;
            else if (received)
                return state::reading;    // if there was more, the epoll says so again
            else if (!receive())
                return state::closed;
            else
                received = true;
        }
    }

    /// Receives what is there, if anything. False if the connection is broken.
    bool receive()
    {
        auto const space = reader_.prepare();
        auto const size = ::recv(socket_.get(), space.data(), space.size(), 0);
        ended_ = size == 0;
        if (size > 0)
            reader_.commit(static_cast<std::size_t>(size));
        return size >= 0 || errno == EAGAIN || errno == EINTR;
    }

    void answer(request_reader::outcome parsed)
    {
        if (parsed == request_reader::outcome::complete)
        {
            auto const request = reader_.get();
            rest_ = responder_.answer(request);
            closing_ = !request.keep_alive;
            reader_.next();
            return;
        }
        auto const refused = parsed == request_reader::outcome::refused;
        rest_ = responder_.refuse(
            refused ? reader_.status() : http_server::http::status::bad_request);
        closing_ = true;
    }

    /// Sends what the socket takes. False if the client has gone.
    bool flush()
    {
        if (rest_.empty())
            return true;
        auto const size = ::send(socket_.get(), rest_.data(), rest_.size(), MSG_NOSIGNAL);
        if (size > 0)
            rest_.remove_prefix(static_cast<std::size_t>(size));
        return size >= 0 || errno == EAGAIN || errno == EINTR;
    }

    /// After the last answer: the client finds it only if nothing it sent is left unread.
    state drain()
    {
        if (!shut_)
            ::shutdown(socket_.get(), SHUT_WR);
        shut_ = true;
        while (drained_ < http_server::limits::drained)
        {
            std::array<char, http_server::limits::read> piece;
            auto const size = ::recv(socket_.get(), piece.data(), piece.size(), 0);
            if (size < 0 && errno == EAGAIN)
                return state::reading;
            if (size <= 0)
                break;
            drained_ += static_cast<std::size_t>(size);
        }
        return state::closed;
    }

    descriptor socket_;
    request_reader reader_;
    http_server::responder responder_{no_metrics};
    std::string_view rest_;    // of the answer; the responder's until its next one
    state state_ = state::reading;
    std::size_t drained_ = 0;
    bool ended_ = false;       // the client sends no more
    bool closing_ = false;     // no further request will be answered
    bool shut_ = false;        // nothing more will be sent
};

class server
{
public:
    server()
      : listening_(checked(
            ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket")),
        epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll"))
    {
        int const yes = 1;
        ::setsockopt(listening_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        ::sockaddr_in where{};
        where.sin_family = AF_INET;
        where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto const address = reinterpret_cast<::sockaddr*>(&where);
        checked(::bind(listening_.get(), address, sizeof where), "bind");
        checked(::listen(listening_.get(), SOMAXCONN), "listen");
        ::socklen_t size = sizeof where;
        checked(::getsockname(listening_.get(), address, &size), "getsockname");
        watch(EPOLL_CTL_ADD, listening_.get(), EPOLLIN);
        std::printf("listening on 127.0.0.1:%d (epoll)\n", ntohs(where.sin_port));
        std::fflush(stdout);
    }

    [[noreturn]] void run()
    {
        for (std::array<::epoll_event, 128> events;;)
        {
            auto const n = ::epoll_wait(epoll_.get(), events.data(), events.size(), -1);
            for (int i = 0; i < n; ++i)
            {
                auto const fd = events[static_cast<std::size_t>(i)].data.fd;
                if (fd == listening_.get())
                    accept();
                else
                    advance(fd);
            }
        }
    }

private:
    void watch(int operation, int fd, std::uint32_t events)
    {
        ::epoll_event event{};
        event.events = events;
        event.data.fd = fd;
        checked(::epoll_ctl(epoll_.get(), operation, fd, &event), "epoll_ctl");
    }

    void accept()
    {
        // Without a descriptor left it tries again and again: the benchmark provides enough.
        auto const fd =
            ::accept4(listening_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return;
        int const yes = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        open_.try_emplace(fd, fd);
        watch(EPOLL_CTL_ADD, fd, EPOLLIN);
    }

    void advance(int fd)
    {
        auto& client = open_.at(fd);
        auto const before = client.last();
        auto const now = client.advance();
        if (now == connection::state::closed)
            open_.erase(fd);    // which also takes it out of the epoll
        else if (now != before)
            watch(EPOLL_CTL_MOD, fd, now == connection::state::writing ? EPOLLOUT : EPOLLIN);
    }

    descriptor listening_;
    descriptor epoll_;
    std::unordered_map<int, connection> open_;
};

}

int main()
try
{
    server().run();
}
catch (std::exception const& e)
{
    std::fprintf(stderr, "epoll_server: %s\n", e.what());
    return 1;
}
