#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_TEST_ARRANGEMENTS_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_TEST_ARRANGEMENTS_HPP

#include "server_process.hpp"

#include <boost/test/unit_test.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace test {

/// A value of the server's option --strategy.
struct arrangement
{
    std::string name;
    bool survives_blocking;    ///< a handler that blocks does not keep others from being served

    friend std::ostream& operator<<(std::ostream& out, arrangement const& a)
    {
        return out << a.name;
    }
};

inline std::vector<arrangement> const arrangements = {
    {"produce_consume", false},
    {"produce_execute_consume", true},
    {"execute_produce_consume", true},
    {"eat_what_you_kill", true},
    {"io_context", true},
    {"io_context_per_thread", false},
};

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
    explicit listening_server(std::string const& strategy, std::string const& timeout = "30",
        std::vector<std::string> more = {}, rlim_t descriptors = 0)
      : server_process(
          server_program(), arguments(strategy, timeout, std::move(more)), descriptors)
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
        std::string const& strategy, std::string const& timeout, std::vector<std::string> more)
    {
        more.insert(more.end(), {"--strategy", strategy, "--port", "0", "--timeout", timeout});
        return more;
    }

    std::string greeting_;
};

}

#endif
