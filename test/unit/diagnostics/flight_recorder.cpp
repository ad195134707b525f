// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Files that a program writes by itself when a handler was late: what is in them, how many there
// are, and what happens where none can be written.

#include "../memory_support.hpp"
#include "../pool_support.hpp"
#include "trace_support.hpp"

#include <asio_ewyk/detail/diagnostics/trace_snapshot.hpp>
#include <asio_ewyk/detail/diagnostics/trace_writer.hpp>
#include <asio_ewyk/detail/report/culprits.hpp>
#include <asio_ewyk/detail/report/flight_recorder.hpp>
#include <asio_ewyk/diagnostics/flight_recorder.hpp>
#include <asio_ewyk/diagnostics/prometheus.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#if defined(ASIO_EWYK_HAS_LINUX)
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

BOOST_AUTO_TEST_SUITE(flight_recorder)

namespace {

using namespace support;
namespace fs = std::filesystem;
namespace json = boost::json;

/// A directory of its own, removed at the end.
class directory
{
public:
    directory()
    {
        std::random_device random;
        path_ = fs::temp_directory_path() / ("ewyk_test_" + std::to_string(random()));
        fs::create_directory(path_);
    }

    directory(directory const&) = delete;
    directory& operator=(directory const&) = delete;
    ~directory() { fs::remove_all(path_); }

    fs::path const& path() const { return path_; }

    /// In the order in which they were written.
    std::vector<fs::path> files() const
    {
        std::vector<fs::path> all;
        for (auto const& entry : fs::directory_iterator(path_))
            if (entry.path().extension() == ".json")
                all.push_back(entry.path());
        std::sort(all.begin(), all.end());
        return all;
    }

    bool wait_for(std::size_t n) const
    {
        return eventually([&] { return files().size() >= n; });
    }

private:
    fs::path path_;
};

/// Recording ends with the scope.
class kept
{
public:
    explicit kept(ewyk::trace::keep_options const& o) { ewyk::trace::keep(o); }
    kept(kept const&) = delete;
    kept& operator=(kept const&) = delete;
    ~kept() { ewyk::trace::stop(); }
};

/// The directory is looked at soon; nothing is a culprit but what runs for 1 ms, or the argument.
ewyk::trace::keep_options options_for(
    fs::path const& to, ewyk::trace::keep_when when = {.queued = 0ns, .ran = 1ms, .stalled = false})
{
    return {.last = 80ms, .when = when, .to = to, .every = 0ns};
}

std::string text_of(fs::path const& file)
{
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
}

json::object other_data(fs::path const& file)
{
    return json::parse(text_of(file)).as_object().at("otherData").as_object();
}

struct listed
{
    std::string kind;
    std::string name;
};

/// What the files list, in all.
std::vector<listed> culprits_in(std::vector<fs::path> const& files)
{
    std::vector<listed> all;
    for (fs::path const& file : files)
    {
        json::object const other = other_data(file);
        for (json::value const& c : other.at("culprits").as_array())
            all.push_back({std::string(c.as_object().at("kind").as_string()),
                std::string(c.as_object().at("name").as_string())});
    }
    return all;
}

std::size_t count(std::vector<listed> const& all, std::string_view kind, std::string_view name)
{
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](listed const& c) {
        return c.kind == kind && c.name.find(name) != std::string::npos;
    }));
}

struct late_handler
{
    void operator()() const { std::this_thread::sleep_for(2ms); }
};

void run_late_handler()
{
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    asio::post(ctx, late_handler());
    ctx.run();
}

} // namespace

BOOST_AUTO_TEST_CASE(options_that_cannot_work_are_refused)
{
    auto const refuses = [](std::string_view name, auto change) {
        ewyk::trace::keep_options o;
        o.to = "nowhere";
        change(o);
        BOOST_CHECK_EXCEPTION(
            ewyk::trace::keep(o), std::invalid_argument, [&](std::invalid_argument const& e) {
                return std::string_view(e.what()).find(name) != std::string_view::npos;
            });
    };
    refuses("keep_options::last", [](auto& o) { o.last = 999us; });
    refuses("keep_when::queued", [](auto& o) { o.when.queued = -1ns; });
    refuses("keep_when::ran", [](auto& o) { o.when.ran = -1ns; });
    refuses("keep_options::to", [](auto& o) { o.to.clear(); });
    refuses("keep_options::at_most", [](auto& o) { o.at_most = 0; });
    refuses("keep_options::every", [](auto& o) { o.every = -1ns; });
    refuses("keep_options::events_per_thread", [](auto& o) { o.events_per_thread = 0; });
    BOOST_TEST(!ewyk::trace::recording());
}

