// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#define BOOST_TEST_MODULE asio_ewyk
#if defined(BOOST_TEST_DYN_LINK)
#include <boost/test/unit_test.hpp>
#else
#include <boost/test/included/unit_test.hpp>
#endif

// Where the sanitizer has a weak one, which comes first.
#define ASIO_EWYK_STRONG_WAIT_HOOK
#include <asio_ewyk/detail/os/wait_hook.hpp>

#include <boost/test/tree/observer.hpp>
#include <boost/test/unit_test_parameters.hpp>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#if defined(SIGALRM) // Windows has none
#include <unistd.h>

namespace {

namespace test = boost::unit_test;

// Ends the program, with the name of the test case, when one hangs: what started it may have no
// deadline of its own, or would not say where it was. A signal needs no thread, which tests count.
class hang_guard : public test::test_observer
{
public:
    hang_guard()
    {
        std::signal(SIGALRM, &hang_guard::give_up);
        test::framework::register_observer(*this);
    }

    ~hang_guard() override { test::framework::deregister_observer(*this); }

    void test_unit_start(test::test_unit const& unit) override
    {
        if (unit.p_type != test::TUT_CASE)
            return;
        message_ = "hangs: " + unit.full_name() + '\n';
        ::alarm(deadline);
    }

    void test_unit_finish(test::test_unit const&, unsigned long) override { ::alarm(0); }

private:
    static constexpr unsigned deadline = 240; // seconds; several of the tests' own, which are 60

    static void give_up(int)
    {
        // The string of a running test case is not being changed.
        [[maybe_unused]] auto const written
            = ::write(STDERR_FILENO, message_.data(), message_.size());
        std::abort();
    }

    static inline std::string message_;
};

struct hang_guard_fixture
{
    hang_guard guard;
};

BOOST_TEST_GLOBAL_FIXTURE(hang_guard_fixture);

} // namespace

#endif
