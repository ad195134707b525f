// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// How often memory is asked for while events come, once everything has warmed up: never for an event,
// whichever thread runs it. And what becomes of the thread that looks for stalls when there is
// none.

#include "memory_support.hpp"
#include "server/serve_support.hpp"

#include <asio_ewyk/detail/diagnostics/stall_monitor.hpp>

#if defined(ASIO_EWYK_TEST_HAS_FIGURES) && !defined(ASIO_EWYK_TEST_SANITIZED)

#include <boost/config.hpp>

#include <cstdlib>
#include <limits>
#include <new>
#include <sstream>

using namespace support;

namespace {

std::atomic<long> allocated{0};

// How many times operator new may succeed still.
std::atomic<long> left{std::numeric_limits<long>::max()};

// This thread gets none.
thread_local bool starves = false;

std::atomic<std::size_t> bytes{0};

void* counted(void* memory, std::size_t size) noexcept
{
    bytes.fetch_add(size, std::memory_order_relaxed);
    allocated.fetch_add(1, std::memory_order_relaxed); // a plain sum
    return memory;
}

} // namespace

// The two ways to memory that Asio and this library have. Not inlined: g++ would take malloc() and
// delete for a pair that does not match.

BOOST_NOINLINE void* operator new(std::size_t size)
{
    if (!starves && left.fetch_sub(1) > 0)
        if (void* const memory = std::malloc(size))
            return counted(memory, size);
    throw std::bad_alloc();
}

BOOST_NOINLINE void operator delete(void* memory) noexcept { std::free(memory); }
BOOST_NOINLINE void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept
{
    if (starves)
        return nullptr;
    return counted(::memalign(alignment, size), size);
}

BOOST_AUTO_TEST_SUITE(allocations)

namespace {

using asio::local::stream_protocol;
using socket_type = asio::basic_stream_socket<stream_protocol, executor>;

/// Sends a byte to and fro.
class rally
{
public:
    rally(context& ctx, int strokes) : a_(ctx), b_(ctx), left_(strokes)
    {
        asio::local::connect_pair(a_, b_);
        strike(a_, b_);
    }

private:
    void strike(socket_type& from, socket_type& to)
    {
        if (left_-- == 0)
            return;
        asio::async_write(from, asio::buffer(&ball_, 1), [this, &from, &to](auto, auto) {
            asio::async_read(to, asio::buffer(&ball_, 1), [this, &from, &to](auto, auto) {
                strike(to, from);
            });
        });
    }

    socket_type a_;
    socket_type b_;
    char ball_ = 'o';
    int left_;
};

/// Posts a function from a function.
class chain
{
public:
    chain(context& ctx, int links) : context_(ctx), left_(links) { link(); }

private:
    void link()
    {
        if (left_-- != 0)
            asio::post(context_, [this] { link(); });
    }

