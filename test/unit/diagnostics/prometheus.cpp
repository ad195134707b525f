// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The page for Prometheus, read by a strict parser.

#include "../pool_support.hpp"
#include "prometheus_support.hpp"
#include <asio_ewyk/detail/metrics/task_times.hpp>
#include <asio_ewyk/diagnostics/prometheus.hpp>

#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace support;

BOOST_AUTO_TEST_SUITE(prometheus)

namespace {

std::string text(ewyk::prometheus_page const& page)
{
    std::ostringstream out;
    out << page;
    return out.str();
}

ewyk::duration_histogram measured()
{
    ewyk::detail::histogram_recorder recorder;
    recorder.record(1us);
    recorder.record(1024ns);
    recorder.record(3ms);
    recorder.record(24h);
    return recorder.snapshot();
}

} // namespace

BOOST_AUTO_TEST_CASE(the_parser_is_strict)
{
    std::string const head = "# HELP a_total x\n# TYPE a_total counter\n";
    BOOST_CHECK_NO_THROW(exposition(head + "a_total{b=\"\\\\\\\"\\n\"} 1\n"));
    for (auto line : {"a_total 1", "a_total -1\n", "a_total x\n", "a_total{} 1\n", "b_total 1\n",
             "a_total{b=\"\\x\"} 1\n", "a_total{b=\"1\",b=\"2\"} 1\n", "a_total 1\na_total 1\n",
             "a_total{1b=\"\"} 1\n", "a_total  1\n", "# HELP a_total x\n", "# TYPE b counter\n",
             "a_total{b=\"\"\n", "\n"})
        BOOST_CHECK_THROW(exposition(head + line), std::exception);
    std::string const histogram = "# HELP h x\n# TYPE h histogram\n";
    BOOST_CHECK_NO_THROW(exposition(histogram + "h_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 1\n"));
    BOOST_CHECK_THROW(exposition(histogram + "h_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 2\n"), malformed);
    BOOST_CHECK_THROW(exposition(histogram + "h_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n"), malformed);
}

BOOST_AUTO_TEST_CASE(an_empty_page) { BOOST_TEST(text({}) == ""); }

