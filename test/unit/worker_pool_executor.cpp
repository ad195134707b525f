// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The executor of a pool, as Asio's algorithms and adaptors use it.

#include "pool_support.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <future>
#include <stdexcept>

using namespace support;
namespace execution = boost::asio::execution;

BOOST_AUTO_TEST_SUITE(worker_pool_executor)

namespace {

using executor = ewyk::worker_pool::executor_type;
using tracked = std::decay_t<decltype(asio::require(
    std::declval<executor>(), execution::outstanding_work.tracked))>;

// Without one of these noexcepts Asio would not take it for an executor, and say nothing.
template <class Executor, class... Properties>
constexpr void answers()
{
    static_assert((asio::can_query_v<Executor, Properties> && ...));
    static_assert((asio::is_nothrow_query_v<Executor, Properties> && ...));
}

template <class Executor, class... Properties>
constexpr void can_become()
{
    static_assert((asio::can_require_v<Executor, Properties> && ...));
    static_assert((asio::is_nothrow_require_v<Executor, Properties> && ...));
}

template <class Executor>
constexpr bool is_complete()
{
    using namespace execution;
    static_assert(is_executor_v<Executor>);
    static_assert(std::is_nothrow_copy_constructible_v<Executor>);
    static_assert(std::is_nothrow_move_constructible_v<Executor>);
    static_assert(std::is_nothrow_copy_assignable_v<Executor>);
    static_assert(std::equality_comparable<Executor>);
    static_assert(std::convertible_to<Executor, asio::any_io_executor>);
    answers<Executor, context_t, blocking_t, relationship_t, outstanding_work_t, mapping_t,
        allocator_t<void>>();
    can_become<Executor, blocking_t::possibly_t, blocking_t::never_t, relationship_t::fork_t,
        relationship_t::continuation_t, outstanding_work_t::tracked_t,
        outstanding_work_t::untracked_t, allocator_t<void>, allocator_t<std::allocator<int>>>();
    return true;
}

static_assert(is_complete<executor>());
static_assert(is_complete<tracked>());
static_assert(std::same_as<executor, ewyk::worker_pool::executor_type>);
static_assert(!std::same_as<executor, tracked>, "an executor that does not count costs nothing");

// A thread that waits for a pool would take one away from it.
static_assert(!asio::can_require_v<executor, execution::blocking_t::always_t>);

struct fixture
{
    ewyk::worker_pool pool;
    executor on_pool = pool.get_executor();

    template <class Property>
    executor with(Property p)
    {
        return asio::require(on_pool, p);
    }
};

BOOST_FIXTURE_TEST_CASE(answers_what_was_required, fixture)
{
    BOOST_TEST((&asio::query(on_pool, execution::context) == &pool));
    BOOST_TEST((asio::query(on_pool, execution::mapping) == execution::mapping.thread));

    BOOST_TEST((asio::query(on_pool, execution::blocking) == execution::blocking.possibly));
    executor const never = with(execution::blocking.never);
    BOOST_TEST((asio::query(never, execution::blocking) == execution::blocking.never));
    BOOST_TEST((asio::require(never, execution::blocking.possibly) == on_pool));

    BOOST_TEST((asio::query(on_pool, execution::relationship) == execution::relationship.fork));
    executor const continuation = with(execution::relationship.continuation);
    BOOST_TEST((asio::query(continuation, execution::relationship)
        == execution::relationship.continuation));
    BOOST_TEST((asio::require(continuation, execution::relationship.fork) == on_pool));

    BOOST_TEST((asio::query(on_pool, execution::outstanding_work)
        == execution::outstanding_work.untracked));
    tracked const counting = asio::require(never, execution::outstanding_work.tracked);
    BOOST_TEST((
        asio::query(counting, execution::outstanding_work) == execution::outstanding_work.tracked));
    BOOST_TEST((asio::query(counting, execution::blocking) == execution::blocking.never));
    BOOST_TEST((asio::require(counting, execution::outstanding_work.untracked) == never));
}

// Asio drops a handler's executor when it compares equal to the I/O object's, so only executors
// that do the same may be equal.
BOOST_FIXTURE_TEST_CASE(only_executors_that_agree_in_everything_are_equal, fixture)
{
    ewyk::worker_pool other;
    executor const all[] = {on_pool, with(execution::blocking.never),
        with(execution::relationship.continuation),
        asio::require(on_pool, execution::blocking.never, execution::relationship.continuation),
        other.get_executor()};
    for (executor const& a : all)
        for (executor const& b : all)
        {
            BOOST_TEST((a == b) == (&a == &b));
            BOOST_TEST((a != b) == (&a != &b));
            BOOST_TEST((asio::any_io_executor(a) == asio::any_io_executor(b)) == (&a == &b));
        }
    BOOST_TEST((executor(on_pool) == pool.get_executor()));
    BOOST_TEST((asio::any_io_executor(on_pool) == asio::any_io_executor(pool.get_executor())));
}

BOOST_FIXTURE_TEST_CASE(knows_the_threads_of_its_pool, fixture)
{
    ewyk::worker_pool other;
    bool here = true;
    bool inside = false;
    bool inside_other = true;
    here = on_pool.running_in_this_thread();
    on_pool.execute([&] { inside = on_pool.running_in_this_thread(); });
    other.execute([&] { inside_other = on_pool.running_in_this_thread(); });
    pool.join();
    other.join();
    BOOST_TEST(!here);
    BOOST_TEST(inside);
    BOOST_TEST(!inside_other);
}

// Runs on a thread of the pool what is submitted there, and tells what happened in which order.
template <class Submit>
std::string order_around(ewyk::worker_pool& pool, Submit submit)
{
    std::string order;
    bool same_thread = false;
    pool.execute([&] {
        auto const submitter = std::this_thread::get_id();
        order += '(';
        submit([&, submitter] {
            order += 'f';
            same_thread = std::this_thread::get_id() == submitter;
        });
        order += ')';
    });
    pool.wait();
    return same_thread ? order : order + " elsewhere";
}

// One thread, so that what does not run inline can only run afterwards.
struct one_thread
{
    ewyk::worker_pool pool{{.max_threads = 1}};
    executor possibly = pool.get_executor();
    executor never = asio::require(possibly, execution::blocking.never);

