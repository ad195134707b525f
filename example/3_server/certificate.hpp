// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_SERVER_CERTIFICATE_HPP
#define ASIO_EWYK_EXAMPLE_SERVER_CERTIFICATE_HPP

#include <boost/asio/ssl.hpp>

#include <memory>
#include <stdexcept>

#include <openssl/x509v3.h>

/// Of "localhost", signed by itself, for a day: for programs that talk to themselves.
class certificate
{
public:
    certificate()
    {
        auto* const name = X509_get_subject_name(x509_.get());
        auto const* const host = reinterpret_cast<unsigned char const*>("localhost");
        bool const made = key_ && X509_set_version(x509_.get(), 2)
            && ASN1_INTEGER_set(X509_get_serialNumber(x509_.get()), 1)
            && X509_gmtime_adj(X509_getm_notBefore(x509_.get()), -60 * 60)
            && X509_gmtime_adj(X509_getm_notAfter(x509_.get()), 24 * 60 * 60)
            && X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, host, -1, -1, 0)
            && X509_set_issuer_name(x509_.get(), name)
            && X509_set_pubkey(x509_.get(), key_.get())
            && X509_sign(x509_.get(), key_.get(), EVP_sha256());
        if (!made)
            throw std::runtime_error("no certificate");
    }

    void identify(boost::asio::ssl::context& server) const
    {
        SSL_CTX_use_certificate(server.native_handle(), x509_.get());
        SSL_CTX_use_PrivateKey(server.native_handle(), key_.get());
    }

    void trust(boost::asio::ssl::context& client) const
    {
        X509_STORE_add_cert(SSL_CTX_get_cert_store(client.native_handle()), x509_.get());
        client.set_verify_mode(boost::asio::ssl::verify_peer);
    }

private:
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_{EVP_EC_gen("P-256"), &EVP_PKEY_free};
    std::unique_ptr<X509, decltype(&X509_free)> x509_{X509_new(), &X509_free};
};

#endif