BOOST_AUTO_TEST_CASE(all_families_of_a_context)
{
    ewyk::prometheus_page page;
    ewyk::strategy_metrics const m{.strategy = ewyk::strategy.produce_consume,
        .produce_consume = 1,
        .produce_invoke_consume = 2,
        .produce_execute_consume = 3,
        .execute_produce_consume = 4,
        .on_lease = 5,
        .taken_over = 1,
        .not_taken_over = 11,
        .superseded = 6,
        .exceptions = 7,
        .sentinel_refused = true,
        .probe_refused = true,
        .waits_observed = true,
        .queued = 8,
        .queued_max = 9,
        .queued_in_pool = 10,
        .callers = 12,
        .parked_callers = 1,
        .queue_delay = measured(),
        .run_time = measured()};
    page.add(m);
    exposition const read(text(page));
    BOOST_TEST(read.value("asio_ewyk_context_info", {{"strategy", "produce_consume"}}) == 1);
    auto const tasks = [&](char const* sub) {
        return read.value("asio_ewyk_context_tasks_total", {{"sub_strategy", sub}});
    };
    BOOST_TEST(tasks("produce_consume") == 1);
    BOOST_TEST(tasks("produce_invoke_consume") == 2);
    BOOST_TEST(tasks("produce_execute_consume") == 3);
    BOOST_TEST(tasks("execute_produce_consume") == 4);
    BOOST_TEST(tasks("on_lease") == 5);
    BOOST_TEST(read.value("asio_ewyk_context_hand_overs_total", {{"kind", "eager"}}) == 4);
    BOOST_TEST(read.value("asio_ewyk_context_hand_overs_total", {{"kind", "lazy"}}) == 1);
    BOOST_TEST(read.value("asio_ewyk_context_not_taken_over_total") == 11);
    BOOST_TEST(read.value("asio_ewyk_context_superseded_total") == 6);
    BOOST_TEST(read.value("asio_ewyk_context_exceptions_total") == 7);
    BOOST_TEST(read.value("asio_ewyk_context_sentinel_refused") == 1);
    BOOST_TEST(read.value("asio_ewyk_context_probe_refused") == 1);
    BOOST_TEST(read.value("asio_ewyk_context_waits_observed") == 1);
    BOOST_TEST(read.value("asio_ewyk_context_queued_tasks", {{"queue", "context"}}) == 8);
    BOOST_TEST(read.value("asio_ewyk_context_queued_tasks", {{"queue", "pool"}}) == 10);
    BOOST_TEST(read.value("asio_ewyk_context_queued_tasks_max") == 9);
    BOOST_TEST(read.value("asio_ewyk_context_threads", {{"state", "working"}}) == 11);
    BOOST_TEST(read.value("asio_ewyk_context_threads", {{"state", "parked"}}) == 1);
    for (std::string const name : {"queue_delay", "run_time"})
    {
        auto const full = "asio_ewyk_context_" + name + "_seconds";
        BOOST_TEST(read.value(full + "_count") == 4);
        BOOST_TEST(read.value(full + "_sum") == 86400.003002024);
        BOOST_TEST(read.value(full + "_max") == 86400);
        BOOST_TEST(read.value(full + "_bucket", {{"le", "1.024e-06"}}) == 2);
        BOOST_TEST(read.value(full + "_bucket", {{"le", "0.002097152"}}) == 2);
        BOOST_TEST(read.value(full + "_bucket", {{"le", "0.004194304"}}) == 3);
        BOOST_TEST(read.value(full + "_bucket", {{"le", "17.179869184"}}) == 3);
        BOOST_TEST(read.value(full + "_bucket", {{"le", "+Inf"}}) == 4);
    }
}

BOOST_AUTO_TEST_CASE(all_families_of_a_pool_and_of_a_loop)
{
    ewyk::prometheus_page page;
    page.add(ewyk::pool_metrics{.tasks = 1, .refused = 2, .run_by_caller = 3, .exceptions = 23, .starts = 4,
        .start_failures = 5, .low_on_threads = 18, .low_on_threads_now = true,
        .starting = 6, .parked = 7, .producing = 8, .running = 9,
        .max_threads = 40, .queued = 10, .queued_max = 11,
        .load = {.delay = 20ms, .average_delay = 21ms, .threads_left = 22}, .run_time = measured()});
    page.add(ewyk::loop_metrics{.tasks = 12, .in_place = 13, .scheduled = 14, .exceptions = 15,
        .cpu_time = 1500ms, .queued = 16, .queued_max = 17, .poll_delay = measured()});
    exposition const read(text(page));
    BOOST_TEST(read.value("asio_ewyk_pool_tasks_total") == 1);
    BOOST_TEST(read.value("asio_ewyk_pool_queue_full_total", {{"kind", "refused"}}) == 2);
    BOOST_TEST(read.value("asio_ewyk_pool_queue_full_total", {{"kind", "run_by_caller"}}) == 3);
    BOOST_TEST(read.value("asio_ewyk_pool_exceptions_total") == 23);
    BOOST_TEST(read.value("asio_ewyk_pool_thread_starts_total") == 4);
    BOOST_TEST(read.value("asio_ewyk_pool_thread_start_failures_total") == 5);
    BOOST_TEST(read.value("asio_ewyk_pool_low_on_threads_total") == 18);
    BOOST_TEST(read.value("asio_ewyk_pool_low_on_threads") == 1);
    BOOST_TEST(read.value("asio_ewyk_pool_threads", {{"state", "starting"}}) == 6);
    BOOST_TEST(read.value("asio_ewyk_pool_threads", {{"state", "parked"}}) == 7);
    BOOST_TEST(read.value("asio_ewyk_pool_threads", {{"state", "producing"}}) == 8);
    BOOST_TEST(read.value("asio_ewyk_pool_threads", {{"state", "running"}}) == 9);
    BOOST_TEST(read.value("asio_ewyk_pool_threads_max") == 40);
    BOOST_TEST(read.value("asio_ewyk_pool_queued_tasks") == 10);
    BOOST_TEST(read.value("asio_ewyk_pool_load_delay_seconds") == 0.02);
    BOOST_TEST(read.value("asio_ewyk_pool_load_average_delay_seconds") == 0.021);
    BOOST_TEST(read.value("asio_ewyk_pool_threads_left") == 22);
    BOOST_TEST(read.value("asio_ewyk_pool_queued_tasks_max") == 11);
    BOOST_TEST(read.value("asio_ewyk_pool_run_time_seconds_count") == 4);
    BOOST_TEST(read.families.count("asio_ewyk_pool_queue_delay_seconds") == 0u);
    BOOST_TEST(read.value("asio_ewyk_loop_tasks_total", {{"kind", "submitted"}}) == 12);
    BOOST_TEST(read.value("asio_ewyk_loop_tasks_total", {{"kind", "in_place"}}) == 13);
    BOOST_TEST(read.value("asio_ewyk_loop_tasks_total", {{"kind", "scheduled"}}) == 14);
    BOOST_TEST(read.value("asio_ewyk_loop_exceptions_total") == 15);
    BOOST_TEST(read.value("asio_ewyk_loop_cpu_seconds_total") == 1.5);
    BOOST_TEST(read.value("asio_ewyk_loop_queued_tasks") == 16);
    BOOST_TEST(read.value("asio_ewyk_loop_queued_tasks_max") == 17);
    BOOST_TEST(read.value("asio_ewyk_loop_poll_delay_seconds_count") == 4);
}

