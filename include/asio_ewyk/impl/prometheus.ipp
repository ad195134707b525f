// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_PROMETHEUS_IPP
#define ASIO_EWYK_IMPL_PROMETHEUS_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/diagnostics/prometheus.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <stdexcept>

namespace asio_ewyk {

// Adds to the page, and takes back what it has added unless it is committed.
class prometheus_page::writer
{
public:
    using extra_label = std::pair<std::string_view, std::string_view>;

    writer(prometheus_page& page, std::vector<label> const& labels)
        : families_(page.families_)
        , labels_(labels)
    {
        before_.reserve(families_.size());
        for (family const& f : families_)
            before_.push_back(f.samples.size());
        for (label const& l : labels)
        {
            static constexpr std::array<std::string_view, 8> ours{
                "state", "queue", "kind", "le", "strategy", "sub_strategy", "worker",
                "reason"};
            bool const twice = std::count_if(labels.begin(), labels.end(),
                                   [&](label const& other) { return other.first == l.first; })
                != 1;
            if (!is_name(l.first, false) || l.first.starts_with("__") || twice
                || std::find(ours.begin(), ours.end(), l.first) != ours.end())
                throw std::invalid_argument(
                    "asio_ewyk: a label must be a name, given once, that the page does not use: "
                    + l.first);
        }
    }

    writer(writer const&) = delete;
    writer& operator=(writer const&) = delete;

    ~writer()
    {
        if (committed_)
            return;
        families_.erase(
            families_.begin() + static_cast<std::ptrdiff_t>(before_.size()), families_.end());
        for (std::size_t i = 0; i != before_.size(); ++i)
            families_[i].samples.erase(before_[i]);
    }

    void commit() noexcept { committed_ = true; }

    void counter(std::string_view name, std::string_view help, std::uint64_t value)
    {
        begin(name, help, "counter");
        sample(name, "", std::to_string(value), {});
    }

    void gauge(std::string_view name, std::string_view help, std::size_t value,
        std::initializer_list<extra_label> more = {})
    {
        begin(name, help, "gauge");
        sample(name, "", std::to_string(value), more);
    }

    // One sample for each value of a label.
    void each(std::string_view name, std::string_view help, std::string_view type,
        std::string_view key,
        std::initializer_list<std::pair<std::string_view, std::uint64_t>> values)
    {
        begin(name, help, type);
        for (auto const& [is, value] : values)
            sample(name, "", std::to_string(value), {{key, is}});
    }

    void load(std::string_view delay, std::string_view average, load_metrics const& m)
    {
        number(delay, "How long what began last had waited, or what waits now.", "gauge",
            seconds(m.delay));
        number(average, "How long tasks waited on average of about a second.", "gauge",
            seconds(m.average_delay));
    }

    void number(
        std::string_view name, std::string_view help, std::string_view type, double value)
    {
        if (!is_name(name, true))
            throw std::invalid_argument(
                "asio_ewyk: not the name of a metric: " + std::string(name));
        begin(name, help, type);
        sample(name, "", text(value), {});
    }

    // With a bucket for each octave from about 1 us to 17 s; nothing if nothing was measured.
    void histogram(std::string_view name, std::string_view help, duration_histogram const& h)
    {
        if (h.buckets.empty())
            return;
        begin(name, help, "histogram");
        for (int octave = 10; octave <= 34; ++octave)
        {
            duration_histogram::duration const bound(std::int64_t{1} << octave);
            sample(name, "_bucket", std::to_string(h.count_up_to(bound)),
                {{"le", text(seconds(bound))}});
        }
        sample(name, "_bucket", std::to_string(h.count), {{"le", "+Inf"}});
        sample(name, "_sum", text(seconds(h.sum)), {});
        sample(name, "_count", std::to_string(h.count), {});
        std::string const longest(std::string(name) + "_max");
        begin(longest, "The longest so far of " + std::string(name) + ".", "gauge");
        sample(longest, "", text(seconds(h.max)), {});
    }

