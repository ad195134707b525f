// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_APPS_STUB_SERVER_HPP
#define ASIO_EWYK_TEST_APPS_STUB_SERVER_HPP

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/system_error.hpp>

#include <thread>
#include <utility>

namespace apps {

namespace asio = boost::asio;

/// A server for one client, on a thread of its own, which talks as the function says and waits for
/// each byte. Not with a context that is tested.
class stub_server
{
public:
    template <class Talk>
    explicit stub_server(Talk talk)
        : acceptor_(context_, {asio::ip::address_v4::loopback(), 0})
        , thread_([this, talk = std::move(talk)] {
            asio::ip::tcp::socket client(context_);
            acceptor_.accept(client);
            try
            {
                talk(client);
            }
            catch (boost::system::system_error const&)
            {
                // The client has gone.
            }
        })
    {
    }

    stub_server(stub_server const&) = delete;
    stub_server& operator=(stub_server const&) = delete;
    ~stub_server() { thread_.join(); }

    asio::ip::tcp::endpoint endpoint() const { return acceptor_.local_endpoint(); }

private:
    asio::io_context context_;
    asio::ip::tcp::acceptor acceptor_;
    std::thread thread_;
};

} // namespace apps

#endif
