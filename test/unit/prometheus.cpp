// The page for Prometheus, read by a parser that takes nothing but what the exposition format
// 0.0.4 says: https://prometheus.io/docs/instrumenting/exposition_formats/

#include "pool_support.hpp"
#include <asio_ewyk/prometheus.hpp>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cmath>
#include <limits>
#include <locale>
#include <map>
#include <set>
#include <sstream>

using namespace support;

BOOST_AUTO_TEST_SUITE(prometheus)

namespace {

using labels = std::map<std::string, std::string>;

struct sample
{
    std::string name;
    labels with;
    double value = 0;
};

struct family
{
    std::string help;
    std::string type;
    std::vector<sample> samples;
};

struct malformed : std::runtime_error
{
    using runtime_error::runtime_error;
};

// Families by name; throws malformed.
class exposition
{
public:
    explicit exposition(std::string const& text)
    {
        if (!text.empty() && text.back() != '\n')
            throw malformed("the last line does not end");
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);)
            read(line);
        for (auto const& [name, f] : families)
            if (f.type == "histogram")
                check_histogram(name, f);
    }

    double value(std::string const& name, labels const& with = {}) const
    {
        for (auto const& [n, f] : families)
            for (sample const& s : f.samples)
                if (s.name == name && s.with == with)
                    return s.value;
        throw malformed("no sample " + name);
    }

    std::map<std::string, family> families;

private:
    void read(std::string const& line)
    {
        rest_ = line;
        if (line.starts_with("# "))
        {
            rest_.remove_prefix(2);
            bool const help = take("HELP ");
            if (!help)
                expect("TYPE ");
            std::string const name = take_name(":");
            expect(" ");
            if (help)
            {
                if (!families.emplace(name, family{unescaped(std::string(rest_), false), "", {}})
                         .second)
                    throw malformed("HELP twice: " + line);
            }
            else
            {
                static std::set<std::string_view> const types{
                    "counter", "gauge", "histogram", "summary", "untyped"};
                auto const found = families.find(name);
                if (found == families.end() || !found->second.type.empty() || !types.count(rest_))
                    throw malformed("TYPE: " + line);
                found->second.type = rest_;
            }
            // All samples of a family stand together, after its HELP and TYPE.
            current_ = name;
            return;
        }
        sample s;
        s.name = take_name(":");
        if (take("{"))
            do
            {
                std::string const name = take_name("");
                expect("=\"");
                std::string value;
                while (!rest_.empty() && rest_.front() != '"')
                {
                    std::size_t const n = rest_.front() == '\\' ? 2 : 1;
                    value += rest_.substr(0, n);
                    rest_.remove_prefix(n);
                }
                expect("\"");
                if (!s.with.emplace(name, unescaped(value, true)).second)
                    throw malformed("a label twice: " + line);
            } while (!take("}") && (expect(","), true));
        expect(" ");
        s.value = number(rest_);
        if (s.name != current_)
        {
            auto const& type = families.at(current_).type;
            if (type != "histogram"
                || (s.name != current_ + "_bucket" && s.name != current_ + "_sum"
                    && s.name != current_ + "_count"))
                throw malformed("a sample that is not of the family " + current_ + ": " + line);
        }
        if (families.at(current_).type == "counter"
            && (!s.name.ends_with("_total") || !(s.value >= 0)))
            throw malformed("not a counter: " + line);
        if (!all_.emplace(s.name, s.with).second)
            throw malformed("a sample twice: " + line);
        families.at(current_).samples.push_back(s);
    }

    static void check_histogram(std::string const& name, family const& f)
    {
        std::map<labels, std::map<double, double>> buckets;
        std::map<labels, double> counts;
        std::map<labels, double> sums;
        for (sample s : f.samples)
            if (s.name == name + "_bucket")
            {
                double const bound = number(s.with.at("le"));
                s.with.erase("le");
                auto& all = buckets[s.with];
                if (!all.empty() && (bound <= all.rbegin()->first || s.value < all.rbegin()->second))
                    throw malformed("buckets of " + name + " do not rise");
                all[bound] = s.value;
            }
            else
                (s.name == name + "_sum" ? sums : counts)[s.with] = s.value;
        for (auto const& [with, all] : buckets)
            if (!std::isinf(all.rbegin()->first) || all.rbegin()->second != counts.at(with)
                || sums.at(with) < 0)
                throw malformed("the end of " + name);
        if (buckets.size() != counts.size() || counts.size() != sums.size())
            throw malformed("a part of " + name + " is missing");
    }

    bool take(std::string_view what)
    {
        if (!rest_.starts_with(what))
            return false;
        rest_.remove_prefix(what.size());
        return true;
    }

    void expect(std::string_view what)
    {
        if (!take(what))
            throw malformed("expected '" + std::string(what) + "' at '" + std::string(rest_) + "'");
    }

    std::string take_name(std::string_view more)
    {
        auto const good = [&](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                || c == '_' || more.find(c) != more.npos;
        };
        auto const end = std::find_if_not(rest_.begin(), rest_.end(), good);
        std::string const name(rest_.begin(), end);
        if (name.empty() || (name[0] >= '0' && name[0] <= '9'))
            throw malformed("no name at '" + std::string(rest_) + "'");
        rest_.remove_prefix(name.size());
        return name;
    }

    static std::string unescaped(std::string_view text, bool quoted)
    {
        std::string out;
        for (std::size_t i = 0; i != text.size(); ++i)
        {
            if (text[i] != '\\')
            {
                out += text[i];
                continue;
            }
            char const next = ++i == text.size() ? ' ' : text[i];
            if (next != '\\' && next != 'n' && !(quoted && next == '"'))
                throw malformed("a bad escape in: " + std::string(text));
            out += next == 'n' ? '\n' : next;
        }
        return out;
    }

    static double number(std::string_view text)
    {
        if (text == "+Inf")
            return std::numeric_limits<double>::infinity();
        if (text == "-Inf")
            return -std::numeric_limits<double>::infinity();
        if (text == "NaN")
            return std::numeric_limits<double>::quiet_NaN();
        double value = 0;
        auto const end = text.data() + text.size();
        auto const [stopped, error] = std::from_chars(text.data(), end, value);
        if (error != std::errc() || stopped != end)
            throw malformed("not a number: " + std::string(text));
        return value;
    }

    std::string_view rest_; // of the line
    std::string current_;   // the family
    std::set<std::pair<std::string, labels>> all_;
};

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
        .on_loan = 5,
        .taken_over = 1,
        .superseded = 6,
        .exceptions = 7,
        .queued = 8,
        .queued_max = 9,
        .queued_in_pool = 10,
        .callers = 12,
        .parked_callers = 1,
        .standing_by = 13,
        .queue_delay = measured(),
        .run_time = measured(),
        .poll_delay = measured()};
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
    BOOST_TEST(tasks("on_loan") == 5);
    BOOST_TEST(read.value("asio_ewyk_context_hand_overs_total", {{"kind", "eager"}}) == 4);
    BOOST_TEST(read.value("asio_ewyk_context_hand_overs_total", {{"kind", "lazy"}}) == 1);
    BOOST_TEST(read.value("asio_ewyk_context_superseded_total") == 6);
    BOOST_TEST(read.value("asio_ewyk_context_exceptions_total") == 7);
    BOOST_TEST(read.value("asio_ewyk_context_queued_tasks", {{"queue", "context"}}) == 8);
    BOOST_TEST(read.value("asio_ewyk_context_queued_tasks", {{"queue", "pool"}}) == 10);
    BOOST_TEST(read.value("asio_ewyk_context_queued_tasks_max") == 9);
    BOOST_TEST(read.value("asio_ewyk_context_threads", {{"state", "working"}}) == 11);
    BOOST_TEST(read.value("asio_ewyk_context_threads", {{"state", "parked"}}) == 1);
    BOOST_TEST(read.value("asio_ewyk_context_threads", {{"state", "standing_by"}}) == 13);
    for (std::string const name : {"queue_delay", "run_time", "poll_delay"})
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
    page.add(ewyk::pool_metrics{.tasks = 1, .refused = 2, .run_by_caller = 3, .starts = 4,
        .start_failures = 5, .starting = 6, .parked = 7, .producing = 8, .running = 9,
        .max_threads = 40, .queued = 10, .queued_max = 11, .run_time = measured()});
    page.add(ewyk::loop_metrics{.tasks = 12, .in_place = 13, .scheduled = 14, .exceptions = 15,
        .cpu_time = 1500ms, .queued = 16, .queued_max = 17, .poll_delay = measured()});
    exposition const read(text(page));
    BOOST_TEST(read.value("asio_ewyk_pool_tasks_total") == 1);
    BOOST_TEST(read.value("asio_ewyk_pool_queue_full_total", {{"kind", "refused"}}) == 2);
    BOOST_TEST(read.value("asio_ewyk_pool_queue_full_total", {{"kind", "run_by_caller"}}) == 3);
    BOOST_TEST(read.value("asio_ewyk_pool_thread_starts_total") == 4);
    BOOST_TEST(read.value("asio_ewyk_pool_thread_start_failures_total") == 5);
    BOOST_TEST(read.value("asio_ewyk_pool_threads", {{"state", "starting"}}) == 6);
    BOOST_TEST(read.value("asio_ewyk_pool_threads", {{"state", "parked"}}) == 7);
    BOOST_TEST(read.value("asio_ewyk_pool_threads", {{"state", "producing"}}) == 8);
    BOOST_TEST(read.value("asio_ewyk_pool_threads", {{"state", "running"}}) == 9);
    BOOST_TEST(read.value("asio_ewyk_pool_threads_max") == 40);
    BOOST_TEST(read.value("asio_ewyk_pool_queued_tasks") == 10);
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