BOOST_AUTO_TEST_CASE(options_of_the_environment)
{
    using ewyk::detail::keep_options_from;
    auto const plain = keep_options_from("/var/tmp/app");
    BOOST_TEST_REQUIRE(plain.has_value());
    BOOST_TEST((plain->to == "/var/tmp/app"));
    BOOST_TEST(plain->at_most == ewyk::trace::keep_options().at_most);
    auto const all
        = keep_options_from("d,last=3s,queued=4ms,ran=0,stalled=0,at_most=7,every=1s");
    BOOST_TEST_REQUIRE(all.has_value());
    BOOST_TEST((all->to == "d"));
    BOOST_TEST((all->last == 3s));
    BOOST_TEST((all->when.queued == 4ms));
    BOOST_TEST((all->when.ran == 0ns));
    BOOST_TEST(!all->when.stalled);
    BOOST_TEST(all->at_most == 7u);
    BOOST_TEST((all->every == 1s));
    for (char const* bad : {"", ",ran=1ms", "d,", "d,ran", "d,ran=1", "d,ran=-1ms", "d,other=1ms",
             "d,stalled=2", "d,at_most=0", "d,at_most=1x", "d,last=0"})
        BOOST_TEST(!keep_options_from(bad).has_value(), bad);
}

namespace {

using ewyk::detail::culprit;
using ewyk::detail::culprit_finder;
using ewyk::detail::culprit_kind;
using ewyk::detail::thread_id;
using ewyk::detail::trace_limits;
using ewyk::detail::trace_ring;
using detail_event = ewyk::detail::trace_event; // not that of the tests

constexpr std::uint64_t ms = 1'000'000;

/// What a thread records, and what is found in that.
class recorded
{
public:
    explicit recorded(std::size_t events = 64)
        : ring_(std::make_shared<trace_ring>(events))
    {
    }

    thread_id thread() const { return ring_->thread(); }

    bool begin(std::uint64_t time, std::uint32_t waited_us = 0)
    {
        ewyk::detail::task_action const action = &ewyk::detail::describe<late_handler>;
        auto const type = reinterpret_cast<std::uintptr_t>(action);
        return ring_->record({time, nullptr, type, waited_us, detail_event::consume}, limits_);
    }

    bool end(std::uint64_t time)
    {
        return ring_->record({time, nullptr, 0, 0, detail_event::end_consume}, limits_);
    }

    void place(char const* file, unsigned line, char const* function, bool of_operation = false)
    {
        ring_->record({0, file, reinterpret_cast<std::uintptr_t>(function),
                          ewyk::detail::traced_line{line, of_operation}.pack(),
                          detail_event::place},
            limits_);
    }

    culprit stalled(std::uint64_t begin, std::uint64_t end, thread_id thread) const
    {
        return {culprit_kind::stalled, "as reported", begin, end, thread};
    }

    std::vector<culprit> find(std::uint64_t now, std::vector<culprit> stalled = {})
    {
        finder_.find({ring_}, now, std::move(stalled));
        return finder_.take();
    }

    std::uint64_t take_left_out() { return finder_.take_left_out(); }

private:
    trace_limits const limits_{.queued = 5 * ms, .ran = 10 * ms};
    std::shared_ptr<trace_ring> ring_;
    culprit_finder finder_{limits_};
};

} // namespace

