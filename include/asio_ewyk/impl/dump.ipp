// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_DUMP_IPP
#define ASIO_EWYK_IMPL_DUMP_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/observe/dump_section.hpp>
#include <asio_ewyk/detail/observe/inspectable.hpp>
#include <asio_ewyk/detail/observe/registration.hpp>
#include <asio_ewyk/detail/observe/registry_slot.hpp>
#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/diagnostics/dump.hpp>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

namespace asio_ewyk {

namespace detail {

inline void describe_thread(text_sink& out, thread_activity const& a, time_point now) noexcept
{
    thread_activity::sight const s = a.look();
    out << "thread " << static_cast<std::uint64_t>(a.thread());
    boost::core::typeinfo const* const type
        = s.now.what ? s.now.what(nullptr, task_purpose::describe) : nullptr;
    if (type)
        out << " runs " << type->name();
    else
        out << " runs no handler";
    if (s.now.owner)
        out << (type ? " of " : ", works for ") << s.now.owner;
    if (type && s.where.file)
        out << " at " << s.where.file << ':' << std::uint64_t{s.where.line};
    if (type && s.seen != time_point() && s.seen <= now)
        out << " since "
            << static_cast<std::uint64_t>(
                   std::chrono::duration_cast<std::chrono::milliseconds>(now - s.seen).count())
            << " ms";
    out << ", change " << s.changes << '\n';
}

inline void describe_all(text_sink& out) noexcept
{
    time_point const now = std::chrono::steady_clock::now();
    registry_slot::for_each([&](registry_slot& p) {
        p.look([&](registration const& w) {
            w.what().tell_state(out);
            out << ", its threads work for " << w.owner() << '\n';
        });
    });
    thread_activity::for_each(
        [&](thread_activity const& a) { describe_thread(out, a, now); });
    if (dump_section::function const describe = dump_section::get())
        describe(out);
    out.flush();
}

} // namespace detail

ASIO_EWYK_DECL void dump(std::ostream& out)
{
    std::string text;
    detail::text_sink sink(text);
    detail::describe_all(sink);
    out << text;
}

#if defined(ASIO_EWYK_HAS_PTHREAD)

ASIO_EWYK_DECL void dump(int descriptor) noexcept
{
    int const error = errno;
    detail::text_sink sink(descriptor);
    detail::describe_all(sink);
    errno = error;
}

#endif

} // namespace asio_ewyk

#endif
