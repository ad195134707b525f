// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_REPORT_FLIGHT_RECORDER_IPP
#define ASIO_EWYK_DETAIL_REPORT_FLIGHT_RECORDER_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/diagnostics/json_text.hpp>
#include <asio_ewyk/detail/diagnostics/stall_monitor.hpp>
#include <asio_ewyk/detail/diagnostics/trace_writer.hpp>
#include <asio_ewyk/detail/os/date.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/detail/report/flight_recorder.hpp>
#include <asio_ewyk/detail/utility/at_exit.hpp>
#include <asio_ewyk/detail/utility/checked_option.hpp>
#include <asio_ewyk/diagnostics/dump.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <new>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace asio_ewyk::detail {

// A program that has this has the recorder.
inline bool const flight_recorder_is_linked = report_client::link(
    []() noexcept -> report_client& { return flight_recorder::instance(); });

ASIO_EWYK_DECL ASIO_EWYK_COLD void check_keep_options(trace::keep_options const& o)
{
    using namespace std::chrono_literals;
    check_option(o.last >= 1ms, "trace::keep_options::last", "at least 1 ms", o.last);
    check_option(o.when.queued >= 0ns, "trace::keep_when::queued", "at least 0", o.when.queued);
    check_option(o.when.ran >= 0ns, "trace::keep_when::ran", "at least 0", o.when.ran);
    check_option(!o.to.empty(), "trace::keep_options::to",
        "the name of a directory, of at least 1 character", o.to.native().size());
    check_option(o.at_most >= 1, "trace::keep_options::at_most", "at least 1", o.at_most);
    check_option(o.every >= 0ns, "trace::keep_options::every", "at least 0", o.every);
    check_option(o.events_per_thread >= 1, "trace::keep_options::events_per_thread", "at least 1",
        o.events_per_thread);
}

// Of what follows the directory, as "ran=100ms". False if it makes no sense.
ASIO_EWYK_COLD inline bool read_keep_option(trace::keep_options& o, std::string_view text)
{
    auto const equals = text.find('=');
    if (equals == text.npos)
        return false;
    std::string_view const name = text.substr(0, equals), value = text.substr(equals + 1);
    for (auto const& [is, time] : {std::pair{"last", &o.last}, std::pair{"every", &o.every},
             std::pair{"queued", &o.when.queued}, std::pair{"ran", &o.when.ran}})
        if (name == is)
        {
            auto const found = stall_threshold_from(value);
            *time = found.value_or(*time);
            return found.has_value();
        }
    std::size_t n = 0;
    auto const number = std::from_chars(value.data(), value.data() + value.size(), n);
    if (number.ec != std::errc() || number.ptr != value.data() + value.size())
        return false;
    if (name == "at_most")
        o.at_most = n;
    else if (name == "stalled" && n <= 1)
        o.when.stalled = n == 1;
    else
        return false;
    return true;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD std::optional<trace::keep_options> keep_options_from(
    std::string_view text)
{
    trace::keep_options o;
    o.to = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), text.find(',')));
    while (!text.empty())
    {
        text.remove_prefix(1);
        if (!read_keep_option(o, text.substr(0, text.find(','))))
            return std::nullopt;
        text.remove_prefix(std::min(text.size(), text.find(',')));
    }
    try
    {
        check_keep_options(o);
    }
    catch (std::invalid_argument const&)
    {
        return std::nullopt;
    }
    return o;
}