    template <class Submit>
    void expect(std::string const& order, Submit submit)
    {
        BOOST_TEST(order_around(pool, submit) == order);
    }
};

BOOST_FIXTURE_TEST_CASE(runs_inline_on_a_thread_of_the_pool, one_thread)
{
    expect("(f)", [&](auto f) { possibly.execute(f); });
    expect("(f)", [&](auto f) { asio::dispatch(possibly, f); });
    expect("(f)", [&](auto f) { asio::any_io_executor(possibly).execute(f); });
    expect("(f)", [&](auto f) { asio::dispatch(asio::any_io_executor(possibly), f); });
}

BOOST_FIXTURE_TEST_CASE(never_runs_inline_what_must_not_block, one_thread)
{
    expect("()f", [&](auto f) { never.execute(f); });
    expect("()f", [&](auto f) { asio::post(possibly, f); });
    expect("()f", [&](auto f) { asio::defer(possibly, f); });
    expect("()f", [&](auto f) { asio::any_io_executor(never).execute(f); });
    expect("()f", [&](auto f) { pool.execute(f); });
}

BOOST_FIXTURE_TEST_CASE(never_runs_inline_on_another_thread, fixture)
{
    for (auto const submit : {+[](executor const&e, std::function<void()> f) { e.execute(f); },
             +[](executor const&e, std::function<void()> f) { asio::dispatch(e, f); }})
    {
        std::thread::id ran_on;
        submit(on_pool, [&] { ran_on = std::this_thread::get_id(); });
        pool.wait();
        BOOST_TEST((ran_on != std::thread::id()));
        BOOST_TEST((ran_on != std::this_thread::get_id()));
    }
}

// Another pool's thread is another thread.
BOOST_FIXTURE_TEST_CASE(does_not_run_inline_on_another_pool, one_thread)
{
    ewyk::worker_pool other({.max_threads = 1});
    std::thread::id outer;
    std::thread::id inner;
    other.execute([&] {
        outer = std::this_thread::get_id();
        possibly.execute([&] { inner = std::this_thread::get_id(); });
    });
    other.wait();
    pool.wait();
    BOOST_TEST((inner != std::thread::id()));
    BOOST_TEST((inner != outer));
}

// Its thread may be the one that produces, and a caller that dispatches to the pool wants it
// relieved.
BOOST_FIXTURE_TEST_CASE(becomes_a_task_within_a_strategy_on_a_thread_of_the_pool, one_thread)
{
    source tasks;
    std::string order;
    event done;
    tasks.add([&] {
        order += '(';
        possibly.execute([&] {
            order += 'f';
            done.set();
        });
        order += ')';
    });
    {
        ewyk::execution_strategy frames(tasks, pool);
        frames.dispatch();
        BOOST_TEST(done.wait());
    }
    pool.wait();
    BOOST_TEST(order == "()f");
}

// What is run inline must not unwind the function that submitted it.
BOOST_AUTO_TEST_CASE(an_exception_of_an_inline_function_waits_until_the_task_is_over)
{
    catcher caught;
    bool went_on = false;
    bool caught_before = true;
    ewyk::worker_pool pool({.max_threads = 1, .on_exception = std::ref(caught)});
    pool.execute([&] {
        pool.get_executor().execute([] { throw std::runtime_error("inline"); });
        caught_before = !caught.caught().empty();
        went_on = true;
    });
    pool.wait();
    BOOST_TEST(went_on);
    BOOST_TEST(!caught_before);
    BOOST_TEST((caught.wait_for(1) == std::vector<std::string>{"inline"}));
}

// Memory of a handler's own allocator is free again before the handler is called, so that the next
// operation can have it.
template <class T>
class counting_allocator
{
public:
    using value_type = T;

