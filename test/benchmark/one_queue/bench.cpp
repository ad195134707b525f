// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// bench WORKLOAD CONTEXT [args]: one line of results. run.py compares them in interleaved rounds.
#include "one_queue.hpp"
#include <asio_ewyk.hpp>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sched.h>
#include <string>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <netinet/tcp.h>
#include <algorithm>
#include <thread>
#include <vector>

static std::atomic<std::uint64_t> allocations{0};
void* operator new(std::size_t n)
{
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* p = std::malloc(n))
        return p;
    throw std::bad_alloc();
}
void* operator new(std::size_t n, std::align_val_t a)
{
    allocations.fetch_add(1, std::memory_order_relaxed);
    return std::aligned_alloc(static_cast<std::size_t>(a), (n + 127) / 128 * 128);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

// Asio's recycling allocator uses aligned_alloc itself.
extern "C" void* __libc_memalign(std::size_t, std::size_t);
extern "C" void* aligned_alloc(std::size_t a, std::size_t n) noexcept
{
    allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_memalign(a, n);
}

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using namespace std::chrono_literals;
using tcp = asio::ip::tcp;
using boost::system::error_code;
using clk = std::chrono::steady_clock;

struct usage
{
    double cpu, wall;
    long switches;
    std::uint64_t allocs;
    static usage now()
    {
        rusage r;
        getrusage(RUSAGE_SELF, &r);
        auto s = [](timeval t) { return t.tv_sec + t.tv_usec * 1e-6; };
        timespec c;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &c);
        return {c.tv_sec + c.tv_nsec * 1e-9, std::chrono::duration<double>(clk::now().time_since_epoch()).count(),
            r.ru_nvcsw + r.ru_nivcsw, allocations.load()};
    }
};

void pin(int cpu)
{
    cpu_set_t s;
    CPU_ZERO(&s);
    CPU_SET(cpu, &s);
    sched_setaffinity(0, sizeof s, &s);
}

long arg(int argc, char** argv, int i, long def) { return argc > i ? std::atol(argv[i]) : def; }

template <class C>
void counts(C& c);

// Chains posted from inside.
template <class C>
struct chain
{
    C& c;
    long* left;
    void operator()()
    {
        if (--*left > 0)
            asio::post(c, chain{c, left});
    }
};
template <class C>
void chains(C& c, int argc, char** argv)
{
    long const n = arg(argc, argv, 3, 2000000);
    long const width = arg(argc, argv, 4, 8);
    std::vector<long> left(width, n / width);
    usage a{}, b{};
    asio::post(c, [&] { a = usage::now(); });
    for (long& l : left)
        asio::post(c, chain<C>{c, &l});
    c.run();
    b = usage::now();
    std::printf("ns %.2f cpu_ns %.2f allocs %.4f\n", (b.wall - a.wall) / n * 1e9, (b.cpu - a.cpu) / n * 1e9,
        double(b.allocs - a.allocs) / n);
}

// One thread posts from outside, at most 1000 under way.
template <class C>
void outside(C& c, int argc, char** argv)
{
    long const n = arg(argc, argv, 3, 1000000);
    std::atomic<long> done{0};
    auto guard = asio::make_work_guard(c.get_executor());
    usage a{}, b{};
    bool const apart = arg(argc, argv, 4, 1) == 2; // on how many CPUs
    pin(0);
    std::thread poster([&] {
        pin(apart ? 1 : 0);
        a = usage::now();
        for (long i = 0; i != n; ++i)
        {
            while (i - done.load(std::memory_order_acquire) >= 1000)
                ::usleep(20); // not sched_yield(): that lets threads of the idle class run
            asio::post(c, [&] { done.store(done.load(std::memory_order_relaxed) + 1, std::memory_order_release); });
        }
        guard.reset();
    });
    c.run();
    b = usage::now();
    poster.join();
    std::printf("ns %.2f cpu_ns %.2f csw %.5f allocs %.4f", (b.wall - a.wall) / n * 1e9, (b.cpu - a.cpu) / n * 1e9,
        double(b.switches - a.switches) / n, double(b.allocs - a.allocs) / n);
    counts(c);
    std::printf("\n");
}