ASIO_EWYK_COLD inline std::optional<trace::keep_options> keep_options_of_environment()
{
    char const* const text = std::getenv("ASIO_EWYK_KEEP");
    auto const o = text ? keep_options_from(text) : std::nullopt;
    if (text && !o)
        std::fputs("asio_ewyk: ignored: ASIO_EWYK_KEEP is no directory with options such as"
                   " /var/tmp/app,ran=100ms\n",
            stderr);
    return o;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD flight_recorder& flight_recorder::instance() noexcept
{
    static flight_recorder& one = *new flight_recorder;
    return one;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD flight_recorder::flight_recorder()
{
    trace_log::at_stop([]() noexcept { instance().finish(); });
#if defined(ASIO_EWYK_HAS_PTHREAD)
    // Fails only without memory; then forks do not work while it writes.
    ::pthread_atfork(nullptr, nullptr, &fork_child);
#endif
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void flight_recorder::keep(trace::keep_options const& o)
{
    if (!keep_by_environment())
        begin(o);
}

// Asks once in a process.
ASIO_EWYK_DECL ASIO_EWYK_COLD bool flight_recorder::keep_by_environment()
{
    process_id const self = this_process_id();
    if (asked_by_.exchange(self) == self)
        return by_environment_.load();
    auto told = keep_options_of_environment();
    by_environment_.store(told.has_value());
    if (!told)
        return false;
    begin(std::move(*told));
    // The program may not know of it, and then ends the recording nowhere.
    std::atexit([] { trace_log::stop(); });
    return true;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void flight_recorder::begin(trace::keep_options o)
{
    trace_log::stop();
    // The program may go to another directory.
    std::error_code error;
    if (std::filesystem::path to = std::filesystem::absolute(o.to, error); !error)
        o.to = std::move(to);
    std::lock_guard const lock(state_.mutex);
    auto const limit = [](std::chrono::nanoseconds t) {
        return t.count() == 0 ? trace_limits::never : static_cast<std::uint64_t>(t.count());
    };
    trace_limits const limits{limit(o.when.queued), limit(o.when.ran)};
    trace_log::start(o.events_per_thread);
    state_.keeps = std::move(o);
    state_.finder.emplace(limits);
    state_.prepared = state_.told = false;
    state_.next = {};
    {
        std::lock_guard const empties(state_.inbox_mutex);
        state_.inbox.clear();
    }
    wants_stalls_.store(state_.keeps->when.stalled);
    trace_log::take_alarm();
    trace_log::limit(limits);
    keeping_.store(true);
    stall_monitor::instance().attach(true);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void flight_recorder::notice_context() noexcept
{
    try
    {
        keep_by_environment();
    }
    catch (...)
    {
        // No memory for it.
    }
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void flight_recorder::notice_stall(
    stall_report const& r, time_point since) noexcept
{
    if (!wants_stalls_.load())
        return;
    try
    {
        culprit c{culprit_kind::stalled,
            r.location ? place_name(r.location->file_name(), r.location->line(),
                r.location->function_name())
                       : r.handler,
            since_epoch(since), since_epoch(since + r.time), r.thread_id};
        std::lock_guard const lock(state_.inbox_mutex);
        if (state_.inbox.size() != state::most_in_inbox)
            state_.inbox.push_back(std::move(c));
    }
    catch (...)
    {
        // No memory: there is no file for it.
    }
}

ASIO_EWYK_DECL time_point flight_recorder::turn() noexcept
{
    std::lock_guard const lock(state_.mutex);
    if (!state_.keeps)
        return after(std::chrono::hours(1));
    step(taker::reporter);
    return after(std::clamp<std::chrono::nanoseconds>(
        state_.keeps->last / 8, std::chrono::milliseconds(10), std::chrono::milliseconds(250)));
}

// What has ended the recording waits for a file that is being written, and for the last one.
ASIO_EWYK_DECL ASIO_EWYK_COLD void flight_recorder::finish() noexcept
{
    std::lock_guard const lock(state_.mutex);
    if (!state_.keeps)
        return;
    trace_log::halt(); // another thread may have called keep() meanwhile
    step(taker::finisher);
    keeping_.store(false);
    wants_stalls_.store(false);
    trace_log::limit({});
    state_.keeps.reset();
    state_.finder.reset();
    stall_monitor::instance().attach(false);
}

ASIO_EWYK_DECL void flight_recorder::step(taker by) noexcept
{
    try
    {
        if (!std::exchange(state_.prepared, true))
            prepare();
        bool const late = trace_log::take_alarm();
        std::vector<culprit> stalled;
        {
            std::lock_guard const lock(state_.inbox_mutex);
            stalled.swap(state_.inbox);
        }
        if (late || !stalled.empty())
            state_.finder->find(trace_log::now().all, trace_time(), std::move(stalled));
        if (state_.finder->has_any()
            && (by == taker::finisher || std::chrono::steady_clock::now() >= state_.next))
            write_file(by);
    }
    catch (std::exception const& e)
    {
        tell_lost("", e.what());
    }
}

// What a file's name may have of it.
ASIO_EWYK_COLD inline std::string file_word(std::string_view name)
{
    static constexpr std::string_view allowed
        = "._-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static constexpr std::size_t longest = 60;
    std::string word;
    for (char const c : name)
    {
        bool const good = allowed.find(c) != allowed.npos;
        if (word.size() != longest && (good || (!word.empty() && word.back() != '-')))
            word += good ? c : '-';
    }
    while (!word.empty() && word.back() == '-')
        word.pop_back();
    return word.empty() ? "handler" : word;
}

// Members of the trace's `otherData`.
ASIO_EWYK_COLD inline std::string describe_culprits(
    std::vector<culprit> const& all, std::uint64_t left_out, trace_snapshot const& t)
{
    std::string text = ",\n\"culprits\": [";
    auto const microseconds = [&](std::uint64_t time) {
        std::uint64_t const ns = time - std::min(time, t.begin);
        std::string const part = std::to_string(1000 + ns % 1000);
        return std::to_string(ns / 1000) + '.' + part.substr(1);
    };
    for (std::size_t i = 0; i != all.size(); ++i)
    {
        culprit const& c = all[i];
        text.append(i == 0 ? "\n" : ",\n").append("{\"kind\": \"").append(c.kind_name());
        text.append("\", \"name\": ").append(json_string(c.name));
        auto const lane = std::find_if(t.lanes.begin(), t.lanes.end(),
            [&](trace_lane const& l) { return c.ring && l.ring == c.ring; });
        if (lane != t.lanes.end())
            text.append(", \"tid\": ").append(std::to_string(lane - t.lanes.begin() + 1));
        text.append(", \"os_thread\": ").append(std::to_string(c.thread));
        text.append(", \"ts\": ").append(microseconds(c.begin));
        text.append(", \"end_ts\": ").append(microseconds(c.end)).append("}");
    }
    text.append("],\n\"culprits_left_out\": ");
    return text.append(std::to_string(left_out));
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void flight_recorder::write_file(taker by)
{
    trace::keep_options const& o = *state_.keeps;
    trace_snapshot t(trace_log::now());
    std::uint64_t const now = trace_time();
    auto const last = static_cast<std::uint64_t>(o.last.count());
    t.since = std::max<std::uint64_t>(now - std::min(now, last), 1);
    t.end = std::max(t.end, now);
    std::vector<culprit> const all = state_.finder->take();
    std::string more = describe_culprits(all, state_.finder->take_left_out(), t);
    std::ostringstream text;
    dump(text);
    more.append(",\n\"dump\": ").append(json_string(text.str()));
    if (o.metrics)
        try
        {
            std::ostringstream page;
            o.metrics(page);
            more.append(",\n\"metrics\": ").append(json_string(page.str()));
        }
        catch (...)
        {
        }
    std::string const name = "ewyk-" + date_and_time() + '-'
        + std::to_string(this_process_id()) + '-' + std::string(all.front().kind_name()) + '-'
        + std::to_string(all.front().milliseconds()) + "ms-" + file_word(all.front().name)
        + ".json";
    if (by == taker::reporter)
        stall_monitor::instance().write_slowly([&] { write_file(name, more, t); });
    else
        write_file(name, more, t);
    state_.next = after(o.every);
}

// Under another name until it is complete.
ASIO_EWYK_DECL ASIO_EWYK_COLD void flight_recorder::write_file(
    std::string const& name, std::string const& more, trace_snapshot const& t)
{
    std::filesystem::path const file = unused_name(name);
    std::filesystem::path part = file;
    part += ".part";
    // Unless it has been renamed.
    at_exit const end([&]() noexcept {
        std::error_code ignored;
        std::filesystem::remove(part, ignored);
    });
    std::error_code error;
    errno = 0;
    std::ofstream out(part, std::ios::binary);
    if (out)
        trace_writer().write(out, t, more);
    out.close();
    if (!out)
        error.assign(errno != 0 ? errno : EIO, std::generic_category());
    if (!error)
    {
        prune(part.filename().string());
        std::filesystem::rename(part, file, error);
    }
    if (error)
        tell_lost(name, error.message());
}

// Two files may be written in a millisecond, or the clock may have been put back.
ASIO_EWYK_DECL ASIO_EWYK_COLD std::filesystem::path flight_recorder::unused_name(
    std::string const& name) const
{
    std::filesystem::path const wanted = state_.keeps->to / name;
    std::filesystem::path file = wanted;
    std::error_code error;
    for (int n = 2; std::filesystem::exists(file, error); ++n)
        file.replace_filename(wanted.stem().string() + '-' + std::to_string(n) + ".json");
    return file;
}

// Leaves room for one more. A process that has ended may have left a part of a file.
ASIO_EWYK_DECL ASIO_EWYK_COLD void flight_recorder::prune(std::string const& writes) const
{
    std::vector<std::string> files;
    std::error_code error;
    for (std::filesystem::directory_iterator i(state_.keeps->to, error), end; !error && i != end;
         i.increment(error))
        if (std::string name = i->path().filename().string();
            name.starts_with("ewyk-") && (name.ends_with(".json") || name.ends_with(".json.part"))
            && name != writes)
            files.push_back(std::move(name));
    std::sort(files.begin(), files.end());
    for (std::size_t i = 0; i < files.size() && files.size() - i >= state_.keeps->at_most; ++i)
        std::filesystem::remove(state_.keeps->to / files[i], error);
}

// So that what is wrong with the directory is told before there is something to write.
ASIO_EWYK_DECL ASIO_EWYK_COLD void flight_recorder::prepare()
{
    std::error_code error;
    std::filesystem::create_directories(state_.keeps->to, error);
    std::filesystem::path const probe
        = state_.keeps->to / ("ewyk-" + std::to_string(this_process_id()) + ".part");
    errno = 0;
    if (!std::ofstream(probe, std::ios::binary))
        tell_lost("", std::generic_category().message(errno != 0 ? errno : EIO));
    std::filesystem::remove(probe, error);
}

// Once. No stdio, whose lock would block all other threads that write to stderr.
ASIO_EWYK_DECL ASIO_EWYK_COLD void flight_recorder::tell_lost(
    std::string_view what, std::string_view why) noexcept
{
    if (std::exchange(state_.told, true))
        return;
    try
    {
        std::string text = "asio_ewyk: trace::keep cannot write to " + state_.keeps->to.string();
        if (!what.empty())
            text.append(", so a file is lost, ").append(what);
        text.append(": ").append(why).append("\n");
#if defined(ASIO_EWYK_HAS_PTHREAD)
        write_all(STDERR_FILENO, text.data(), text.size());
#else
        std::fputs(text.c_str(), stderr);
#endif
    }
    catch (...)
    {
        // No memory for the text.
    }
}

// Other threads may have been anywhere in it. What they had recorded is not this process's.
ASIO_EWYK_DECL ASIO_EWYK_COLD void flight_recorder::fork_child() noexcept
{
    flight_recorder& self = instance();
    bool const kept = self.keeping_.exchange(false);
    self.wants_stalls_.store(false);
    ::new (&self.state_) state;
    if (kept)
        trace_log::forget();
}

} // namespace asio_ewyk::detail

#endif