BOOST_AUTO_TEST_CASE(labels_that_cannot_be)
{
    ewyk::prometheus_page page;
    page.add(ewyk::loop_metrics{}, {{"_a1", "x"}});
    auto const before = text(page);
    for (auto name : {"", "1a", "a-b", "a:b", "__a", "le", "state", "kind", "\xc3\xa4", "a b"})
        BOOST_CHECK_THROW(page.add(ewyk::loop_metrics{}, {{name, "x"}}), std::invalid_argument);
    BOOST_CHECK_THROW(page.add(ewyk::loop_metrics{}, {{"a", "x"}, {"a", "y"}}), std::invalid_argument);
    BOOST_TEST(text(page) == before);
}

BOOST_AUTO_TEST_CASE(families_of_the_callers_own)
{
    ewyk::prometheus_page page;
    page.add_counter("app_requests_total", "Requests, of \\ and\nmore.", 1e15, {{"a", "b"}});
    page.add_gauge("app:open", "Open.", -0.5);
    page.add_gauge("app_odd", "Odd.", std::numeric_limits<double>::quiet_NaN());
    page.add_counter("app_requests_total", "Requests, of \\ and\nmore.", 2);
    BOOST_CHECK_THROW(page.add_counter("app_requests_total", "Others.", 2), std::invalid_argument);
    BOOST_CHECK_THROW(page.add_counter("app_requests", "x", 2), std::invalid_argument);
    BOOST_CHECK_THROW(page.add_gauge("app requests", "x", 2), std::invalid_argument);
    exposition const read(text(page));
    BOOST_TEST(read.families.size() == 3u);
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