template <class C>
void pollone(C& c, int argc, char** argv)
{
    long const n = arg(argc, argv, 3, 1000000);
    auto guard = asio::make_work_guard(c.get_executor());
    long done = 0;
    auto const a = usage::now();
    for (long i = 0; i != n; ++i)
    {
        asio::post(c, [&] { ++done; });
        c.poll_one();
    }
    auto const b = usage::now();
    if (done != n)
        std::printf("LOST %ld ", n - done);
    std::printf("ns %.2f cpu_ns %.2f allocs %.4f\n", (b.wall - a.wall) / n * 1e9, (b.cpu - a.cpu) / n * 1e9,
        double(b.allocs - a.allocs) / n);
}

// A server with a client in a process of its own.
struct shared
{
    std::atomic<int> go{0}, stop{0};
    std::atomic<long> fast{0}, slow{0};
    std::atomic<long> fast_hist[64 * 16], slow_hist[64 * 16];
};
int bucket(double us)
{
    long v = std::max(1L, long(us * 10));
    int e = 63 - __builtin_clzl(v);
    int m = e >= 4 ? int(v >> (e - 4)) & 15 : int(v << (4 - e)) & 15;
    return e * 16 + m;
}
double value(int b) { return (1.0 + (b % 16) / 16.0) * double(1L << (b / 16)) / 10; }
double quantile(std::vector<long> const& h, double q)
{
    long sum = 0, at = 0;
    for (long x : h)
        sum += x;
    for (int i = 0; i != int(h.size()); ++i)
        if ((at += h[i]) >= q * sum && at)
            return value(i);
    return 0;
}

// rate: requests/s of all fast connections together; 0: as fast as they go.
void client(shared& s, int port, int fast, int slow, double rate)
{
    int const ep = epoll_create1(0);
    struct conn
    {
        int fd;
        bool is_slow;
        clk::time_point sent;
    };
    std::vector<conn> cs(fast + slow);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i != fast + slow; ++i)
    {
        int const fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to))
            _exit(1);
        int one = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        cs[i] = {fd, i >= fast, {}};
        epoll_event e{EPOLLIN, {.u32 = unsigned(i)}};
        epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
    }
    s.go.store(1);
    char out[32]{}, in[64];
    auto send_on = [&](conn& c) {
        c.sent = clk::now();
        out[0] = c.is_slow ? 'S' : 'f';
        if (write(c.fd, out, sizeof out) != sizeof out)
            _exit(1);
    };
    auto next = clk::now();
    auto const gap = rate > 0 ? std::chrono::nanoseconds(long(1e9 / rate)) : 0ns;
    int turn = 0;
    for (conn& c : cs)
        if (rate == 0 || c.is_slow)
            send_on(c);
    std::vector<bool> busy(cs.size(), rate == 0);
    for (;;)
    {
        if (rate > 0)
            while (clk::now() >= next)
            {
                next += gap;
                for (int k = 0; k != fast; ++k, turn = (turn + 1) % fast)
                    if (!busy[turn])
                    {
                        busy[turn] = true;
                        send_on(cs[turn]);
                        break;
                    }
                turn = (turn + 1) % fast;
            }
        epoll_event es[128];
        timespec ts{0, 0};
        if (rate > 0)
        {
            auto left = std::max<clk::duration>(next - clk::now(), 0ns);
            ts.tv_nsec = std::min(999999999L, long(std::chrono::nanoseconds(left).count()));
        }
        int const n = epoll_pwait2(ep, es, 128, rate > 0 ? &ts : nullptr, nullptr);
        if (s.stop.load())
            _exit(0);
        for (int i = 0; i < n; ++i)
        {
            conn& c = cs[es[i].data.u32];
            if (read(c.fd, in, sizeof in) <= 0)
                _exit(1);
            double const us = std::chrono::duration<double, std::micro>(clk::now() - c.sent).count();
            (c.is_slow ? s.slow : s.fast).fetch_add(1, std::memory_order_relaxed);
            (c.is_slow ? s.slow_hist : s.fast_hist)[bucket(us)].fetch_add(1, std::memory_order_relaxed);
            busy[es[i].data.u32] = false;
            if (rate == 0 || c.is_slow)
                send_on(c), busy[es[i].data.u32] = true;
        }
    }
}

