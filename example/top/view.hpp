// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_TOP_VIEW_HPP
#define ASIO_EWYK_EXAMPLE_TOP_VIEW_HPP

#include "page.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace top {

/// What the sites of the profile are sorted by.
enum class site_order
{
    ran,
    waited,
    blocked,
    handlers,
};

/** What happened between two pages of the same server, as lines of text.

    A counter that is less than before belongs to a server that was started again, and counts from
    0. What was not there before counts from 0 as well.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
class view
{
public:
    view(std::vector<sample> const& before, std::vector<sample> const& now, double seconds,
        site_order order = site_order::ran)
      : seconds_(seconds)
      , order_(order)
    {
        std::map<std::string, double> old;
        for (auto const& s : before)
            old[key(s)] = s.value;
        for (auto const& s : now)
        {
            auto const found = old.find(key(s));
            double const base = found == old.end() || found->second > s.value ? 0 : found->second;
            lines_[owner(s)].push_back({s, s.value - base});
        }
    }

    /// The tables, each line with its end.
    std::string text() const
    {
        std::string out;
        add(out, "context",
            "strategy                  tasks/s      PC     PIC     PEC     EPC   lease   eager"
            "    lazy  late/s queued   waited  delay p50      p99    run p50      p99",
            &view::context);
        add(out, "pool",
            "threads   of start park prod  run  tasks/s  starts failed refused queued   waited"
            "  delay p50      p99    run p50      p99",
            &view::pool);
        add(out, "loop",
            "tasks/s  inplace   later  CPU % queued   waited  delay p50      p99    run p50"
            "      p99   poll p99",
            &view::loop);
        add(out, "serve",
            "   open  busiest accepted/s refused/s failed/s  errors  backs off  left out",
            &view::serve);
        operations(out);
        sites(out);
        if (out.empty())
            out = "nothing that counts is there: no context, pool, loop or serve of asio_ewyk\n";
        return out;
    }

private:
    struct line
    {
        sample what;
        double more = 0;    // than before
    };

    /// What the samples are about: `context`, `pool`, `loop` or `serve`, and the labels that tell
    /// which.
    using whose = std::pair<std::string, std::string>;

    static bool is_ours(std::string const& label)
    {
        for (auto ours : {"state", "queue", "kind", "le", "strategy", "sub_strategy",
                 "worker"})
            if (label == ours)
                return true;
        return false;
    }

    static whose owner(sample const& s)
    {
        static constexpr std::string_view prefix = "asio_ewyk_";
        if (!s.name.starts_with(prefix))
            return {};
        auto const rest = s.name.substr(prefix.size());
        std::string which;
        for (auto const& [name, value] : s.labels)
            if (!is_ours(name))
                which += (which.empty() ? "" : ",") + value;
        return {rest.substr(0, rest.find('_')), which};
    }

    static std::string key(sample const& s)
    {
        std::string k = s.name;
        for (auto const& [name, value] : s.labels)
            k += '\0' + name + '\0' + value;
        return k;
    }

    void add(std::string& out, std::string const& kind, char const* heads,
        void (view::*row)(std::string&, whose const&) const) const
    {
        bool first = true;
        for (auto const& [of, all] : lines_)
        {
            if (of.first != kind)
                continue;
            if (std::exchange(first, false))
                out += format("%-14s %s\n", kind.c_str(), heads);
            out += format("%-14.14s ", printable(of.second).c_str());
            (this->*row)(out, of);
            out += '\n';
        }
    }

    void context(std::string& out, whose const& of) const
    {
        std::string strategy;
        for (auto const& l : lines_.at(of))
            if (l.what.name == "asio_ewyk_context_info")
                strategy = printable(l.what.label("strategy"));
        out += format("%-23.23s", strategy.c_str());
        std::string const tasks = "asio_ewyk_context_tasks_total";
        out += rate(of, 10, tasks);
        for (auto sub : {"produce_consume", "produce_invoke_consume", "produce_execute_consume",
                 "execute_produce_consume", "on_lease"})
            out += rate(of, 8, tasks, "sub_strategy", sub);
        for (auto kind : {"eager", "lazy"})
            out += rate(of, 8, "asio_ewyk_context_hand_overs_total", "kind", kind);
        out += rate(of, 8, "asio_ewyk_context_superseded_total");
        out += amount(of, 7, "asio_ewyk_context_queued_tasks");
        out += waited(of);
        latencies(out, of);
    }

    void pool(std::string& out, whose const& of) const
    {
        std::string const threads = "asio_ewyk_pool_threads";
        out += amount(of, 7, threads) + amount(of, 5, threads + "_max");
        for (auto state : {"starting", "parked", "producing", "running"})
        {
            bool const first = state == std::string_view("starting");
            out += amount(of, first ? 6 : 5, threads, "state", state);
        }
        out += rate(of, 9, "asio_ewyk_pool_tasks_total");
        out += rate(of, 8, "asio_ewyk_pool_thread_starts_total");
        out += amount(of, 7, "asio_ewyk_pool_thread_start_failures_total");
        out += rate(of, 8, "asio_ewyk_pool_queue_full_total", "kind", "refused");
        out += amount(of, 7, "asio_ewyk_pool_queued_tasks");
        out += waited(of);
        latencies(out, of);
    }

    void loop(std::string& out, whose const& of) const
    {
        std::string const tasks = "asio_ewyk_loop_tasks_total";
        out += rate(of, 7, tasks, "kind", "submitted") + rate(of, 9, tasks, "kind", "in_place")
            + rate(of, 8, tasks, "kind", "scheduled");
        out += format("%7.1f", 100 * more(of, "asio_ewyk_loop_cpu_seconds_total") / seconds_);
        out += amount(of, 7, "asio_ewyk_loop_queued_tasks");
        out += waited(of);
        latencies(out, of);
        out += quantile(of, 11, "asio_ewyk_loop_poll_delay_seconds", 0.99);
    }

    void serve(std::string& out, whose const& of) const
    {
        double busiest = 0;
        for (auto const& l : lines_.at(of))
            if (l.what.name == "asio_ewyk_serve_worker_connections")
                busiest = std::max(busiest, l.what.value);
        out += amount(of, 7, "asio_ewyk_serve_connections") + format("%9.0f", busiest);
        out += rate(of, 11, "asio_ewyk_serve_accepted_total")
            + rate(of, 10, "asio_ewyk_serve_refused_total")
            + rate(of, 9, "asio_ewyk_serve_failed_sessions_total");
        out += format("%8.0f", more(of, "asio_ewyk_serve_accept_errors_total"));
        out += amount(of, 11, "asio_ewyk_serve_backing_off");
        out += amount(of, 10, "asio_ewyk_serve_workers_left_out");
    }

    /// What Asio has not ended, of a server that is compiled with its hook.
    void operations(std::string& out) const
    {
        std::map<std::string, std::map<std::string, double>> all; // by operation, then state
        for (auto const& [of, lines] : lines_)
            for (auto const& l : lines)
                if (l.what.name == "asio_ewyk_tracking_operations")
                    all[l.what.label("kind") + ' ' + l.what.label("operation")]
                       [l.what.label("state")] += l.what.value;
        if (all.empty())
            return;
        out += format("%-40s %9s %9s %9s %9s\n", "operations", "pending", "ready", "running",
            "destroyed");
        for (auto& [name, n] : all)
            out += format("%-40.40s %9.0f %9.0f %9.0f %9.0f\n", printable(name).c_str(),
                n["pending"], n["ready"], n["running"], n["destroyed"]);
    }

    /// Where handlers spent their time in between: the first ones by the order.
    struct site
    {
        double handlers = 0;
        double ran = 0;
        double waits = 0;
        double waited = 0;
        double blocks = 0;
        double blocked = 0;
        double longest_run = 0; // since the profile began

        double by(site_order o) const
        {
            switch (o)
            {
            case site_order::ran:
                return ran;
            case site_order::waited:
                return waited;
            case site_order::blocked:
                return blocked;
            default:
                return handlers;
            }
        }
    };

    void sites(std::string& out) const
    {
        static constexpr std::pair<char const*, double site::*> counted[] = {
            {"handlers_total", &site::handlers}, {"run_seconds_total", &site::ran},
            {"waits_total", &site::waits}, {"wait_seconds_total", &site::waited},
            {"blocks_total", &site::blocks}, {"block_seconds_total", &site::blocked}};
        std::map<std::string, site> all;
        for (auto const& [of, lines] : lines_)
            for (auto const& l : lines)
            {
                std::string const name = short_site(l.what.label("site")) + ' '
                    + l.what.label("kind") + ' ' + l.what.label("operation");
                for (auto const& [suffix, to] : counted)
                    if (l.what.name == std::string("asio_ewyk_tracking_") + suffix)
                        all[name].*to += l.more;
                if (l.what.name == "asio_ewyk_tracking_run_seconds_max")
                    all[name].longest_run = std::max(all[name].longest_run, l.what.value);
            }
        if (all.empty())
            return;
        std::vector<std::pair<std::string, site>> sorted(all.begin(), all.end());
        std::stable_sort(sorted.begin(), sorted.end(), [&](auto const& a, auto const& b) {
            return a.second.by(order_) > b.second.by(order_);
        });
        sorted.resize(std::min(sorted.size(), most_sites));
        out += format("%-60s %10s %8s %9s %9s %9s %8s %10s\n", "site", "handlers/s", "CPUs",
            "mean run", "longest", "mean wait", "blocks/s", "mean block");
        for (auto const& [name, s] : sorted)
            out += format("%-60.60s %10.0f %8.3f %9s %9s %9s %8.0f %10s\n",
                printable(name).c_str(), s.handlers / seconds_, s.ran / seconds_,
                mean(s.ran, s.handlers).c_str(), duration(s.longest_run).c_str(),
                mean(s.waited, s.waits).c_str(), s.blocks / seconds_,
                mean(s.blocked, s.blocks).c_str());
    }

    static std::string mean(double seconds, double n)
    {
        return n > 0 ? duration(seconds / n) : "-";
    }

    /// A location without its directory; a type, where none is known, as it is.
    static std::string short_site(std::string const& site)
    {
        auto const slash = site.find_last_of("/\\");
        bool const is_type = site.find_first_of("<(") != site.npos;
        return is_type || slash == site.npos ? site : site.substr(slash + 1);
    }

    /// On average of about a second.
    std::string waited(whose const& of) const
    {
        std::string const name = "asio_ewyk_" + of.first + "_load_average_delay_seconds";
        double const seconds
            = sum(of, name, {}, {}, [](line const& l) { return l.what.value; });
        return format("%9s", seconds > 0 ? duration(seconds).c_str() : "-");
    }

    void latencies(std::string& out, whose const& of) const
    {
        for (auto name : {"queue_delay", "run_time"})
        {
            auto const full = "asio_ewyk_" + of.first + '_' + name + "_seconds";
            out += quantile(of, 11, full, 0.5) + quantile(of, 9, full, 0.99);
        }
    }

    template <class F>
    double sum(whose const& of, std::string const& name, std::string const& label,
        std::string const& value, F f) const
    {
        double all = 0;
        for (auto const& l : lines_.at(of))
            if (l.what.name == name && (label.empty() || l.what.label(label) == value))
                all += f(l);
        return all;
    }

    double more(whose const& of, std::string const& name, std::string const& label = {},
        std::string const& value = {}) const
    {
        return sum(of, name, label, value, [](line const& l) { return l.more; });
    }

    std::string rate(whose const& of, int width, std::string const& name,
        std::string const& label = {}, std::string const& value = {}) const
    {
        return format("%*.0f", width, more(of, name, label, value) / seconds_);
    }

    std::string amount(whose const& of, int width, std::string const& name,
        std::string const& label = {}, std::string const& value = {}) const
    {
        return format("%*.0f", width,
            sum(of, name, label, value, [](line const& l) { return l.what.value; }));
    }

    /// Of what was counted in this time: the bound of a bucket; `-` if there was nothing.
    std::string quantile(whose const& of, int width, std::string const& name, double share) const
    {
        std::map<double, double> buckets;
        for (auto const& l : lines_.at(of))
            if (l.what.name == name + "_bucket")
                buckets[detail::number(l.what.label("le"))] += l.more;
        double const all = buckets.empty() ? 0 : buckets.rbegin()->second;
        if (all > 0)
            for (auto const& [bound, count] : buckets)
                if (count >= share * all)
                    return format("%*s", width, duration(bound).c_str());
        return format("%*s", width, "-");
    }

    static std::string duration(double seconds)
    {
        if (std::isinf(seconds))
            return ">17 s";
        if (seconds < 1e-3)
            return format("%.3g us", seconds * 1e6);
        if (seconds < 1)
            return format("%.3g ms", seconds * 1e3);
        return format("%.3g s", seconds);
    }

    /// A server must not be able to move the cursor.
    static std::string printable(std::string text)
    {
        std::replace_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
        return text;
    }

    template <class... Args>
    static std::string format(char const* how, Args... args)
    {
        char out[256];
        auto const size = std::snprintf(out, sizeof out, how, args...);
        return std::string(
            out, std::min(sizeof out - 1, static_cast<std::size_t>(std::max(0, size))));
    }

    static constexpr std::size_t most_sites = 10;

    double seconds_;
    site_order order_;
    std::map<whose, std::vector<line>> lines_;
};

}

#endif