// Which handlers are culprits, from records that are made here.
BOOST_AUTO_TEST_CASE(each_culprit_is_found_once)
{
    recorded r;
    r.begin(100 * ms, 4999);
    BOOST_TEST(!r.end(110 * ms - 1));
    BOOST_TEST(r.find(200 * ms).empty());

    r.begin(200 * ms, 5000);
    BOOST_TEST(r.find(201 * ms).empty());
    BOOST_TEST(r.end(210 * ms));
    auto found = r.find(220 * ms);
    BOOST_TEST_REQUIRE(found.size() == 2u);
    BOOST_TEST((found[0].kind == culprit_kind::ran));
    BOOST_TEST(found[0].milliseconds() == 10u);
    BOOST_TEST(found[0].name.find("late_handler") != std::string::npos);
    BOOST_TEST((found[1].kind == culprit_kind::queued));
    BOOST_TEST(found[1].begin == 195 * ms);
    BOOST_TEST(found[1].end == 200 * ms);
    BOOST_TEST(r.find(230 * ms).empty());
}

// The inner one is not the outer one, and each has its own place.
BOOST_AUTO_TEST_CASE(handlers_inside_of_each_other_are_culprits)
{
    recorded r;
    r.begin(100 * ms);
    r.place("outer.cpp", 1, "");
    r.begin(110 * ms);
    r.place("inner.cpp", 2, "");
    r.end(130 * ms);
    r.end(140 * ms);
    auto const found = r.find(200 * ms);
    BOOST_TEST_REQUIRE(found.size() == 2u);
    BOOST_TEST(found[0].name == "outer.cpp:1");
    BOOST_TEST(found[0].milliseconds() == 40u);
    BOOST_TEST(found[1].name == "inner.cpp:2");
    BOOST_TEST(found[1].milliseconds() == 20u);
}

BOOST_AUTO_TEST_CASE(a_stall_is_not_told_again_when_it_ends)
{
    recorded r;
    if (r.thread() == 0)
        return; // threads have no numbers here
    auto const own = r.thread();
    r.begin(300 * ms);
    r.place("dir/session.cpp", 41, "void f(int)");
    auto found = r.find(400 * ms, {r.stalled(350 * ms, 399 * ms, own)});
    BOOST_TEST_REQUIRE(found.size() == 1u);
    BOOST_TEST((found[0].kind == culprit_kind::stalled));
    BOOST_TEST(found[0].name == "session.cpp:41 f");
    BOOST_TEST(found[0].milliseconds() == 100u);
    // Nor after another one of the same thread.
    r.end(500 * ms);
    r.begin(600 * ms);
    found = r.find(700 * ms, {r.stalled(601 * ms, 650 * ms, own)});
    BOOST_TEST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0].begin == 600 * ms);
    r.end(800 * ms);
    BOOST_TEST(r.find(900 * ms).empty());

    // Two that have ended before they were looked for, and one that ran before them.
    r.begin(1000 * ms);
    r.end(1100 * ms);
    r.begin(1200 * ms);
    r.end(1300 * ms);
    r.begin(1400 * ms);
    r.end(1405 * ms); // not for too long
    found = r.find(1500 * ms,
        {r.stalled(1210 * ms, 1250 * ms, own), r.stalled(1401 * ms, 1403 * ms, own)});
    BOOST_TEST_REQUIRE(found.size() == 3u);
    BOOST_TEST(found[0].begin == 1200 * ms);
    BOOST_TEST((found[1].kind == culprit_kind::stalled));
    BOOST_TEST(found[1].begin == 1400 * ms);
    BOOST_TEST((found[2].kind == culprit_kind::ran));
    BOOST_TEST(found[2].begin == 1000 * ms);

    // One of a thread that is not in the trace.
    found = r.find(1600 * ms, {r.stalled(1, 2, -1)});
    BOOST_TEST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0].name == "as reported");
}

// A busy thread writes its ring over many times before it is looked at.
BOOST_AUTO_TEST_CASE(what_was_late_is_kept_for_longer_than_the_ring)
{
    recorded r(4);
    r.begin(100 * ms);
    r.place("late.cpp", 1, "async_read", true);
    r.place("late.cpp", 2, "");
    r.end(110 * ms);
    for (std::uint64_t i = 0; i != 1000; ++i)
    {
        r.begin(200 * ms + i);
        r.end(200 * ms + i);
    }
    auto const found = r.find(300 * ms);
    BOOST_TEST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0].name == "late.cpp:2");

    // Of too many, those that are lost are counted.
    for (std::uint64_t i = 0; i != trace_ring::most_late + 3; ++i)
    {
        r.begin((400 + i * 20) * ms);
        r.end((410 + i * 20) * ms);
    }
    BOOST_TEST(r.find(9000 * ms).size() == trace_ring::most_late);
    BOOST_TEST(r.take_left_out() == 3u);
    BOOST_TEST(r.find(9000 * ms).empty());
    BOOST_TEST(r.take_left_out() == 0u);
}