template <class Executor>
struct connection
{
    asio::basic_stream_socket<tcp, Executor> socket;
    char buffer[64];
    void read()
    {
        socket.async_read_some(asio::buffer(buffer), [this](error_code e, std::size_t n) {
            if (e)
                return;
            if (buffer[0] == 'S')
                ::usleep(10000);
            asio::async_write(socket, asio::buffer(buffer, n), [this](error_code e, std::size_t) {
                if (!e)
                    read();
            });
        });
    }
};
template <class Executor>
asio::awaitable<void> serve(asio::basic_stream_socket<tcp, Executor>& s)
{
    char buffer[64];
    for (;;)
    {
        auto const n = co_await s.async_read_some(asio::buffer(buffer), asio::use_awaitable);
        if (buffer[0] == 'S')
            ::usleep(10000);
        co_await asio::async_write(s, asio::buffer(buffer, n), asio::use_awaitable);
    }
}

// server FAST SLOW CORES KIND RATE MS; KIND: any, native, own, coro
template <class C, class Executor>
void server_of(C& c, Executor ex, bool coro, int fast, int slow, int cores, double rate, long ms)
{
    auto* s = new (mmap(nullptr, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) shared;
    asio::io_context setup;
    tcp::acceptor acceptor(setup, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    int const port = acceptor.local_endpoint().port();
    pid_t const child = fork();
    if (child == 0)
    {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (cores == 1)
            pin(1);
        client(*s, port, fast, slow, rate);
    }
    if (cores == 1)
        pin(0);
    std::vector<std::unique_ptr<connection<Executor>>> all;
    for (int i = 0; i != fast + slow; ++i)
    {
        auto p = acceptor.accept();
        p.set_option(tcp::no_delay(true));
        all.push_back(std::make_unique<connection<Executor>>(
            connection<Executor>{asio::basic_stream_socket<tcp, Executor>(ex, tcp::v4(), p.release()), {}}));
        if (coro)
            asio::co_spawn(ex, serve(all.back()->socket), asio::detached);
        else
            all.back()->read();
    }
    usage a{}, b{};
    long fa = 0, fb = 0, sa = 0, sb = 0;
    std::vector<long> h(64 * 16), hs(64 * 16);
    std::thread measure([&] {
        ::usleep(400000);
        for (int i = 0; i != 1024; ++i)
            h[i] = -s->fast_hist[i].load(), hs[i] = -s->slow_hist[i].load();
        fa = s->fast.load(), sa = s->slow.load();
        a = usage::now();
        ::usleep(ms * 1000);
        b = usage::now();
        fb = s->fast.load(), sb = s->slow.load();
        for (int i = 0; i != 1024; ++i)
            h[i] += s->fast_hist[i].load(), hs[i] += s->slow_hist[i].load();
        s->stop.store(1);
        c.stop();
    });
    c.run();
    measure.join();
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    double const f = std::max(1L, fb - fa);
    std::printf("kreq %.2f cpu_us %.3f csw %.4f allocs %.4f slow %.0f p50 %.0f p99 %.0f p999 %.0f",
        f / (b.wall - a.wall) / 1e3, (b.cpu - a.cpu) / f * 1e6, (b.switches - a.switches) / f, (b.allocs - a.allocs) / f,
        (sb - sa) / (b.wall - a.wall), quantile(h, .5), quantile(h, .99), quantile(h, .999));
    counts(c);
    std::printf("\n");
}
template <class C>
void counts(C& c)
{
    if constexpr (requires { c.counts; })
        std::printf(" taken %lu native %lu left %lu superseded %lu reclaimed %lu called %lu started %lu invain %lu",
            c.counts.taken_over.load(), c.counts.native.load(), c.counts.left.load(), c.counts.superseded.load(), c.counts.reclaimed.load(),
            c.counts.called_out.load(), c.counts.started.load(), c.counts.in_vain.load());
}
template <class C>
void server(C& c, int argc, char** argv)
{
    std::string const kind = argc > 6 ? argv[6] : "any";
    int const fast = arg(argc, argv, 3, 64), slow = arg(argc, argv, 4, 0), cores = arg(argc, argv, 5, 1);
    double const rate = arg(argc, argv, 7, 0);
    long const ms = arg(argc, argv, 8, 1500);
    if (kind == "own")
        server_of(c, c.get_executor(), false, fast, slow, cores, rate, ms);
    else if (kind == "native")
        server_of(c, static_cast<asio::io_context&>(c).get_executor(), false, fast, slow, cores, rate, ms);
    else
        server_of(c, asio::any_io_executor(c.get_executor()), kind == "coro", fast, slow, cores, rate, ms);
}

// first SILENCE_MS TIMES NATIVE HOW: a handler blocks for 100 ms after a silence; another thread
// posts one in its first moment. When does that run? HOW: sleep or mutex.
template <class C>
void first(C& c, int argc, char** argv)
{
    long const silence = arg(argc, argv, 3, 100), times = arg(argc, argv, 4, 10);
    bool const native = arg(argc, argv, 5, 1) != 0, futex = arg(argc, argv, 6, 0) != 0;
    auto guard = asio::make_work_guard(c.get_executor());
    std::thread runner([&] { c.run(); });
    ::usleep(50000);
    std::vector<double> ms;
    auto& base = static_cast<asio::io_context&>(c);
    for (long i = 0; i != times; ++i)
    {
        ::usleep(silence * 1000);
        std::atomic<int> in{0};
        std::atomic<double> late{-1};
        std::timed_mutex m;
        m.lock();
        auto block = [&] {
            in.store(1);
            in.notify_all();
            if (futex)
                (void)m.try_lock_for(100ms);
            else
                ::usleep(100000);
            in.store(2);
            in.notify_all();
        };
        auto const next = [&, begin = clk::now()] {
            late.store(std::chrono::duration<double, std::milli>(clk::now() - begin).count());
            late.notify_all();
        };
        if (native)
            asio::post(base.get_executor(), block);
        else
            asio::post(c, block);
        in.wait(0);
        auto const begin = clk::now();
        auto probe = [&, begin] {
            late.store(std::chrono::duration<double, std::milli>(clk::now() - begin).count());
            late.notify_all();
        };
        (void)next;
        if (native)
            asio::post(base.get_executor(), probe);
        else
            asio::post(c, probe);
        late.wait(-1);
        in.wait(1);
        ::usleep(1000);
        ms.push_back(late.load());
    }
    std::sort(ms.begin(), ms.end());
    guard.reset();
    runner.join();
    std::printf("median_ms %.3f max_ms %.3f\n", ms[ms.size() / 2], ms.back());
}

// stress SECONDS SEED: short lives of a context, with handlers of both kinds that block now and then
// and go on in each way, and a thread outside. Everything must run, and run() must return.
template <class C, class Make>
void stress(Make make, long seconds, unsigned seed)
{
    auto rnd = [x = std::uint64_t(seed) * 2654435761u + 88172645463325252u]() mutable {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        return unsigned(x >> 20);
    };
    auto const end = clk::now() + std::chrono::seconds(seconds);
    long rounds = 0, total = 0;
    double worst = 0, worst_second = 0, worst_end = 0;
    std::unique_ptr<C> cp;
    while (clk::now() < end)
    {
        if (rounds % 300 == 0)
        {
            auto const ends = clk::now();
            cp.reset(); // joins the sentinel, which is of the idle class
            worst_end = std::max(worst_end, std::chrono::duration<double, std::milli>(clk::now() - ends).count());
            cp = make();
        }
        else
            cp->restart();
        C& c = *cp;
        auto const nat = static_cast<asio::io_context&>(c).get_executor();
        auto const own = c.get_executor();
        std::optional strand(asio::make_strand(own));
        std::atomic<long> ran{0};
        std::atomic<unsigned> mix{rnd()};
        long const chains = 1 + rnd() % 6, length = 1 + rnd() % 40;
        unsigned const blocks = rnd() % 3 ? 20 : 3;
        std::vector<asio::steady_timer> timers;
        for (long i = 0; i != chains; ++i)
            timers.emplace_back(c);
        std::function<void(long, long)> step = [&](long i, long left) {
            ran.fetch_add(1);
            unsigned const r = mix.fetch_add(2654435761u) >> 8;
            if (r % blocks == 0)
                ::usleep(r / 64 % 1500);
            if (left == 0)
                return;
            auto next = [&step, i, left] { step(i, left - 1); };
            switch (r / 1024 % 8)
            {
            case 0: case 1: return asio::post(own, next);
            case 2: return asio::defer(own, next);
            case 3: return asio::post(nat, next);
            case 4: return asio::defer(nat, next);
            case 5: return asio::dispatch(own, next);
            case 6: return asio::post(*strand, next);
            default:
                timers[i].expires_after(std::chrono::microseconds(r / 8192 % 300));
                if (r & 1)
                    timers[i].async_wait(asio::bind_executor(nat, [next](auto) { next(); }));
                else
                    timers[i].async_wait([next](auto) { next(); });
            }
        };
        for (long i = 0; i != chains; ++i)
            asio::post(own, [&, i] { step(i, length); });
        long const outside = rnd() % 20;
        auto guard = asio::make_work_guard(c);
        std::thread other([&, n = outside] {
            for (long i = 0; i != n; ++i)
            {
                asio::post(own, [&] { ran.fetch_add(1); });
                ::usleep(mix.load() / 512 % 400);
            }
            guard.reset();
        });
        std::thread second;
        if (rnd() % 2)
            second = std::thread([&] { c.run(); });
        auto const begin = clk::now();
        c.run();
        worst = std::max(worst, std::chrono::duration<double, std::milli>(clk::now() - begin).count());
        other.join();
        auto const joined = clk::now();
        if (second.joinable())
            second.join();
        worst_second = std::max(worst_second, std::chrono::duration<double, std::milli>(clk::now() - joined).count());
        timers.clear();
        strand.reset();
        long const expected = chains * (length + 1) + outside;
        if (ran.load() != expected)
            std::printf("LOST %ld of %ld\n", expected - ran.load(), expected), std::exit(1);
        ++rounds;
        total += expected;
    }
    std::printf("runs %ld handlers %ld longest_run_ms %.0f second_ms %.0f destructor_ms %.0f\n", rounds, total, worst, worst_second, worst_end);
}

// idle MS: an idle context after some work; switches of the process in that time
template <class C>
void idle(C& c, int argc, char** argv)
{
    long const ms = arg(argc, argv, 3, 2000);
    auto guard = asio::make_work_guard(c.get_executor());
    std::thread runner([&] { c.run(); });
    for (int i = 0; i != 100; ++i)
    {
        asio::post(c, [] {});
        ::usleep(1000);
    }
    ::usleep(1000000);
    auto const a = usage::now();
    ::usleep(ms * 1000);
    auto const b = usage::now();
    guard.reset();
    runner.join();
    std::printf("switches %ld cpu_us %.0f\n", b.switches - a.switches - 1, (b.cpu - a.cpu) * 1e6);
}

template <class C, class... A>
int with(int argc, char** argv, A const&... a)
{
    C c(a...);
    // As in each program that does I/O: without a reactor there would be no epoll_wait() to compare.
    std::optional<asio::steady_timer> io;
    if (!std::getenv("NO_REACTOR"))
        io.emplace(c);
    // In a process with one thread, the kernel and glibc take short cuts.
    std::optional<std::jthread> second;
    if (!std::getenv("ONE_THREAD"))
        second.emplace([](std::stop_token t) { while (!t.stop_requested()) ::usleep(50000); });
    std::string const w = argv[1];
    if (w == "chains") chains(c, argc, argv);
    else if (w == "outside") outside(c, argc, argv);
    else if (w == "pollone") pollone(c, argc, argv);
    else if (w == "server") server(c, argc, argv);
    else if (w == "first") first(c, argc, argv);
    else if (w == "idle") idle(c, argc, argv);
    return 0;
}

int main(int argc, char** argv)
{
    using spike = one_queue::queue_context;
    using today = ewyk::strategy_context;
    using o = one_queue::options;
    auto const pc = ewyk::strategy.produce_consume;
    auto const pec = ewyk::strategy.produce_execute_consume;
    std::string const i = argv[2];
    if (std::string(argv[1]) == "stress")
    {
        std::string const f = std::getenv("FLAW") ? std::getenv("FLAW") : "";
        auto const flaw = f == "no_empty_handler" ? o::no_empty_handler : f == "late_clear" ? o::late_clear
            : f == "no_look_after_parking" ? o::no_look_after_parking : o::none;
        auto make = [&] {
            return std::make_unique<spike>(o{.grace = i == "spike_0" || i == "spike_0a" ? 0ns : 10us, .max_threads = 8,
                .hint = i == "spike_h1" ? 1 : BOOST_ASIO_CONCURRENCY_HINT_DEFAULT,
                .native = i == "spike_visits" ? o::visits : i == "spike_linger" ? o::linger : i == "spike_token" ? o::token : o::both,
                .leases_with_hint_1 = true, .flaw = flaw, .asio_hands_over = i == "spike_0a"});
        };
        if (i == "today")
            stress<today>([] { return std::make_unique<today>(ewyk::strategy.eat_what_you_kill, ewyk::strategy_options{.max_threads = 8}); }, arg(argc, argv, 3, 10), unsigned(arg(argc, argv, 4, 1)));
        else
        stress<spike>(make, arg(argc, argv, 3, 10), unsigned(arg(argc, argv, 4, 1)));
        return 0;
    }
    if (i == "io1") return with<asio::io_context>(argc, argv, 1);
    if (i == "io") return with<asio::io_context>(argc, argv);
    if (i == "today") return with<today>(argc, argv, ewyk::strategy.eat_what_you_kill, ewyk::strategy_options{.max_threads = 16});
    if (i == "today_pc") return with<today>(argc, argv, pc);
    if (i == "today_0") return with<today>(argc, argv, ewyk::strategy.eat_what_you_kill, ewyk::strategy_options{.grace = 0ns, .max_threads = 16});
    if (i == "today_pec") return with<today>(argc, argv, pec, ewyk::strategy_options{.max_threads = 16});
    if (i == "spike") return with<spike>(argc, argv, o{.max_threads = 16});
    if (i == "spike_visits") return with<spike>(argc, argv, o{.max_threads = 16, .native = o::visits});
    if (i == "spike_token") return with<spike>(argc, argv, o{.max_threads = 16, .native = o::token});
    if (i == "spike_linger") return with<spike>(argc, argv, o{.max_threads = 16, .native = o::linger});
    if (i == "spike_pc") return with<spike>(argc, argv, o{.strategy = pc});
    if (i == "spike_1") return with<spike>(argc, argv, o{.hint = 1});
    if (i == "spike_0") return with<spike>(argc, argv, o{.grace = 0ns, .max_threads = 16});
    if (i == "spike_0a") return with<spike>(argc, argv, o{.grace = 0ns, .max_threads = 16, .asio_hands_over = true});
    if (i == "spike_pec") return with<spike>(argc, argv, o{.strategy = pec, .max_threads = 16});
    return 1;
}
