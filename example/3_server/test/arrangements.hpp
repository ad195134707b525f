// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_TEST_ARRANGEMENTS_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_TEST_ARRANGEMENTS_HPP

#include "server_process.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace test {

/// A value of the server's option --strategy or --model.
struct arrangement
{
    std::string option;
    std::string name;
    bool survives_blocking;    ///< a handler that blocks does not keep others from being served
    bool refuses = false;      ///< closes connections beyond --threads

    friend std::ostream& operator<<(std::ostream& out, arrangement const& a)
    {
        return out << a.name;
    }
};

inline std::vector<arrangement> const arrangements = {
    {"--strategy", "produce_consume", false},
    {"--strategy", "produce_execute_consume", true},
    {"--strategy", "execute_produce_consume", true},
    {"--strategy", "eat_what_you_kill", true},
    {"--strategy", "io_context", true},
    {"--strategy", "io_context_per_thread", false},
    {"--strategy", "io_context_and_pool", true},
    {"--model", "redis", false},
    {"--model", "tomcat", true},
    {"--model", "netty", true},
    {"--model", "kafka", true},
    {"--model", "hadoop", true, true},
    {"--model", "jetty", true},
};

/// The arrangement of that name.
inline arrangement const& find(std::string const& name)
{
    return *std::find_if(arrangements.begin(), arrangements.end(),
        [&](arrangement const& a) { return a.name == name; });
}

/// One for each way to accept a connection and to serve it, for tests that take seconds.
inline std::vector<arrangement> const different_arrangements = {find("eat_what_you_kill"),
    find("io_context_per_thread"), find("io_context_and_pool"), find("kafka"), find("hadoop")};

/// The program under test: the test's first argument.
inline std::string server_program()
{
    auto const& suite = boost::unit_test::framework::master_test_suite();
    BOOST_REQUIRE_MESSAGE(suite.argc == 2, "usage: test_http_server -- <the server's path>");
    return suite.argv[1];
}

/// A server on a free port, listening.
class listening_server : public server_process
{
public:
    explicit listening_server(arrangement const& a, std::string const& timeout = "30",
        std::vector<std::string> more = {}, rlim_t descriptors = 0)
      : server_process(server_program(), arguments(a, timeout, std::move(more)), descriptors)
    {
        greeting_ = read_greeting();
    }

    std::string const& greeting() const noexcept { return greeting_; }

    /// Ends it by a signal, as it should end. Returns its last line.
    std::string end(int number = SIGTERM)
    {
        signal(number);
        auto line = read_line();
        BOOST_TEST(wait() == 0);
        return line;
    }

private:
    static std::vector<std::string> arguments(
        arrangement const& a, std::string const& timeout, std::vector<std::string> more)
    {
        more.insert(more.end(), {a.option, a.name, "--port", "0", "--timeout", timeout});
        return more;
    }

    std::string greeting_;
};

}

#endif
