// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVE_OPEN_CONNECTION_HPP
#define ASIO_EWYK_DETAIL_SERVE_OPEN_CONNECTION_HPP

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/execution_context.hpp>

#include <memory>

#if defined(__linux__)
#include <cstdint>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// Tells a socket from another one that has its number later, by what Linux numbers all sockets with
// and never uses again. The session owns the socket, and may close it at any time: that is a race
// for the number, which is why it is only used to get a descriptor of our own, and to look.
class socket_identity
{
public:
    socket_identity() = default;

#if defined(SO_COOKIE)
    explicit socket_identity(int descriptor) noexcept
        : descriptor_(descriptor)
        , cookie_(cookie_of(descriptor))
    {
    }

    // Ends both directions of the connection, unless the socket is closed. Any thread.
    void shut_down() const noexcept
    {
        // Looks first, as to duplicate and close a file that is none of ours would drop its locks;
        // and looks again, as only the duplicate stays the same.
        if (!is(descriptor_))
            return;
        int const same = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
        if (same == -1) // out of descriptors
            return;
        if (is(same))
            ::shutdown(same, SHUT_RDWR);
        ::close(same);
    }

private:
    // 0 if it is not known, or no socket.
    static std::uint64_t cookie_of(int descriptor) noexcept
    {
        std::uint64_t cookie = 0;
        socklen_t size = sizeof(cookie);
        return ::getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : 0;
    }

    bool is(int descriptor) const noexcept
    {
        return cookie_ != 0 && cookie_of(descriptor) == cookie_;
    }

    int descriptor_ = -1;
    std::uint64_t cookie_ = 0;
#else
    template <class Handle>
    explicit socket_identity(Handle) noexcept
    {
    }

    void shut_down() const noexcept {}
#endif
};

// A connection that has its session, or is on its way there.
struct open_connection
{
    // Emitted on the loop of the session only; null where the session has none.
    std::shared_ptr<asio::cancellation_signal> signal = {};
    asio::execution_context* worker = nullptr; // where the session is; a name
    asio::cancellation_type told = asio::cancellation_type::none;
    socket_identity socket = {};

    bool is_on(asio::execution_context& loop) const noexcept { return signal && worker == &loop; }
    bool emitted(asio::cancellation_type type) const noexcept { return (told & type) == type; }
};

} // namespace asio_ewyk::detail

#endif
