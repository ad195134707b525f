// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_REPORT_FLIGHT_RECORDER_HPP
#define ASIO_EWYK_DETAIL_REPORT_FLIGHT_RECORDER_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/diagnostics/report_client.hpp>
#include <asio_ewyk/detail/diagnostics/trace_snapshot.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/report/culprits.hpp>
#include <asio_ewyk/diagnostics/keep_options.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace asio_ewyk::detail {

// Throws std::invalid_argument.
void check_keep_options(trace::keep_options const& o);

// What a value of the environment variable ASIO_EWYK_KEEP says; or nothing. Throws std::bad_alloc.
std::optional<trace::keep_options> keep_options_from(std::string_view text);

// Keeps the last seconds of the trace in files when a handler was late, one for the process.
//
// The threads that run handlers write into their rings. A thread whose handler was late keeps that
// apart, and raises the alarm of the trace_log. The thread of the stall_monitor looks at the alarm
// several times in the time that a file has, and takes over what was kept. Unless there was a file
// a moment ago, it then copies all rings, while others write to them, and writes the file. So no
// thread that runs handlers waits for it, nor does a context that ends while it writes.
//
// Each culprit is found once: of each ring it is remembered how far it was looked at. What is late
// while a file is written, or in the pause after it, is in the next one.
//
// Never destroyed: contexts may outlive every static object.
class BOOST_SYMBOL_VISIBLE flight_recorder final : public report_client
{
public:
    // Ends the program if there is no memory for it, which it allocates once.
    static flight_recorder& instance() noexcept;

    // Any thread; no effect if the environment says otherwise. Throws std::bad_alloc.
    void keep(trace::keep_options const& o);

    void notice_context() noexcept override;
    time_point turn() noexcept override;
    void notice_stall(stall_report const& r, time_point since) noexcept override;

    flight_recorder(flight_recorder const&) = delete;
    flight_recorder& operator=(flight_recorder const&) = delete;

private:
    // Who takes a turn.
    enum class taker
    {
        reporter, // the report thread
        finisher, // the thread that ends the recording
    };

    // Guarded by mutex, which is held while a file is written, except those that say otherwise.
    struct state
    {
        std::mutex mutex;
        std::optional<trace::keep_options> keeps;
        std::optional<culprit_finder> finder;
        bool prepared = false; // the directory
        bool told = false;     // that a file was lost
        time_point next{};     // when a file may be written

        std::mutex inbox_mutex;
        std::vector<culprit> inbox; // stalls, up to that many; guarded by inbox_mutex
        static constexpr std::size_t most_in_inbox = 1000;
    };

    flight_recorder();

    bool keep_by_environment();
    void begin(trace::keep_options o);
    void finish() noexcept;
    void step(taker by) noexcept;
    void write_file(taker by);
    void write_file(std::string const& name, std::string const& more, trace_snapshot const& t);
    std::filesystem::path unused_name(std::string const& name) const;
    void prune(std::string const& writes) const;
    void prepare();
    void tell_lost(std::string_view what, std::string_view why) noexcept;

    static void fork_child() noexcept;

    state state_;

    // Read in the child of a fork, without a lock.
    std::atomic<bool> keeping_{false};

    std::atomic<bool> wants_stalls_{false};

    // The process that has read the environment variable, and whether that was obeyed.
    std::atomic<process_id> asked_by_{-1};
    std::atomic<bool> by_environment_{false};
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/report/flight_recorder.ipp>
#endif

#endif
