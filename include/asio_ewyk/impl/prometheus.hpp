// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_PROMETHEUS_HPP
#define ASIO_EWYK_IMPL_PROMETHEUS_HPP

#include <asio_ewyk/diagnostics/prometheus.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tuple>

namespace asio_ewyk {

// Adds samples to a page.
class prometheus_page::writer
{
public:
    // Each metric's name begins with the prefix.
    writer(prometheus_page& page, std::vector<label> const& labels, std::string_view prefix = {})
        : families_(page.families_)
        , prefix_(prefix)
    {
        static constexpr std::array<std::string_view, 10> ours{"state", "queue", "kind",
            "le", "strategy", "sub_strategy", "worker", "reason", "operation", "site"};
        for (label const& l : labels)
        {
            auto const same = [&](label const& other) { return other.first == l.first; };
            if (!is_name(l.first, false) || l.first.starts_with("__")
                || std::count_if(labels.begin(), labels.end(), same) != 1
                || std::find(ours.begin(), ours.end(), l.first) != ours.end())
                throw std::invalid_argument("prometheus_page::add: a label must be a name, given"
                                            " once, that the page does not use, not '"
                    + l.first + "'");
            add_label(labels_, l.first, l.second);
        }
    }

    writer(writer const&) = delete;
    writer& operator=(writer const&) = delete;

    using pairs = std::initializer_list<std::pair<std::string_view, std::string_view>>;

    // A counter if its name ends with `_total`, else a gauge. A time is written in seconds.
    void add(std::string_view name, std::string_view help, auto value, pairs more_labels = {})
    {
        begin(name, help, name.ends_with("_total") ? "counter" : "gauge");
        sample("", text(value), more_labels);
    }

    // A sample for each value of a label.
    void add(std::string_view name, std::string_view help, std::string_view key,
        std::initializer_list<std::pair<std::string_view, std::uint64_t>> values)
    {
        for (auto const& [is, value] : values)
            add(name, help, value, {{key, is}});
    }

    void load(load_metrics const& m)
    {
        add("load_delay_seconds", "How long what began last had waited, or what waits now.",
            m.delay);
        add("load_average_delay_seconds", "How long tasks waited on average of about a second.",
            m.average_delay);
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
            sample("_bucket", text(h.count_up_to(bound)), {{"le", text(bound)}});
        }
        sample("_bucket", text(h.count), {{"le", "+Inf"}});
        sample("_sum", text(h.sum));
        sample("_count", text(h.count));
        std::string const longest = "The longest so far of " + current_->name + '.';
        begin(std::string(name) + "_max", longest, "gauge");
        sample("", text(h.max));
    }

    static bool is_name(std::string_view name, bool of_metric) noexcept
    {
        static constexpr std::string_view digits = "0123456789";
        static constexpr std::string_view allowed
            = ":_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        return name.find_first_not_of(digits) == 0
            && name.find_first_not_of(allowed.substr(of_metric ? 0 : 1)) == name.npos;
    }

private:
    static std::string text(std::integral auto n) { return std::to_string(n); }
    static std::string text(std::chrono::nanoseconds t)
    {
        return text(std::chrono::duration<double>(t).count());
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
        std::string const n = std::string(prefix_).append(name);
        std::string const head = "# HELP " + n + ' ' + escaped(help, false) + "\n# TYPE " + n + ' '
            + std::string(type) + '\n';
        auto found = std::find_if(
            families_.begin(), families_.end(), [&](family const& f) { return f.name == n; });
        if (found == families_.end())
            found = families_.insert(found, {n, head, ""});
        else if (found->head != head)
            throw std::invalid_argument(
                "prometheus_page::add: metrics of one name must have one help and type, not '" + n
                + "'");
        current_ = &*found;
    }

    static void add_label(std::string& to, std::string_view name, std::string_view is)
    {
        to.append(to.empty() ? "" : ",").append(name).append("=\"");
        to.append(escaped(is, true)).append("\"");
    }

    void sample(std::string_view suffix, std::string_view value, pairs more_labels = {})
    {
        std::string labels = labels_;
        for (auto const& [key, is] : more_labels)
            add_label(labels, key, is);
        if (!labels.empty())
            labels = '{' + labels + '}';
        current_->samples.append(current_->name).append(suffix).append(labels);
        current_->samples.append(" ").append(value).append("\n");
    }

    std::vector<family>& families_;
    std::string_view const prefix_;
    std::string labels_; // as they are written
    family* current_ = nullptr;
};

