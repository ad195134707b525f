// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_TRACE_IPP
#define ASIO_EWYK_IMPL_TRACE_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/diagnostics/trace_writer.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/diagnostics/trace.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

namespace asio_ewyk {

namespace detail {

// Where the trace is written at the end. Never destroyed: exit() calls other functions after ours.
struct BOOST_SYMBOL_VISIBLE trace_file
{
    std::mutex mutex;
    std::string name;        // guarded by mutex, as are the next
    bool registered = false;
    process_id process{};    // of the trace: a child must not overwrite the file when it ends

    static trace_file& shared()
    {
        static trace_file& one = *new trace_file;
        return one;
    }

    static void write() noexcept
    {
        try
        {
            std::string const file = shared().mine();
            if (file.empty())
                return;
            std::ofstream out(file, std::ios::binary);
            trace_writer(trace_log::now()).write(out);
            if (!out.flush())
                std::fprintf(
                    stderr, "asio_ewyk: the trace cannot be written to %s\n", file.c_str());
        }
        catch (...)
        {
            std::fputs("asio_ewyk: no memory to write the trace\n", stderr);
        }
    }

    // Empty if there is nothing to write.
    std::string mine()
    {
        std::lock_guard const lock(mutex);
        return process == this_process_id() ? name : std::string();
    }
};

} // namespace detail

ASIO_EWYK_DECL void trace::start(options const& o)
{
    if (o.events_per_thread == 0)
        throw std::invalid_argument("events_per_thread must be at least 1");
    detail::trace_log::start(o.events_per_thread);
}

ASIO_EWYK_DECL void trace::write(std::ostream& out)
{
    detail::trace_writer(detail::trace_log::now()).write(out);
}

ASIO_EWYK_DECL void trace::write_at_exit(std::string file)
{
    detail::trace_file& self = detail::trace_file::shared();
    std::lock_guard const lock(self.mutex);
    if (!self.registered && std::atexit([] { detail::trace_file::write(); }) != 0)
        throw std::bad_alloc();
    self.registered = true;
    self.process = detail::this_process_id();
    self.name = std::move(file);
}

} // namespace asio_ewyk

#endif