BOOST_AUTO_TEST_CASE(a_file_has_the_trace_the_dump_and_the_metrics)
{
    directory to;
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    // tag::keep[]
    ewyk::trace::keep({.last = 2s,
        .when = {.queued = 50ms, .ran = 1ms, .stalled = true},
        .to = to.path(),
        .at_most = 10,
        .metrics = [&ctx](std::ostream& out) {
            ewyk::prometheus_page page;
            page.add(ctx.metrics());
            out << page;
        }});
    // end::keep[]
    asio::post(ctx, late_handler());
    ctx.run();
    BOOST_TEST(to.wait_for(1));
    ewyk::trace::stop();
    auto const files = to.files();
    BOOST_TEST_REQUIRE(!files.empty());

    std::string const name = files[0].filename().string();
    BOOST_TEST(name.starts_with("ewyk-2"));
    BOOST_TEST(name.find("-ran-") != std::string::npos);
    BOOST_TEST(name.find("late_handler") != std::string::npos);
    BOOST_TEST(count(culprits_in(files), "ran", "late_handler") == 1u);
    json::object const other = other_data(files[0]);
    BOOST_TEST(std::string_view(other.at("dump").as_string()).find("thread ")
        != std::string_view::npos);
    BOOST_TEST(std::string_view(other.at("metrics").as_string()).find("# TYPE")
        != std::string_view::npos);
    auto const t = read_trace(text_of(files[0]));
    check(t);
    BOOST_TEST(t.count('B', "consume") == 1u);
    BOOST_TEST(t.dropped == 0);
}

BOOST_AUTO_TEST_CASE(a_wait_is_a_culprit)
{
    directory to;
    kept const on(options_for(to.path(), {.queued = 1ms, .ran = 0ns, .stalled = false}));
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    asio::post(ctx, late_handler());
    asio::post(ctx, [] {});
    ctx.run();
    ewyk::event_loop loop;
    asio::post(loop, [&loop] {
        asio::post(loop, [] {});
        late_handler()();
    });
    BOOST_TEST(loop.shutdown_gracefully(0ns, patience));
    ewyk::worker_pool pool({.max_threads = 1});
    pool.execute([&pool] {
        pool.execute([] {});
        late_handler()();
    });
    pool.wait();
    ewyk::trace::stop();
    // One of each; threads that get no CPU may add others.
    BOOST_TEST(count(culprits_in(to.files()), "queued", "") >= 3u);
    BOOST_TEST(count(culprits_in(to.files()), "ran", "") == 0u);
}

BOOST_AUTO_TEST_CASE(nothing_late_is_no_file)
{
    directory to;
    {
        kept const on(options_for(to.path(), {.queued = 24h, .ran = 24h, .stalled = true}));
        run_late_handler();
    }
    BOOST_TEST(to.files().empty());
}

BOOST_AUTO_TEST_CASE(a_file_has_the_last_seconds_only)
{
    directory to;
    kept const on(options_for(to.path(), {.queued = 0ns, .ran = 24h, .stalled = false}));
    run_late_handler();
    std::this_thread::sleep_for(100ms); // longer than `last`
    ewyk::trace::keep_options o = options_for(to.path());
    ewyk::detail::trace_snapshot t(ewyk::detail::trace_log::now());
    t.since = ewyk::detail::trace_time()
        - static_cast<std::uint64_t>(std::chrono::nanoseconds(o.last).count());
    std::ostringstream out;
    ewyk::detail::trace_writer().write(out, t);
    BOOST_TEST(read_trace(out.str()).events.empty());
}