inline std::ostream& operator<<(std::ostream& out, prometheus_page const& page)
{
    for (prometheus_page::family const& f : page.families_)
        out << f.head << f.samples;
    return out;
}

inline void prometheus_page::add(
    strategy_metrics const& m, std::vector<label> const& labels)
{
    writer w(*this, labels, "asio_ewyk_context_");
    w.add("info", "The strategy of the context; always 1.", "strategy",
        {{to_string(m.strategy), 1}});
    w.add("tasks_total", "Tasks that have begun.", "sub_strategy",
        {{"produce_consume", m.produce_consume},
            {"produce_invoke_consume", m.produce_invoke_consume},
            {"produce_execute_consume", m.produce_execute_consume},
            {"execute_produce_consume", m.execute_produce_consume}, {"on_lease", m.on_lease}});
    w.add("hand_overs_total", "Times that production went to another thread because of a task.",
        "kind", {{"eager", m.execute_produce_consume}, {"lazy", m.taken_over}});
    w.add("not_taken_over_total", "Late tasks for which no thread could be had.",
        m.not_taken_over);
    w.add("superseded_total",
        "Threads that came back after a hand-over while another one produced.", m.superseded);
    w.add("exceptions_total", "Exceptions of tasks that left run() or reached on_exception.",
        m.exceptions);
    w.add("sentinel_refused", "1 if the system has refused a thread of idle priority.",
        m.sentinel_refused);
    w.add("probe_refused", "1 if the system does not tell what a thread does.", m.probe_refused);
    w.add("waits_observed", "1 if the context is told when its producer waits for I/O.",
        m.waits_observed);
    w.add("queued_tasks", "Tasks that wait.", "queue",
        {{"context", m.queued}, {"pool", m.queued_in_pool}});
    w.add("queued_tasks_max", "The most tasks so far that waited in the context's own queue.",
        m.queued_max);
    w.add("threads", "Callers of run() that work, and that have nothing to do.", "state",
        {{"working", m.callers - m.parked_callers}, {"parked", m.parked_callers}});
    w.load(m.load);
    w.add("threads_left", "Threads that have nothing to do, or could be started.",
        m.load.threads_left);
    w.histogram("queue_delay_seconds", "Time from the submission of a task until it began.",
        m.queue_delay);
    w.histogram("run_time_seconds", "Time that a task ran.", m.run_time);
}

inline void prometheus_page::add(pool_metrics const& m, std::vector<label> const& labels)
{
    writer w(*this, labels, "asio_ewyk_pool_");
    w.add("tasks_total", "Functions submitted to the pool that have begun.", m.tasks);
    w.add("queue_full_total", "Tasks that found the queue full.", "kind",
        {{"refused", m.refused}, {"run_by_caller", m.run_by_caller}});
    w.add("exceptions_total", "Exceptions that reached on_exception.", m.exceptions);
    w.add("thread_starts_total", "Threads started.", m.starts);
    w.add("thread_start_failures_total", "Threads that the system would not start.",
        m.start_failures);
    w.add("low_on_threads_total", "Times when tasks began to wait and no thread could come.",
        m.low_on_threads);
    w.add("low_on_threads", "1 while tasks wait and no thread can come.", m.low_on_threads_now);
    w.add("threads", "Threads of the pool.", "state",
        {{"starting", m.starting}, {"parked", m.parked}, {"producing", m.producing},
            {"running", m.running}});
    w.add("threads_max", "The most threads that the pool may have.", m.max_threads);
    w.add("queued_tasks", "Tasks that wait for a thread.", m.queued);
    w.add("queued_tasks_max", "The most tasks so far that waited for a thread.", m.queued_max);
    w.load(m.load);
    w.add("threads_left", "Threads that have nothing to do, or could be started.",
        m.load.threads_left);
    w.histogram("queue_delay_seconds", "Time from the submission of a function until it began.",
        m.queue_delay);
    w.histogram("run_time_seconds", "Time that a function ran.", m.run_time);
}

inline void prometheus_page::add(loop_metrics const& m, std::vector<label> const& labels)
{
    writer w(*this, labels, "asio_ewyk_loop_");
    w.add("tasks_total", "What the loop has begun to run.", "kind",
        {{"submitted", m.tasks}, {"in_place", m.in_place}, {"scheduled", m.scheduled}});
    w.add("exceptions_total", "Exceptions that reached on_exception.", m.exceptions);
    w.add("cpu_seconds_total", "CPU time of the loop's thread.", m.cpu_time);
    w.add("queued_tasks", "Tasks that wait.", m.queued);
    w.add("queued_tasks_max", "The most tasks so far that waited.", m.queued_max);
    w.load(m.load);
    w.histogram("queue_delay_seconds", "Time from the submission of a task until it began.",
        m.queue_delay);
    w.histogram("run_time_seconds", "Time that a task or a completion ran.", m.run_time);
    w.histogram("poll_delay_seconds", "Time that a round of tasks kept I/O waiting.",
        m.poll_delay);
}