    explicit counting_allocator(std::atomic<int>& in_use, std::atomic<int>& served)
      : in_use_(&in_use), served_(&served)
    {
    }

    template <class U>
    counting_allocator(counting_allocator<U> const& other) noexcept
      : in_use_(other.in_use_), served_(other.served_)
    {
    }

    T* allocate(std::size_t n)
    {
        ++*in_use_;
        ++*served_;
        return std::allocator<T>().allocate(n);
    }

    void deallocate(T* p, std::size_t n)
    {
        --*in_use_;
        std::allocator<T>().deallocate(p, n);
    }

    friend bool operator==(counting_allocator const&, counting_allocator const&) = default;

    std::atomic<int>* in_use_;
    std::atomic<int>* served_;
};

BOOST_FIXTURE_TEST_CASE(uses_the_allocator_and_frees_before_it_calls, one_thread)
{
    std::atomic<int> in_use{0};
    std::atomic<int> served{0};
    std::atomic<int> in_use_inside{-1};
    counting_allocator<void*> const allocator(in_use, served);
    asio::require(possibly, execution::allocator(allocator)).execute([&] {
        in_use_inside = in_use.load();
    });
    pool.wait();
    BOOST_TEST(served == 1);
    BOOST_TEST(in_use_inside == 0);
    BOOST_TEST(in_use == 0);

    auto const with_allocator = asio::require(possibly, execution::allocator(allocator));
    BOOST_TEST((asio::query(with_allocator, execution::allocator) == allocator));
    auto const without = asio::require(with_allocator, execution::allocator);
    BOOST_TEST((without == possibly));
}

// Asio's own parts on top

BOOST_AUTO_TEST_CASE(a_strand_serialises)
{
    constexpr int posters = 3;
    constexpr int posts = 3000;
    ewyk::worker_pool pool({.max_threads = 4});
    auto const strand = asio::make_strand(pool);
    overlap inside;
    std::array<std::vector<int>, posters> seen;
    std::vector<std::thread> all;
    for (std::size_t p = 0; p != posters; ++p)
        all.emplace_back([&, p] {
            for (int i = 0; i != posts; ++i)
                asio::post(strand, [&, p, i] {
                    inside.enter();
                    seen[p].push_back(i);
                    inside.leave();
                });
        });
    for (auto& t : all)
        t.join();
    pool.wait();
    BOOST_TEST(!inside.seen());
    for (auto const& s : seen)
    {
        BOOST_TEST(s.size() == static_cast<std::size_t>(posts));
        BOOST_TEST(std::is_sorted(s.begin(), s.end()));
    }
}

asio::awaitable<int> twice(int n, executor expected, bool& inside)
{
    co_await asio::post(asio::use_awaitable);
    asio::steady_timer timer(co_await asio::this_coro::executor, 1ms);
    co_await timer.async_wait(asio::use_awaitable);
    inside = expected.running_in_this_thread();
    co_return 2 * n;
}

BOOST_FIXTURE_TEST_CASE(coroutines_run_on_it, fixture)
{
    bool inside = false;
    std::future<int> result = asio::co_spawn(pool, twice(21, on_pool, inside), asio::use_future);
    BOOST_TEST_REQUIRE((result.wait_for(patience) == std::future_status::ready));
    BOOST_TEST(result.get() == 42);
    pool.wait();
    BOOST_TEST(inside);
}

BOOST_FIXTURE_TEST_CASE(futures_are_fulfilled_by_it, fixture)
{
    std::future<int> result = asio::post(on_pool, asio::use_future([] { return 7; }));
    BOOST_TEST(result.get() == 7);
    std::future<int> broken =
        asio::post(on_pool, asio::use_future([]() -> int { throw std::runtime_error("broken"); }));
    BOOST_CHECK_THROW(broken.get(), std::runtime_error);
}

BOOST_FIXTURE_TEST_CASE(work_guards_keep_the_pool_busy, fixture)
{
    auto guard = asio::make_work_guard(pool);
    std::atomic<bool> released{false};
    bool released_at_return = false;
    std::thread waiter([&] {
        pool.wait();
        released_at_return = released;
    });
    event ran;
    asio::post(asio::bind_executor(guard.get_executor(), [&] { ran.set(); }));
    BOOST_TEST(ran.wait());
    released = true;
    guard.reset();
    waiter.join();
    BOOST_TEST(released_at_return);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
