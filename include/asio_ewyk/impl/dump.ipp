// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_DUMP_IPP
#define ASIO_EWYK_IMPL_DUMP_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/observe/inspectable.hpp>
#include <asio_ewyk/detail/observe/registration.hpp>
#include <asio_ewyk/detail/observe/registry_slot.hpp>
#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/dump.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>

#include <cerrno>
#endif

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
        void const* const owner = p.owner();
        p.look(owner, [&](registration const& w) {
            w.what().tell_state(out);
            out << ", its threads work for " << owner << '\n';
        });
    });
    thread_activity::for_each(
        [&](thread_activity const& a) { describe_thread(out, a, now); });
    out.flush();
}

} // namespace detail

ASIO_EWYK_DECL void dump(std::ostream& out)
{
    class stream_sink final : public detail::text_sink
    {
    public:
        explicit stream_sink(std::string& text) noexcept
            : text_(text)
        {
        }

    private:
        void write(char const* text, std::size_t size) noexcept override
        {
            try
            {
                text_.append(text, size);
            }
            catch (...)
            {
                // No memory for more.
            }
        }

        std::string& text_;
    };

    std::string text;
    stream_sink sink(text);
    detail::describe_all(sink);
    out << text;
}

#if defined(__unix__) || defined(__APPLE__)

ASIO_EWYK_DECL void dump(int descriptor) noexcept
{
    class descriptor_sink final : public detail::text_sink
    {
    public:
        explicit descriptor_sink(int descriptor) noexcept
            : descriptor_(descriptor)
        {
        }

    private:
        void write(char const* text, std::size_t size) noexcept override
        {
            while (size != 0)
            {
                ssize_t const n = ::write(descriptor_, text, size);
                if (n < 0 && errno == EINTR)
                    continue;
                if (n <= 0)
                    return;
                text += n;
                size -= static_cast<std::size_t>(n);
            }
        }

        int descriptor_;
    };

    int const error = errno;
    descriptor_sink sink(descriptor);
    detail::describe_all(sink);
    errno = error;
}

#endif

} // namespace asio_ewyk

#endif