    static double seconds(std::chrono::nanoseconds t) noexcept
    {
        return std::chrono::duration<double>(t).count();
    }

private:
    static bool is_name(std::string_view name, bool of_metric) noexcept
    {
        auto const letter = [&](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'
                || (of_metric && c == ':');
        };
        auto const digit = [](char c) { return c >= '0' && c <= '9'; };
        return !name.empty() && letter(name.front())
            && std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); });
    }

    // Neither by a stream nor by std::to_string: a locale may write another decimal point.
    static std::string text(double value)
    {
        if (std::isnan(value))
            return "NaN";
        if (std::isinf(value))
            return value < 0 ? "-Inf" : "+Inf";
        std::array<char, 32> digits;
        auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        return std::string(digits.data(), end);
    }

    static std::string escaped(std::string_view value, bool quote)
    {
        std::string out;
        for (char const c : value)
        {
            if (c == '\\' || (quote && c == '"'))
                out += '\\';
            if (c == '\n')
                out += "\\n";
            else
                out += c;
        }
        return out;
    }

    // Samples go to the family of that name from now on.
    void begin(std::string_view name, std::string_view help, std::string_view type)
    {
        std::string const n(name);
        std::string const head = "# HELP " + n + ' ' + escaped(help, false) + "\n# TYPE " + n + ' '
            + std::string(type) + '\n';
        auto found = std::find_if(
            families_.begin(), families_.end(), [&](family const& f) { return f.name == name; });
        if (found == families_.end())
            found = families_.insert(found, {n, head, ""});
        else if (found->head != head)
            throw std::invalid_argument("asio_ewyk: two metrics of the name " + n);
        samples_ = &found->samples;
    }

    void sample(std::string_view name, std::string_view suffix, std::string_view value,
        std::initializer_list<extra_label> more)
    {
        std::string& out = *samples_;
        (out += name) += suffix;
        char before = '{';
        auto const add = [&](std::string_view n, std::string_view v) {
            out += before;
            (out += n) += "=\"";
            (out += escaped(v, true)) += '"';
            before = ',';
        };
        for (label const& l : labels_)
            add(l.first, l.second);
        for (auto const& [n, v] : more)
            add(n, v);
        if (before == ',')
            out += '}';
        out += ' ';
        (out += value) += '\n';
    }

    std::vector<family>& families_;
    std::vector<std::size_t> before_; // how long the samples of each family were
    bool committed_ = false;
    std::vector<label> const& labels_;
    std::string* samples_ = nullptr;
};

ASIO_EWYK_DECL std::ostream& operator<<(std::ostream& out, prometheus_page const& page)
{
    for (prometheus_page::family const& f : page.families_)
        out << f.head << f.samples;
    return out;
}