BOOST_AUTO_TEST_CASE(at_most_so_many_files)
{
    directory to;
    auto o = options_for(to.path());
    o.at_most = 3;
    std::set<fs::path> seen;
    std::ofstream(to.path() / "ewyk-2-of-an-earlier-run.json") << "{}";
    std::ofstream(to.path() / "something-else.json") << "{}";
    fs::path const part = to.path() / "ewyk-1-of-a-process-that-has-ended.json.part";
    std::ofstream(part) << "{";
    {
        kept const on(o);
        // Each is in a file of its own, or with the one before.
        BOOST_TEST(eventually([&] {
            run_late_handler();
            for (auto const& file : to.files())
                seen.insert(file);
            return seen.size() >= 8;
        }));
    }
    auto const left = to.files();
    BOOST_TEST(left.size() == 4u);
    BOOST_TEST((left.back().filename() == "something-else.json"));
    BOOST_TEST(!fs::exists(part));
    // The last ones.
    BOOST_TEST((*left.begin() > *std::next(seen.begin(), 3)));
}

BOOST_AUTO_TEST_CASE(at_a_limited_rate)
{
    directory to;
    auto o = options_for(to.path());
    o.every = 24h;
    {
        kept const on(o);
        run_late_handler();
        BOOST_TEST(to.wait_for(1));
        for (int i = 0; i != 5; ++i)
            run_late_handler();
        BOOST_TEST(to.files().size() == 1u);
    }
    // What was held back comes at the end.
    auto const files = to.files();
    BOOST_TEST(files.size() == 2u);
    BOOST_TEST(count(culprits_in(files), "ran", "late_handler") == 6u);
}

BOOST_AUTO_TEST_CASE(a_stall_is_written_while_it_lasts)
{
    directory to;
    auto const o = options_for(to.path(), {.queued = 0ns, .ran = 1ms, .stalled = true});
    {
        kept const on(o);
        ewyk::strategy_options with;
        with.strategy = ewyk::strategy.produce_consume;
        with.stall_threshold = 5ms;
        with.on_stall = [](auto const&) {};
        ewyk::strategy_context ctx(with);
        bool seen = false;
        asio::post(ctx, [&] {
            ewyk::this_invocation::set_location({"dir/stalled_here.cpp", 7, "int stalls()"});
            seen = eventually([&] {
                return count(culprits_in(to.files()), "stalled", "stalled_here.cpp:7 stalls") != 0;
            });
        });
        ctx.run();
        BOOST_TEST(seen);
    }
    auto const all = culprits_in(to.files());
    BOOST_TEST(count(all, "stalled", "stalled_here") == 1u);
#if defined(ASIO_EWYK_HAS_LINUX) // the thread is known
    BOOST_TEST(count(all, "ran", "stalled_here") == 0u);
#endif
}

// 200 of 20000 handlers are late, on threads of a context, a loop and a pool.
BOOST_AUTO_TEST_CASE(each_injected_delay_is_in_one_file)
{
    constexpr int handlers = 20'000, delays = 200;
    directory to;
    auto o = options_for(to.path(), {.queued = 0ns, .ran = 2ms, .stalled = false});
    o.at_most = 100'000;
    o.events_per_thread = 256; // many times written over
    std::mt19937 random(4711);
    std::set<int> late;
    while (late.size() != delays)
        late.insert(static_cast<int>(random() % handlers));
    {
        kept const on(o);
        ewyk::strategy_context ctx(
            {.strategy = ewyk::strategy.eat_what_you_kill, .grace = 200us, .max_threads = 4});
        ewyk::event_loop loop;
        ewyk::worker_pool pool({.max_threads = 2});
        auto work = asio::make_work_guard(ctx);
        std::thread caller([&] { ctx.run(); });
        std::atomic<int> left{handlers};
        for (int i = 0; i != handlers; ++i)
        {
            auto f = [&left, i, is_late = late.contains(i)] {
                if (is_late)
                {
                    ewyk::this_invocation::set_location(
                        {"injected.cpp", static_cast<std::uint_least32_t>(i), "delay"});
                    std::this_thread::sleep_for(3ms);
                }
                --left;
            };
            if (i % 4 == 0)
                asio::post(loop, f);
            else if (i % 4 == 1)
                pool.execute(f);
            else
                asio::post(ctx, f);
            if (i % 100 == 0)
                std::this_thread::yield();
        }
        BOOST_TEST(eventually([&] { return left == 0; }));
        work.reset();
        caller.join();
        BOOST_TEST(loop.shutdown_gracefully(0ns, patience));
        pool.wait();
    }
    std::map<std::string, int> found;
    for (listed const& c : culprits_in(to.files()))
    {
        BOOST_TEST(c.kind == "ran");
        ++found[c.name];
    }
    std::size_t missing = 0, twice = 0;
    for (int const i : late)
    {
        int const n = found["injected.cpp:" + std::to_string(i) + " delay"];
        missing += n == 0;
        twice += n > 1;
    }
    BOOST_TEST(missing == 0u);
    BOOST_TEST(twice == 0u);
    // Each file is a trace that a viewer reads.
    for (auto const& file : to.files())
        check(read_trace(text_of(file)));
}