BOOST_AUTO_TEST_CASE(all_families_of_a_serve)
{
    ewyk::prometheus_page page;
    page.add(ewyk::serve_metrics{.accepted = 1, .refused = 2, .failed = 3, .accept_errors = 4,
                 .passed_over = 5, .open = 11, .backing_off = 6, .workers_left_out = 8,
                 .open_by_worker = {7, 4}},
        {{"serve", "http"}});
    exposition const read(text(page));
    labels const http{{"serve", "http"}};
    BOOST_TEST(read.value("asio_ewyk_serve_accepted_total", http) == 1);
    BOOST_TEST(read.value("asio_ewyk_serve_refused_total", http) == 2);
    BOOST_TEST(read.value("asio_ewyk_serve_failed_sessions_total", http) == 3);
    BOOST_TEST(read.value("asio_ewyk_serve_accept_errors_total", http) == 4);
    BOOST_TEST(read.value("asio_ewyk_serve_passed_over_total", http) == 5);
    BOOST_TEST(read.value("asio_ewyk_serve_connections", http) == 11);
    BOOST_TEST(read.value("asio_ewyk_serve_backing_off", http) == 6);
    BOOST_TEST(read.value("asio_ewyk_serve_workers_left_out", http) == 8);
    auto const of_worker = [&](char const* i) {
        return read.value("asio_ewyk_serve_worker_connections", {{"serve", "http"}, {"worker", i}});
    };
    BOOST_TEST(of_worker("0") == 7);
    BOOST_TEST(of_worker("1") == 4);
}

BOOST_AUTO_TEST_CASE(all_families_of_a_load_shedder)
{
    ewyk::prometheus_page page;
    page.add(ewyk::shed_metrics{
        .refused = 1, .late = 2, .queue_delay = 1500ms, .overloaded = true});
    exposition const read(text(page));
    auto const refused = [&](char const* reason) {
        return read.value("asio_ewyk_shed_refused_total", {{"reason", reason}});
    };
    BOOST_TEST(refused("overload") == 1);
    BOOST_TEST(refused("late") == 2);
    BOOST_TEST(read.value("asio_ewyk_shed_queue_delay_seconds") == 1.5);
    BOOST_TEST(read.value("asio_ewyk_shed_overloaded") == 1);
}