ASIO_EWYK_DECL void prometheus_page::add(
    strategy_metrics const& m, std::vector<label> const& labels)
{
    writer w(*this, labels);
    w.gauge("asio_ewyk_context_info", "The strategy of the context; always 1.", 1,
        {{"strategy", to_string(m.strategy)}});
    w.each("asio_ewyk_context_tasks_total", "Tasks that have begun.", "counter", "sub_strategy",
        {{"produce_consume", m.produce_consume},
            {"produce_invoke_consume", m.produce_invoke_consume},
            {"produce_execute_consume", m.produce_execute_consume},
            {"execute_produce_consume", m.execute_produce_consume}, {"on_lease", m.on_lease}});
    w.each("asio_ewyk_context_hand_overs_total",
        "Times that production went to another thread because of a task.", "counter", "kind",
        {{"eager", m.execute_produce_consume}, {"lazy", m.taken_over}});
    w.counter("asio_ewyk_context_superseded_total",
        "Threads that came back after a hand-over while another one produced.", m.superseded);
    w.counter("asio_ewyk_context_exceptions_total",
        "Exceptions of tasks that left run() or reached on_exception.", m.exceptions);
    w.gauge("asio_ewyk_context_sentinel_refused",
        "1 if the system has refused a thread of idle priority.", m.sentinel_refused);
    w.gauge("asio_ewyk_context_probe_refused",
        "1 if the system does not tell what a thread does.", m.probe_refused);
    w.each("asio_ewyk_context_queued_tasks", "Tasks that wait.", "gauge", "queue",
        {{"context", m.queued}, {"pool", m.queued_in_pool}});
    w.gauge("asio_ewyk_context_queued_tasks_max",
        "The most tasks so far that waited in the context's own queue.", m.queued_max);
    w.each("asio_ewyk_context_threads",
        "Callers of run() that work, and that have nothing to do.", "gauge", "state",
        {{"working", m.callers - m.parked_callers}, {"parked", m.parked_callers}});
    w.load("asio_ewyk_context_load_delay_seconds", "asio_ewyk_context_load_average_delay_seconds",
        m.load);
    w.gauge("asio_ewyk_context_threads_left",
        "Threads that have nothing to do, or could be started.", m.load.threads_left);
    w.histogram("asio_ewyk_context_queue_delay_seconds",
        "Time from the submission of a task until it began.", m.queue_delay);
    w.histogram("asio_ewyk_context_run_time_seconds", "Time that a task ran.", m.run_time);
    w.commit();
}

ASIO_EWYK_DECL void prometheus_page::add(pool_metrics const& m, std::vector<label> const& labels)
{
    writer w(*this, labels);
    w.counter("asio_ewyk_pool_tasks_total", "Functions submitted to the pool that have begun.",
        m.tasks);
    w.each("asio_ewyk_pool_queue_full_total", "Tasks that found the queue full.", "counter", "kind",
        {{"refused", m.refused}, {"run_by_caller", m.run_by_caller}});
    w.counter("asio_ewyk_pool_exceptions_total", "Exceptions that reached on_exception.",
        m.exceptions);
    w.counter("asio_ewyk_pool_thread_starts_total", "Threads started.", m.starts);
    w.counter("asio_ewyk_pool_thread_start_failures_total",
        "Threads that the system would not start.", m.start_failures);
    w.counter("asio_ewyk_pool_low_on_threads_total",
        "Times when tasks began to wait and no thread could come.", m.low_on_threads);
    w.gauge("asio_ewyk_pool_low_on_threads", "1 while tasks wait and no thread can come.",
        m.low_on_threads_now);
    w.gauge("asio_ewyk_pool_threads_leased", "Threads that are leased.", m.leased);
    w.each("asio_ewyk_pool_threads", "Threads of the pool.", "gauge", "state",
        {{"starting", m.starting}, {"parked", m.parked}, {"producing", m.producing},
            {"running", m.running}});
    w.gauge("asio_ewyk_pool_threads_max", "The most threads that the pool may have.",
        m.max_threads);
    w.gauge("asio_ewyk_pool_queued_tasks", "Tasks that wait for a thread.", m.queued);
    w.gauge("asio_ewyk_pool_queued_tasks_max", "The most tasks so far that waited for a thread.",
        m.queued_max);
    w.load("asio_ewyk_pool_load_delay_seconds", "asio_ewyk_pool_load_average_delay_seconds",
        m.load);
    w.gauge("asio_ewyk_pool_threads_left",
        "Threads that have nothing to do, or could be started.", m.load.threads_left);
    w.histogram("asio_ewyk_pool_queue_delay_seconds",
        "Time from the submission of a function until it began.", m.queue_delay);
    w.histogram("asio_ewyk_pool_run_time_seconds", "Time that a function ran.", m.run_time);
    w.commit();
}