// keep(), stop() and the report thread race with threads that record.
BOOST_AUTO_TEST_CASE(may_be_kept_and_stopped_at_any_time)
{
    directory to;
    std::atomic<bool> done{false};
    std::thread other([&] {
        while (!done)
            run_late_handler();
    });
    for (int i = 0; i != 20; ++i)
    {
        ewyk::trace::keep(options_for(to.path()));
        run_late_handler();
        ewyk::trace::stop();
    }
    done = true;
    other.join();
    BOOST_TEST(!to.files().empty());
    for (auto const& file : to.files())
        BOOST_CHECK_NO_THROW(read_trace(text_of(file)));
}

BOOST_AUTO_TEST_CASE(handlers_have_the_names_of_their_places)
{
    ewyk::trace::start();
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    unsigned line = 0;
    asio::post(ctx, [&] {
        line = __LINE__ + 1;
        ewyk::this_invocation::set_location();
    });
    ctx.run();
    ewyk::trace::stop();
    auto const t = write_and_read();
    check(t);
    std::string const name = "flight_recorder.cpp:" + std::to_string(line);
    BOOST_TEST(std::any_of(t.events.begin(), t.events.end(),
        [&](auto const& e) { return e.category == "consume" && e.name.starts_with(name); }));
}

#if defined(BOOST_ASIO_HAS_CO_AWAIT)

// A span of a coroutine, which two threads run.
BOOST_AUTO_TEST_CASE(spans_of_the_program)
{
    ewyk::trace::start();
    ewyk::event_loop first, second;
    event over;
    // tag::span[]
    auto const serve = [&](int request) -> asio::awaitable<void> {
        ewyk::trace::span const span("request " + std::to_string(request));
        co_await asio::post(asio::bind_executor(second.get_executor(), asio::use_awaitable));
    };
    // end::span[]
    asio::co_spawn(first, serve(4711), [&](std::exception_ptr) { over.set(); });
    over.wait();
    ewyk::trace::span const open("a name of many characters, of which the beginning is kept: 64 or so");
    ewyk::trace::stop();
    std::ostringstream out;
    ewyk::trace::write(out);
    std::map<std::string, std::string> phases;
    json::value const whole = json::parse(out.str());
    for (json::value const& v : whole.as_object().at("traceEvents").as_array())
    {
        json::object const& e = v.as_object();
        if (json::value const* const id = e.if_contains("id"))
        {
            static_cast<void>(id->to_number<std::int64_t>());
            phases[std::string(e.at("name").as_string())] += std::string(e.at("ph").as_string());
        }
    }
    BOOST_TEST(phases.size() == 2u);
    BOOST_TEST(phases["request 4711"] == "be");
    BOOST_TEST(phases["a name of many characters, of which the beginning is kept: 64 or"] == "be");
}

#endif

BOOST_AUTO_TEST_CASE(a_span_that_is_not_recorded)
{
    ewyk::trace::span const none("nothing");
    ewyk::trace::start();
    ewyk::trace::stop();
    BOOST_TEST(write_and_read().events.empty());
}

#if defined(ASIO_EWYK_HAS_LINUX)