BOOST_AUTO_TEST_CASE(all_families_of_tracked_operations)
{
    using namespace ewyk::tracking;
    operation receive;
    receive.kind = "socket";
    receive.name = "async_receive";
    operation wait = receive;
    wait.name = "async_wait";
    wait.state = operation_state::ready;

    site somewhere;
    somewhere.kind = "socket";
    somewhere.name = "async_receive";
    somewhere.composed = "async_read";
    somewhere.location = boost::source_location("a.cpp", 41, "f");
    somewhere.handlers = 1;
    somewhere.destroyed = 2;
    somewhere.waits = 3;
    somewhere.waited = 1500ms;
    somewhere.longest_wait = 500ms;
    somewhere.ran = 2500ms;
    somewhere.longest_run = 250ms;
    somewhere.blocks = 4;
    somewhere.blocked = 3500ms;
    somewhere.longest_block = 125ms;
    site elsewhere = somewhere;
    elsewhere.composed = nullptr;
    elsewhere.location.reset();
    elsewhere.type = "a_type<int>";

    ewyk::prometheus_page page;
    page.add(std::vector{receive, wait, receive}, {{"process", "x"}});
    page.add(std::vector{somewhere, elsewhere}, {{"process", "x"}});
    exposition const read(text(page));
    labels const waits{
        {"process", "x"}, {"kind", "socket"}, {"operation", "async_receive"}, {"state", "pending"}};
    BOOST_TEST(read.value("asio_ewyk_tracking_operations", waits) == 2);
    labels const ready{
        {"process", "x"}, {"kind", "socket"}, {"operation", "async_wait"}, {"state", "ready"}};
    BOOST_TEST(read.value("asio_ewyk_tracking_operations", ready) == 1);
    labels const here{{"process", "x"}, {"kind", "socket"},
        {"operation", "async_receive in async_read"}, {"site", "a.cpp:41"}};
    auto const of_site = [&](std::string const& name) {
        return read.value("asio_ewyk_tracking_" + name, here);
    };
    BOOST_TEST(of_site("handlers_total") == 1);
    BOOST_TEST(of_site("destroyed_total") == 2);
    BOOST_TEST(of_site("waits_total") == 3);
    BOOST_TEST(of_site("wait_seconds_total") == 1.5);
    BOOST_TEST(of_site("wait_seconds_max") == 0.5);
    BOOST_TEST(of_site("run_seconds_total") == 2.5);
    BOOST_TEST(of_site("run_seconds_max") == 0.25);
    BOOST_TEST(of_site("blocks_total") == 4);
    BOOST_TEST(of_site("block_seconds_total") == 3.5);
    BOOST_TEST(of_site("block_seconds_max") == 0.125);
    labels const there{{"process", "x"}, {"kind", "socket"}, {"operation", "async_receive"},
        {"site", "a_type<int>"}};
    BOOST_TEST(read.value("asio_ewyk_tracking_handlers_total", there) == 1);
    BOOST_CHECK_THROW(page.add(std::vector{receive}, {{"site", "x"}}), std::invalid_argument);
}

// Samples of several snapshots stand together by family.
BOOST_AUTO_TEST_CASE(several_contexts_and_any_text_as_a_label)
{
    std::string const strange = "a \\ \"quoted\"\nline, {x=\"y\"} \xc3\xa4";
    ewyk::prometheus_page page;
    page.add(ewyk::strategy_metrics{.produce_consume = 1}, {{"context", "first"}, {"x", ""}});
    page.add(ewyk::pool_metrics{}, {{"pool", strange}});
    page.add(ewyk::strategy_metrics{.produce_consume = 2}, {{"context", strange}});
    exposition const read(text(page));
    auto const name = "asio_ewyk_context_tasks_total";
    BOOST_TEST(read.value(name, {{"context", "first"}, {"x", ""}, {"sub_strategy", "produce_consume"}}) == 1);
    BOOST_TEST(read.value(name, {{"context", strange}, {"sub_strategy", "produce_consume"}}) == 2);
    BOOST_TEST(read.value("asio_ewyk_pool_threads_max", {{"pool", strange}}) == 0);
}

