// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_TEST_HOSTILE_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_TEST_HOSTILE_HPP

#include "client.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace test {

/// A request that must be refused, and how.
struct bad_request
{
    std::string what;
    std::string text;
    int status;
};

/// Requests whose refusal is known.
inline std::vector<bad_request> bad_requests()
{
    auto const field = [](std::size_t size) { return "X: " + std::string(size, 'x') + "\r\n"; };
    auto const post = [](std::string const& fields, std::string const& body) {
        return "POST /fast HTTP/1.1\r\nHost: test\r\n" + fields + "\r\n" + body;
    };
    std::string many;
    for (int i = 0; i != 2000; ++i)
        many += "A: b\r\n";
    std::string chunks;
    for (int i = 0; i != 17; ++i)
        chunks += "1000\r\n" + std::string(0x1000, 'x') + "\r\n";

    return {
        {"no HTTP", "hello there\r\n\r\n", 400},
        {"a TLS handshake", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), 400},
        {"nothing but zeros", std::string(1000, '\0'), 400},
        {"HTTP/2's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
        {"an unknown version", "GET /fast HTTP/1.2\r\nHost: test\r\n\r\n", 400},
        {"no version", "GET /fast\r\n\r\n", 400},
        {"a control character in the target", "GET /\x01 HTTP/1.1\r\nHost: test\r\n\r\n", 400},
        {"a field without a name", get("/fast", ": x\r\n"), 400},
        {"a blank before the colon", get("/fast", "Name : x\r\n"), 400},
        {"a control character in a value", get("/fast", "Name: x\x01\r\n"), 400},
        {"no host", "GET /fast HTTP/1.1\r\n\r\n", 400},
        {"two hosts", get("/fast", "Host: other\r\n"), 400},
        {"a length that is no number", post("Content-Length: ten\r\n", ""), 400},
        {"a negative length", post("Content-Length: -1\r\n", ""), 400},
        {"two lengths", post("Content-Length: 1\r\nContent-Length: 2\r\n", "xx"), 400},
        {"a length and chunks",
            post("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400},
        {"an unknown encoding", post("Transfer-Encoding: gzip\r\n", ""), 400},
        {"a chunk that is no number", post("Transfer-Encoding: chunked\r\n", "x\r\n\r\n"), 400},
        {"a chunk without its end",
            post("Transfer-Encoding: chunked\r\n", "1\r\nxx\r\n0\r\n\r\n"), 400},
        {"no number to sleep", get("/sleep/"), 400},
        {"a word to sleep", get("/sleep/long"), 400},
        {"a number and a word to sleep", get("/sleep/1s"), 400},
        {"a negative number to sleep", get("/sleep/-1"), 400},
        {"more sleep than is allowed", get("/sleep/10000001"), 400},
        {"more sleep than a number holds", get("/sleep/99999999999999999999"), 400},
        {"more work than is allowed", get("/cpu/10000001"), 400},
        {"a cut start line", "GET /fa", 400},
        {"a cut field", "GET /fast HTTP/1.1\r\nHo", 400},
        {"a cut body", post("Content-Length: 10\r\n", "12345"), 400},
        {"a cut chunk", post("Transfer-Encoding: chunked\r\n", "a\r\n12345"), 400},
        {"a long field", get("/fast", field(8 * 1024)), 431},
        {"a very long field", get("/fast", field(1000 * 1024)), 431},
        {"many fields", get("/fast", many), 431},
        {"a long target", get("/" + std::string(9000, 'x')), 431},
        {"a long body", post("Content-Length: 65537\r\n", std::string(65537, 'x')), 413},
        {"a huge body, announced", post("Content-Length: 99999999999\r\n", ""), 413},
        {"a long body in chunks", post("Transfer-Encoding: chunked\r\n", chunks), 413},
        {"a huge chunk, announced", post("Transfer-Encoding: chunked\r\n", "fffffff\r\n"), 413},
        {"an endless chunk extension",
            post("Transfer-Encoding: chunked\r\n", "1;x=" + std::string(20000, 'x')), 400},
    };
}

/** Makes bad requests of good ones: the same sequence for the same seed. */
class mutator
{
public:
    explicit mutator(unsigned seed) : random_(seed) {}

    std::string next()
    {
        static std::array<std::string, 7> const good = {
            get("/fast"),
            get("/cpu/1", "Connection: keep-alive\r\nAccept: */*\r\nUser-Agent: test/1.0\r\n"),
            get("/fast") + get("/nothing") + get("/fast", "Connection: close\r\n"),
            "HEAD /fast HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
            "POST /fast HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhello" + get("/fast"),
            "PUT /x HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"
            "5;a=b\r\nhello\r\n3\r\nyou\r\n0\r\nTrailer: x\r\n\r\n"
                + get("/fast"),
            "DELETE / HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n",
        };
        auto text = good[below(good.size())];
        for (auto n = 1 + below(4); n != 0 && !text.empty(); --n)
            mutate(text);
        return text;
    }

private:
    std::size_t below(std::size_t n) { return random_() % n; }

    void mutate(std::string& text)
    {
        static constexpr std::array<std::string_view, 12> words = {"\r\n", "\r\n\r\n", ":", " ",
            "\t", "\r", "\n", "HTTP/1.1", "chunked", "Content-Length: 0\r\n", "\xff", "0"};
        auto const at = below(text.size());
        auto const some = 1 + below(std::min<std::size_t>(16, text.size() - at));
        switch (below(7))
        {
        case 0:
            text[at] = static_cast<char>(below(256));
            break;
        case 1:
            text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
            break;
        case 2:
            text.erase(at, some);
            break;
        case 3:
            text.insert(at, words[below(words.size())]);
            break;
        case 4:
            text.resize(at);
            break;
        case 5:
            text.insert(below(text.size()), text.substr(at, some));
            break;
        case 6:
            text.insert(at, some * some * 64, 'x');
            break;
        }
    }

    std::mt19937 random_;    // the standard says what it yields
};

}

#endif