namespace {

/// What is written to stderr meanwhile.
std::string stderr_of(std::function<void()> const& f)
{
    directory at;
    fs::path const file = at.path() / "stderr";
    int const before = ::dup(STDERR_FILENO);
    int const to = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(to, STDERR_FILENO);
    f();
    ::dup2(before, STDERR_FILENO);
    ::close(to);
    ::close(before);
    return text_of(file);
}

std::size_t count_lost(std::string const& text)
{
    std::size_t n = 0;
    for (auto at = text.find("cannot write"); at != text.npos; at = text.find("cannot write", at + 1))
        ++n;
    return n;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_directory_that_cannot_be_written_to_is_told_once)
{
    directory to;
    std::ofstream(to.path() / "file") << "no directory";
    std::string const told = stderr_of([&] {
        kept const on(options_for(to.path() / "file" / "below"));
        run_late_handler();
        std::this_thread::sleep_for(50ms);
        run_late_handler();
    });
    BOOST_TEST(count_lost(told) == 1u, told);
    BOOST_TEST(told.find("below") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_full_disk_loses_the_file)
{
    directory to;
    ::rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    auto const handler = std::signal(SIGXFSZ, SIG_IGN);
    ::rlimit full = before;
    full.rlim_cur = 400; // room for what is told
    std::string const told = stderr_of([&] {
        ewyk::trace::keep(options_for(to.path()));
        ::setrlimit(RLIMIT_FSIZE, &full);
        run_late_handler();
        std::this_thread::sleep_for(50ms);
        run_late_handler();
        ewyk::trace::stop();
        ::setrlimit(RLIMIT_FSIZE, &before);
    });
    std::signal(SIGXFSZ, handler);
    BOOST_TEST(count_lost(told) == 1u, told);
    BOOST_TEST(fs::is_empty(to.path()));
    // The next recording works.
    {
        kept const on(options_for(to.path()));
        run_late_handler();
    }
    BOOST_TEST(count(culprits_in(to.files()), "ran", "late_handler") == 1u);
}

// A program that knows nothing of it, in a process of its own.
BOOST_AUTO_TEST_CASE(by_the_environment)
{
    if (std::getenv("ASIO_EWYK_TEST_CHILD"))
    {
        run_late_handler();
        return;
    }
    directory to;
    std::string const value = to.path().string() + ",queued=0,ran=1ms";
    pid_t const child = ::fork();
    if (child == 0)
    {
        ::setenv("ASIO_EWYK_KEEP", value.c_str(), 1);
        ::setenv("ASIO_EWYK_TEST_CHILD", "1", 1);
        ::execl("/proc/self/exe", "test", "--run_test=flight_recorder/by_the_environment", nullptr);
        ::_exit(1);
    }
    int status = 0;
    BOOST_TEST(::waitpid(child, &status, 0) == child);
    BOOST_TEST((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    auto const files = to.files();
    BOOST_TEST_REQUIRE(files.size() >= 1u);
    BOOST_TEST(files[0].string().find('-' + std::to_string(child) + '-') != std::string::npos);
    BOOST_TEST(count(culprits_in(files), "ran", "late_handler") == 1u);
}

#if !defined(ASIO_EWYK_TEST_SANITIZED) // it ends what was forked by a process with threads

BOOST_AUTO_TEST_CASE(the_child_of_a_fork_keeps_nothing_until_it_says_so)
{
    directory to;
    kept const on(options_for(to.path()));
    pid_t const child = ::fork();
    if (child == 0)
    {
        ::alarm(100);
        bool const records = ewyk::trace::recording();
        run_late_handler();
        ewyk::trace::stop();
        bool const wrote = !to.files().empty();
        ewyk::trace::keep(options_for(to.path()));
        run_late_handler();
        ewyk::trace::stop();
        ::_exit(records ? 1 : wrote ? 2 : to.files().size() == 1 ? 42 : 3);
    }
    int status = 0;
    BOOST_TEST(::waitpid(child, &status, 0) == child);
    BOOST_TEST((WIFEXITED(status) && WEXITSTATUS(status) == 42));
    BOOST_TEST(ewyk::trace::recording());
}

#endif

#endif

BOOST_AUTO_TEST_SUITE_END()
