// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Handlers whose move throws: one move after the other, wherever it is made. The exception is that
// of the submission or of the handler, and the handler is destroyed with what it owns.

#include "pool_support.hpp"

#include <memory>
#include <stdexcept>

using namespace support;

BOOST_AUTO_TEST_SUITE(throwing_moves)

namespace {

using owned = std::shared_ptr<std::atomic<int>>;

/// A handler whose n-th move throws, and which is whole then.
class fragile
{
public:
    fragile(owned o, int n)
      : owned_(std::move(o)), left_(std::make_shared<int>(n))
    {
    }

    fragile(fragile const&) = delete;

    fragile(fragile&& other)
      : owned_(other.owned_), left_(other.left_)
    {
        if (--*left_ == 0)
            throw std::runtime_error("a move");
    }

    void operator()() const { ++*owned_; }

private:
    owned owned_;
    std::shared_ptr<int> left_; // moves, on one thread after the other
};

/// Has `submit` take a handler whose first move throws, whose second one does, and so on until it
/// runs; and `finish` do what waits. `caught` counts what was thrown elsewhere. How many threw.
template <class Submit, class Finish>
int each_move(Submit submit, Finish finish, std::atomic<int>& caught)
{
    for (int n = 1;; ++n)
    {
        auto const o = std::make_shared<std::atomic<int>>(0);
        int thrown = -caught;
        try
        {
            submit(fragile(o, n));
        }
        catch (std::runtime_error const&)
        {
            ++thrown;
        }
        finish();
        thrown += caught;
        BOOST_TEST_CONTEXT("move " << n)
        {
            BOOST_TEST(o.use_count() == 1);
            BOOST_TEST(thrown == 1 - *o);
        }
        if (*o != 0 || o.use_count() != 1)
            return n - 1;
    }
}

CONTEXT_TEST_CASE(in_a_context, s)
{
    context ctx(s);
    std::atomic<int> caught{0};
    BOOST_TEST(each_move([&](fragile f) { asio::post(ctx, std::move(f)); },
                   [&] {
                       run_and_count(ctx, caught);
                       ctx.restart();
                   },
                   caught)
        > 2);
}

/// A handler whose first copy throws.
class not_copied
{
public:
    explicit not_copied(bool& ran)
        : ran_(&ran)
    {
    }

    not_copied(not_copied const&) { throw std::runtime_error("a copy"); }
    not_copied(not_copied&&) = default;

    void operator()() const { *ran_ = true; }

private:
    bool* ran_;
};

/// What a handler is told that submits a function in that way, and whether the function has run.
template <class Context, class Submit>
std::pair<bool, bool> submits(Context& ctx, Submit submit)
{
    bool ran = false;
    bool told = false;
    asio::post(ctx, [&] {
        not_copied const f(ran);
        try
        {
            submit(ctx.get_executor(), f);
        }
        catch (std::runtime_error const&)
        {
            told = true;
        }
    });
    ctx.run();
    return {told, ran};
}

// The submitter is told of a copy that throws, also where the function would be called at once.
CONTEXT_TEST_CASE(of_a_copy_the_submitter_is_told, s)
{
    auto const at_once = [](auto ex, not_copied const& f) { ex.execute(f); };
    auto const later = [](auto ex, not_copied const& f) {
        asio::require(ex, asio::execution::blocking.never).execute(f);
    };
    std::pair const told(true, false);
    asio::io_context ioc;
    BOOST_TEST((submits(ioc, at_once) == told));
    ioc.restart();
    BOOST_TEST((submits(ioc, later) == told));
    context ctx(s);
    BOOST_TEST((submits(ctx, at_once) == told));
    ctx.restart();
    BOOST_TEST((submits(ctx, later) == told));
}

BOOST_AUTO_TEST_CASE(in_a_pool)
{
    std::atomic<int> caught{0};
    ewyk::worker_pool pool(
        {.max_threads = 1, .on_exception = [&](std::exception_ptr) { ++caught; }});
    // wait() does not wait for the hook; the task after it does.
    auto const finish = [&] {
        event ran;
        pool.execute([&] { ran.set(); });
        BOOST_TEST(ran.wait());
    };
    BOOST_TEST(each_move([&](fragile f) { pool.execute(std::move(f)); }, finish, caught) > 1);
    BOOST_TEST(each_move([&](fragile f) { asio::post(pool, std::move(f)); }, finish, caught) > 1);
}

BOOST_AUTO_TEST_CASE(in_a_loop)
{
    std::atomic<int> caught{0};
    ewyk::event_loop loop({.on_exception = [&](std::exception_ptr) { ++caught; }});
    auto const finish = [&] {
        event ran;
        asio::post(loop, [&] { ran.set(); });
        BOOST_TEST(ran.wait());
    };
    BOOST_TEST(each_move([&](fragile f) { asio::post(loop, std::move(f)); }, finish, caught) > 1);
    // Tasks that are posted during the round run before what waits for its end.
    auto const finish_round = [&] {
        event ran;
        loop.execute_after_round([&] { ran.set(); });
        BOOST_TEST(ran.wait());
    };
    BOOST_TEST(each_move([&](fragile f) { loop.execute_after_round(std::move(f)); }, finish_round,
                   caught)
        > 1);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