inline void prometheus_page::add(serve_metrics const& m, std::vector<label> const& labels)
{
    writer w(*this, labels, "asio_ewyk_serve_");
    w.add("accepted_total", "Connections accepted in order to be served.", m.accepted);
    w.add("refused_total", "Connections accepted and closed at once.", m.refused);
    w.add("failed_sessions_total", "Sessions that ended by an exception or could not begin.",
        m.failed);
    w.add("accept_errors_total", "Times that nothing could be accepted.", m.accept_errors);
    w.add("passed_over_total", "Times that a worker did not get a client that was its own.",
        m.passed_over);
    w.add("connections", "Connections that have a session.", m.open);
    w.add("backing_off",
        "Listening sockets that are left alone, after an error or because of an overload.",
        m.backing_off);
    w.add("workers_left_out", "Workers that get no clients: being shut down, or ended.",
        m.workers_left_out);
    for (std::size_t i = 0; i != m.open_by_worker.size(); ++i)
        w.add("worker_connections", "Connections that have a session on that worker.", "worker",
            {{std::to_string(i), m.open_by_worker[i]}});
}

inline void prometheus_page::add(shed_metrics const& m, std::vector<label> const& labels)
{
    writer w(*this, labels, "asio_ewyk_shed_");
    w.add("refused_total", "Work that was refused.", "reason",
        {{"overload", m.refused}, {"late", m.late}});
    w.add("queue_delay_seconds", "How long what began last had waited.", m.queue_delay);
    w.add("overloaded", "Whether all delays are too long.", m.overloaded);
}

inline void prometheus_page::add(
    std::vector<tracking::operation> const& pending, std::vector<label> const& labels)
{
    std::map<std::tuple<std::string_view, std::string_view, tracking::operation_state>, std::size_t>
        n;
    for (tracking::operation const& o : pending)
        ++n[{o.kind, o.name, o.state}];
    writer w(*this, labels, "asio_ewyk_tracking_");
    for (auto const& [of, count] : n)
        w.add("operations", "Operations of Asio that have not ended.", count,
            {{"kind", std::get<0>(of)}, {"operation", std::get<1>(of)},
                {"state", to_string(std::get<2>(of))}});
}

inline void prometheus_page::add(
    std::vector<tracking::site> const& profile, std::vector<label> const& labels)
{
    writer w(*this, labels, "asio_ewyk_tracking_");
    for (tracking::site const& s : profile)
    {
        std::string const site = s.location
            ? s.location->file_name() + (':' + std::to_string(s.location->line()))
            : s.type;
        std::string const operation
            = s.composed ? s.name + (" in " + std::string(s.composed)) : std::string(s.name);
        auto const add = [&](std::string_view name, std::string_view help, auto value) {
            w.add(name, help, value,
                {{"kind", s.kind}, {"operation", operation}, {"site", site}});
        };
        add("handlers_total", "Handlers that have ended.", s.handlers);
        add("destroyed_total", "Handlers that were destroyed without having been called.",
            s.destroyed);
        add("waits_total", "Handlers of which it is known how long they waited.", s.waits);
        add("wait_seconds_total", "Time from when they were ready until they began.", s.waited);
        add("wait_seconds_max", "The longest of these times.", s.longest_wait);
        add("run_seconds_total", "Time that handlers ran.", s.ran);
        add("run_seconds_max", "The longest of these times.", s.longest_run);
        add("blocks_total", "Handlers from whose thread another one took over.", s.blocks);
        add("block_seconds_total", "Time that these ran after that.", s.blocked);
        add("block_seconds_max", "The longest of these times.", s.longest_block);
    }
}

inline void prometheus_page::add(std::string_view name, std::string_view help, double value,
    std::vector<label> const& labels)
{
    writer w(*this, labels);
    if (!w.is_name(name, true))
        throw std::invalid_argument("prometheus_page::add: name must be that of a metric, not '"
            + std::string(name) + "'");
    w.add(name, help, value);
}

} // namespace asio_ewyk

#endif