    context& context_;
    int left_;
};

template <class Events>
long allocations_of(context& ctx, int n)
{
    ctx.restart();
    Events const events(ctx, n);
    long const before = allocated;
    run(ctx);
    return allocated - before;
}

template <class Events>
void need_no_memory(setting const& s)
{
    context ctx(s);
    allocations_of<Events>(ctx, 200);
    long const few = allocations_of<Events>(ctx, 100);
    long const many = allocations_of<Events>(ctx, 10'000);
    BOOST_TEST_MESSAGE(s << ": " << few << " allocations for 100 events, " << many << " for 10000");
    BOOST_TEST(many < few + 100); // a thread that is started, and its caches
}

} // namespace

CONTEXT_TEST_CASE(of_sockets, s) { need_no_memory<rally>(s); }
CONTEXT_TEST_CASE(of_posts, s) { need_no_memory<chain>(s); }

// A thread that has none yet must not end the program for its name.
BOOST_AUTO_TEST_CASE(of_a_thread_s_name)
{
    std::string const long_name(100, 'x');
    std::string seen;
    long needed = -1;
    std::thread([&] {
        long const before = allocated;
        ewyk::detail::name_this_thread(long_name, 123456, "-end");
        needed = allocated - before;
        seen = ewyk::detail::name_of_this_thread();
    }).join();
    BOOST_TEST(needed == 0);
#if defined(ASIO_EWYK_HAS_LINUX)
    BOOST_TEST(seen == "xxxx-end-123456");
#endif
}

// Whatever it is that it gets no memory for, the program goes on, and the thread comes when it can.
BOOST_AUTO_TEST_CASE(a_monitor_that_gets_no_memory)
{
    auto& monitor = ewyk::detail::stall_monitor::instance();
    std::atomic<bool> told{false};
    ewyk::strategy_context ctx({.strategy = ewyk::strategy.produce_consume,
        .stall_threshold = 1ms,
        .on_stall = [&](ewyk::stall_report const&) { told = true; }});
    auto const run_for_long = [&] {
        asio::post(ctx, [] { std::this_thread::sleep_for(20ms); });
        ctx.restart();
        ctx.poll();
    };
    run_for_long(); // so that nothing else needs memory later
    for (long n = 0; n != 12; ++n)
    {
        monitor.notify_fork(asio::execution_context::fork_prepare);
        asio::post(ctx, [] { std::this_thread::sleep_for(20ms); });
        ctx.restart();
        left = n;
        monitor.notify_fork(asio::execution_context::fork_parent);
        ctx.poll();
        left = std::numeric_limits<long>::max();
    }
    monitor.notify_fork(asio::execution_context::fork_prepare);
    monitor.notify_fork(asio::execution_context::fork_parent);
    BOOST_TEST(eventually([&] {
        told = false;
        run_for_long();
        return told.load();
    }));
}

// As much as is written, not as much as the page has already.
BOOST_AUTO_TEST_CASE(of_a_page_of_many_loops)
{
    ewyk::prometheus_page page;
    std::size_t const before = bytes;
    for (int i = 0; i != 512; ++i)
        page.add(ewyk::loop_metrics(), {{"loop", std::to_string(i)}});
    std::size_t const asked = bytes - before;
    std::ostringstream out;
    out << page;
    BOOST_TEST(asked < 20 * out.str().size());
}

// The end is told all the same: to serve, which ends then, and to what waits for the loops.
BOOST_AUTO_TEST_CASE(workers_that_end_without_memory)
{
    outcome over;
    std::atomic<bool> told{false};
    ewyk::event_loop_group workers(2);
    ewyk::event_loop boss;
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo, over.token());
    BOOST_TEST(client(where).ask() == 'x');
    BOOST_TEST(client(where).ask() == 'x');
    workers.async_shutdown_gracefully(patience, patience,
        asio::bind_executor(boss, [&](boost::system::error_code e) { told = !e; }));
    for (ewyk::event_loop& loop : workers)
        asio::post(loop, [&loop] {
            starves = true;
            loop.stop();
        });
    BOOST_TEST(eventually([&] { return workers.terminated(); }));
    is_served(where); // wakes a listener that has missed it for lack of memory
    BOOST_TEST(over.wait());
    BOOST_TEST(!over.failure());
    BOOST_TEST(eventually([&] { return told.load(); }));
}

namespace {

// How large the last piece of memory was that a handler's operation asked for.
std::size_t last_size = 0;

template <class T>
struct measured_memory
{
    using value_type = T;

    measured_memory() = default;
    template <class U>
    measured_memory(measured_memory<U> const&) noexcept
    {
    }

    T* allocate(std::size_t n)
    {
        last_size = n * sizeof(T);
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }

    friend bool operator==(measured_memory, measured_memory) noexcept { return true; }
};

struct measured_handler
{
    using allocator_type = measured_memory<void>;

    allocator_type get_allocator() const noexcept { return {}; }
    void operator()(boost::system::error_code = {}) const {}

    void* captured[4]{};
};

struct operation_sizes
{
    std::size_t posted;
    std::size_t of_any; // of a timer with an any_io_executor
    std::size_t of_own; // of one with the context's executor
};

template <class Context>
operation_sizes sizes_with()
{
    using clock = std::chrono::steady_clock;
    using timer_of_context = asio::basic_waitable_timer<clock, asio::wait_traits<clock>,
        typename Context::executor_type>;
    operation_sizes sizes{};
    Context ctx;
    asio::steady_timer any(ctx);
    timer_of_context own(ctx);
    asio::post(ctx, measured_handler());
    sizes.posted = std::exchange(last_size, 0);
    any.async_wait(measured_handler());
    sizes.of_any = std::exchange(last_size, 0);
    own.async_wait(measured_handler());
    sizes.of_own = std::exchange(last_size, 0);
    return sizes;
}

} // namespace

// For those who give handlers storage of a fixed size.
BOOST_AUTO_TEST_CASE(operations_are_so_much_larger_than_asios)
{
    auto const asios = sizes_with<asio::io_context>();
    auto const ours = sizes_with<ewyk::strategy_context>();
    BOOST_TEST(asios.posted != 0u);
    BOOST_TEST(ours.posted == asios.posted);
    BOOST_TEST(ours.of_any == asios.of_any);
    BOOST_TEST(ours.of_own - asios.of_own == sizeof(std::uint64_t));
}

BOOST_AUTO_TEST_SUITE_END()

#endif