ASIO_EWYK_DECL void prometheus_page::add(loop_metrics const& m, std::vector<label> const& labels)
{
    writer w(*this, labels);
    w.each("asio_ewyk_loop_tasks_total", "What the loop has begun to run.", "counter", "kind",
        {{"submitted", m.tasks}, {"in_place", m.in_place}, {"scheduled", m.scheduled}});
    w.counter("asio_ewyk_loop_exceptions_total", "Exceptions that reached on_exception.",
        m.exceptions);
    w.number("asio_ewyk_loop_cpu_seconds_total", "CPU time of the loop's thread.", "counter",
        writer::seconds(m.cpu_time));
    w.gauge("asio_ewyk_loop_queued_tasks", "Tasks that wait.", m.queued);
    w.gauge("asio_ewyk_loop_queued_tasks_max", "The most tasks so far that waited.", m.queued_max);
    w.load("asio_ewyk_loop_load_delay_seconds", "asio_ewyk_loop_load_average_delay_seconds",
        m.load);
    w.histogram("asio_ewyk_loop_queue_delay_seconds",
        "Time from the submission of a task until it began.", m.queue_delay);
    w.histogram("asio_ewyk_loop_run_time_seconds", "Time that a task or a completion ran.",
        m.run_time);
    w.histogram("asio_ewyk_loop_poll_delay_seconds",
        "Time that a round of tasks kept I/O waiting.", m.poll_delay);
    w.commit();
}

ASIO_EWYK_DECL void prometheus_page::add(serve_metrics const& m, std::vector<label> const& labels)
{
    writer w(*this, labels);
    w.counter("asio_ewyk_serve_accepted_total", "Connections accepted in order to be served.",
        m.accepted);
    w.counter("asio_ewyk_serve_refused_total", "Connections accepted and closed at once.",
        m.refused);
    w.counter("asio_ewyk_serve_failed_sessions_total",
        "Sessions that ended by an exception or could not begin.", m.failed);
    w.counter("asio_ewyk_serve_accept_errors_total", "Times that nothing could be accepted.",
        m.accept_errors);
    w.counter("asio_ewyk_serve_passed_over_total",
        "Times that a worker did not get a client that was its own.", m.passed_over);
    w.gauge("asio_ewyk_serve_connections", "Connections that have a session.", m.open);
    w.gauge("asio_ewyk_serve_backing_off",
        "Listening sockets that are left alone, after an error or because of an overload.",
        m.backing_off);
    w.gauge("asio_ewyk_serve_workers_left_out",
        "Workers that get no clients: being shut down, or ended.", m.workers_left_out);
    for (std::size_t i = 0; i != m.open_by_worker.size(); ++i)
        w.gauge("asio_ewyk_serve_worker_connections",
            "Connections that have a session on that worker.", m.open_by_worker[i],
            {{"worker", std::to_string(i)}});
    w.commit();
}

ASIO_EWYK_DECL void prometheus_page::add(shed_metrics const& m, std::vector<label> const& labels)
{
    writer w(*this, labels);
    w.each("asio_ewyk_shed_refused_total", "Work that was refused.", "counter", "reason",
        {{"overload", m.refused}, {"late", m.late}});
    w.number("asio_ewyk_shed_queue_delay_seconds", "How long what began last had waited.", "gauge",
        writer::seconds(m.queue_delay));
    w.gauge("asio_ewyk_shed_overloaded", "Whether all delays are too long.", m.overloaded ? 1 : 0);
    w.commit();
}

ASIO_EWYK_DECL void prometheus_page::add_counter(std::string_view name, std::string_view help,
    double value, std::vector<label> const& labels)
{
    if (!name.ends_with("_total"))
        throw std::invalid_argument(
            "asio_ewyk: a counter's name ends with _total: " + std::string(name));
    writer w(*this, labels);
    w.number(name, help, "counter", value);
    w.commit();
}

ASIO_EWYK_DECL void prometheus_page::add_gauge(std::string_view name, std::string_view help,
    double value, std::vector<label> const& labels)
{
    writer w(*this, labels);
    w.number(name, help, "gauge", value);
    w.commit();
}

} // namespace asio_ewyk

#endif
