// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_TEST_CLIENT_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_TEST_CLIENT_HPP

#include "deadline.hpp"
#include "descriptor.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <utility>

namespace test {

/// An answer of the server.
struct answer
{
    int status = 0;      ///< 0: the connection ended without one
    std::string head;    ///< with the empty line
    std::string body;

    bool has(std::string_view field) const { return head.find(field) != head.npos; }
};

/** A client that can do everything wrong. Nothing it does waits for longer than `patience`.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
class client
{
public:
    explicit client(unsigned short port)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        ::sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(fd(), reinterpret_cast<::sockaddr*>(&to), sizeof to) != 0)
            throw std::runtime_error("cannot connect to the server");
        int const yes = 1;
        ::setsockopt(fd(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }

    int fd() const noexcept { return socket_.get(); }

    /// Sends everything. False if the server closed before it had it all.
    bool send(std::string_view text)
    {
        while (!text.empty())
        {
            auto const sent = send_some(text);
            if (sent < 0)
                return false;
            text.remove_prefix(static_cast<std::size_t>(sent));
            if (sent == 0)
                await(fd(), POLLOUT, "send to the server");
        }
        return true;
    }

    /// Sends what the socket takes: 0 if nothing, -1 if the server closed.
    ssize_t send_some(std::string_view text)
    {
        auto const sent = ::send(fd(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0)
            return sent;
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    }

    /// Says that nothing more will come.
    void shutdown() { ::shutdown(fd(), SHUT_WR); }

    /// Receives something. False at the end of the connection, be it a reset.
    bool receive()
    {
        await(fd(), POLLIN, "receive from the server");
        char piece[16 * 1024];
        auto const size = ::recv(fd(), piece, sizeof piece, 0);
        if (size <= 0)
            return false;
        received_.append(piece, static_cast<std::size_t>(size));
        return true;
    }

    /// Receives the next answer; `head` if the request was a HEAD.
    answer receive_answer(bool head = false)
    {
        answer a;
        auto end = received_.find("\r\n\r\n");
        for (; end == received_.npos; end = received_.find("\r\n\r\n"))
            if (!receive())
                return a;
        a.head = received_.substr(0, end + 4);
        received_.erase(0, end + 4);
        if (!a.head.starts_with("HTTP/1.1 "))
            throw std::runtime_error("not an answer: " + a.head);

        std::size_t length = 0;
        if (auto const at = a.head.find("Content-Length: "); at != a.head.npos && !head)
            length = std::stoul(a.head.substr(at + 16));
        while (received_.size() < length)
            if (!receive())
                throw std::runtime_error("an answer was cut off: " + a.head);
        a.body = received_.substr(0, length);
        received_.erase(0, length);
        a.status = std::stoi(a.head.substr(9, 3));
        return a;
    }

    /// Receives everything until the connection ends.
    std::string receive_all()
    {
        while (receive())
            ;
        return std::exchange(received_, {});
    }

    /// Sends a request, and receives its answer.
    answer ask(std::string_view request)
    {
        send(request);
        return receive_answer(request.starts_with("HEAD"));
    }

    /// True if the server ends the connection without another word.
    bool ended() { return received_.empty() && !receive(); }

private:
    descriptor socket_;
    std::string received_;    // and not yet asked for
};

/// A well-formed request for the path, with further fields that each end with CRLF.
inline std::string get(std::string_view path, std::string_view fields = {})
{
    return "GET " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n" + std::string(fields)
        + "\r\n";
}

}

#endif
