// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_SOCKET_IDENTITY_HPP
#define ASIO_EWYK_DETAIL_OS_SOCKET_IDENTITY_HPP

#include <asio_ewyk/detail/config.hpp>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#if defined(ASIO_EWYK_HAS_LINUX)
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace asio_ewyk::detail {

namespace asio = boost::asio;

#if defined(ASIO_EWYK_HAS_LINUX)

// Room for a duplicate of a descriptor, also when none is left. Used by one thread at a time.
class spare_descriptor
{
public:
    // Throws boost::system::system_error if the process is out of them already.
    spare_descriptor()
    {
        if (::pipe2(pipe_, O_CLOEXEC) == -1)
            throw boost::system::system_error(
                errno, asio::error::get_system_category(), "serve: a spare descriptor");
    }

    spare_descriptor(spare_descriptor const&) = delete;
    spare_descriptor& operator=(spare_descriptor const&) = delete;

    ~spare_descriptor()
    {
        for (int const end : pipe_)
            ::close(end);
    }

    // Calls f(duplicate), unless the descriptor is closed.
    template <class F>
    void with_duplicate(int descriptor, F f) noexcept
    {
        auto& [pipe, room] = pipe_;
        if (!duplicate(descriptor, room))
            return;
        f(room);
        duplicate(pipe, room); // so that it keeps nothing open
    }

private:
    // ThreadSanitizer reports dup3() beside the session's close(): socket_identity allows for that.
    static bool duplicate(int from, int to) noexcept
    {
        return ::syscall(SYS_dup3, from, to, O_CLOEXEC) != -1;
    }

    int pipe_[2];
};

// Tells a socket from another one that has its number later, by what Linux numbers all sockets with
// and never uses again. The session owns the socket, and may close it at any time: that is a race
// for the number, which is why it is only used to get a descriptor of our own, and to look.
class socket_identity
{
public:
    socket_identity() = default;
    explicit socket_identity(int descriptor) noexcept
        : descriptor_(descriptor)
        , cookie_(cookie_of(descriptor))
    {
    }

    // Ends both directions of the connection, unless the socket is closed. Any thread.
    void shut_down(spare_descriptor& spare) const noexcept
    {
        // Looks first, as to duplicate and close a file that is none of ours would drop its locks;
        // and looks again, as only the duplicate stays the same.
        if (is(descriptor_))
            spare.with_duplicate(descriptor_, [this](int same) {
                if (is(same))
                    ::shutdown(same, SHUT_RDWR);
            });
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
};

#else // connections are not shut down

struct spare_descriptor
{
};

struct socket_identity
{
    socket_identity() = default;
    explicit socket_identity(auto) noexcept {}
    void shut_down(spare_descriptor&) const noexcept {}
};

#endif

} // namespace asio_ewyk::detail

#endif