// Its message gives the name.
auto refuses(std::string name)
{
    return [name](std::invalid_argument const& e) {
        std::string_view const message = e.what();
        return message.starts_with("prometheus_page::add: ")
            && message.ends_with(", not '" + name + "'");
    };
}

BOOST_AUTO_TEST_CASE(labels_that_cannot_be)
{
    ewyk::prometheus_page page;
    page.add(ewyk::loop_metrics{}, {{"_a1", "x"}});
    auto const before = text(page);
    for (auto name : {"", "1a", "a-b", "a:b", "__a", "le", "state", "kind", "worker", "\xc3\xa4", "a b"})
        BOOST_CHECK_EXCEPTION(
            page.add(ewyk::loop_metrics{}, {{name, "x"}}), std::invalid_argument, refuses(name));
    BOOST_CHECK_EXCEPTION(page.add(ewyk::loop_metrics{}, {{"a", "x"}, {"a", "y"}}),
        std::invalid_argument, refuses("a"));
    BOOST_TEST(text(page) == before);
}

BOOST_AUTO_TEST_CASE(families_of_the_callers_own)
{
    ewyk::prometheus_page page;
    page.add("app_requests_total", "Requests, of \\ and\nmore.", 1e15, {{"a", "b"}});
    page.add("app:open", "Open.", -0.5);
    page.add("app_odd", "Odd.", std::numeric_limits<double>::quiet_NaN());
    page.add("app_requests_total", "Requests, of \\ and\nmore.", 2);
    BOOST_CHECK_EXCEPTION(page.add("app_requests_total", "Others.", 2), std::invalid_argument,
        refuses("app_requests_total"));
    BOOST_CHECK_EXCEPTION(
        page.add("app requests", "x", 2), std::invalid_argument, refuses("app requests"));
    exposition const read(text(page));
    BOOST_TEST(read.families.size() == 3u);
    BOOST_TEST(read.families.at("app_requests_total").type == "counter");
    BOOST_TEST(read.families.at("app:open").type == "gauge");
    BOOST_TEST(read.families.at("app_requests_total").help == "Requests, of \\ and\nmore.");
    BOOST_TEST(read.value("app_requests_total", {{"a", "b"}}) == 1e15);
    BOOST_TEST(read.value("app_requests_total") == 2);
    BOOST_TEST(read.value("app:open") == -0.5);
    BOOST_TEST(std::isnan(read.value("app_odd")));
}

// Neither the stream's locale nor its flags.
BOOST_AUTO_TEST_CASE(no_locale)
{
    struct comma : std::numpunct<char>
    {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    ewyk::prometheus_page page;
    page.add(ewyk::loop_metrics{.tasks = 1234567, .cpu_time = 1500ms});
    std::ostringstream out;
    out.imbue(std::locale(std::locale(), new comma));
    out << std::hex << page;
    exposition const read(out.str());
    BOOST_TEST(read.value("asio_ewyk_loop_tasks_total", {{"kind", "submitted"}}) == 1234567);
    BOOST_TEST(read.value("asio_ewyk_loop_cpu_seconds_total") == 1.5);
}

BOOST_AUTO_TEST_CASE(of_what_runs)
{
    // tag::prometheus[]
    ewyk::strategy_context context({.timing = true});
    asio::post(context, [] {});
    context.run();

    ewyk::prometheus_page page;
    page.add(context.metrics(), {{"context", "http"}});
    page.add(context.pool().metrics(), {{"pool", "http"}});
    std::ostringstream out;
    out << page;
    // end::prometheus[]
    exposition const read(out.str());
    BOOST_TEST(read.value("asio_ewyk_pool_threads_max", {{"pool", "http"}}) == 200);
    BOOST_TEST(read.families.count("asio_ewyk_context_run_time_seconds") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
