// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// TLS: an echo server with a certificate that is made for this run, clients that trust it, and one
// that does not, and must not come to talk. A stream of TLS is for one thread at a time: strands.

#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include <openssl/x509v3.h>

namespace {

namespace asio = boost::asio;
namespace ssl = asio::ssl;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;
using stream = ssl::stream<tcp::socket>;
using namespace std::chrono_literals;

constexpr int clients = 10;
constexpr int messages = 50;
constexpr auto deadline = 100s;

// Of "localhost", signed by itself, for a day.
class certificate
{
public:
    certificate()
    {
        auto* const name = X509_get_subject_name(x509_.get());
        auto const* const host = reinterpret_cast<unsigned char const*>("localhost");
        std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> const names(
            X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost"),
            &X509_EXTENSION_free);
        bool const made = key_ && names && X509_set_version(x509_.get(), 2)
            && ASN1_INTEGER_set(X509_get_serialNumber(x509_.get()), 1)
            && X509_gmtime_adj(X509_getm_notBefore(x509_.get()), -60 * 60)
            && X509_gmtime_adj(X509_getm_notAfter(x509_.get()), 24 * 60 * 60)
            && X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, host, -1, -1, 0)
            && X509_set_issuer_name(x509_.get(), name)
            && X509_add_ext(x509_.get(), names.get(), -1)
            && X509_set_pubkey(x509_.get(), key_.get())
            && X509_sign(x509_.get(), key_.get(), EVP_sha256());
        if (!made)
            throw std::runtime_error("no certificate");
    }

    void identify(ssl::context& server) const
    {
        SSL_CTX_use_certificate(server.native_handle(), x509_.get());
        SSL_CTX_use_PrivateKey(server.native_handle(), key_.get());
    }

    void trust(ssl::context& client) const
    {
        X509_STORE_add_cert(SSL_CTX_get_cert_store(client.native_handle()), x509_.get());
    }

private:
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_{EVP_EC_gen("P-256"), &EVP_PKEY_free};
    std::unique_ptr<X509, decltype(&X509_free)> x509_{X509_new(), &X509_free};
};

awaitable<void> echo(stream peer)
{
    try
    {
        co_await peer.async_handshake(stream::server, use_awaitable);
        std::string data;
        for (;;)
        {
            auto const size = co_await asio::async_read_until(
                peer, asio::dynamic_buffer(data, 1024), '\n', use_awaitable);
            co_await asio::async_write(peer, asio::buffer(data, size), use_awaitable);
            data.erase(0, size);
        }
    }
    catch (boost::system::system_error const&)
    {
        // The end of the stream, or a client that does not trust us.
    }
    co_await peer.async_shutdown(asio::as_tuple(use_awaitable));
}

awaitable<void> listen(asio::io_context& context, tcp::acceptor& acceptor, ssl::context& tls)
{
    for (;;)
    {
        auto const on = asio::make_strand(context);
        auto [error, socket] = co_await acceptor.async_accept(on, asio::as_tuple(use_awaitable));
        if (error)
            co_return;
        asio::co_spawn(on, echo(stream(std::move(socket), tls)), asio::detached);
    }
}

// The number of messages that came back.
awaitable<int> talk(tcp::endpoint where, ssl::context& tls)
{
    stream server(co_await asio::this_coro::executor, tls);
    server.set_verify_mode(ssl::verify_peer);
    server.set_verify_callback(ssl::host_name_verification("localhost"));
    co_await server.lowest_layer().async_connect(where, use_awaitable);
    co_await server.async_handshake(stream::client, use_awaitable);
    int echoed = 0;
    for (int i = 0; i != messages; ++i)
    {
        auto const said = "message " + std::to_string(i) + '\n';
        co_await asio::async_write(server, asio::buffer(said), use_awaitable);
        std::string heard(said.size(), '\0');
        co_await asio::async_read(server, asio::buffer(heard), use_awaitable);
        echoed += heard == said;
    }
    co_await server.async_shutdown(use_awaitable);
    co_return echoed;
}

} // namespace

int main()
try
{
    certificate const identity;
    ssl::context serving(ssl::context::tls_server);
    ssl::context trusting(ssl::context::tls_client);
    ssl::context distrusting(ssl::context::tls_client);
    identity.identify(serving);
    identity.trust(trusting);

    asio::io_context context;
    tcp::acceptor acceptor(asio::make_strand(context), {asio::ip::address_v4::loopback(), 0});
    auto const where = acceptor.local_endpoint();
    asio::co_spawn(acceptor.get_executor(), listen(context, acceptor, serving), asio::detached);

    std::atomic<int> echoed = 0;
    std::atomic<int> refused = 0;
    std::atomic<int> busy = clients + 1;
    for (int i = 0; i <= clients; ++i)
        asio::co_spawn(asio::make_strand(context), talk(where, i == 0 ? distrusting : trusting),
            [&](std::exception_ptr error, int n) {
                echoed += n;
                refused += error != nullptr;
                if (--busy == 0)
                    asio::post(acceptor.get_executor(), [&] { acceptor.close(); });
            });
    context.run_for(deadline);

    std::cout << echoed << " of " << clients * messages << " messages came back; " << refused
              << " client did not trust the server\n";
    return echoed == clients * messages && refused == 1 ? 0 : 1;
}
catch (std::exception const& e)
{
    std::cerr << e.what() << '\n';
    return 1;
}
