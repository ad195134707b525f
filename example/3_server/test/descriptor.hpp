// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_TEST_DESCRIPTOR_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_TEST_DESCRIPTOR_HPP

#include <unistd.h>
#include <utility>

namespace test {

/// Owns a file descriptor.
class descriptor
{
public:
    explicit descriptor(int fd = -1) noexcept : fd_(fd) {}
    descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    ~descriptor() { reset(); }

    descriptor& operator=(descriptor&& other) noexcept
    {
        reset(std::exchange(other.fd_, -1));
        return *this;
    }

    int get() const noexcept { return fd_; }

    void reset(int fd = -1) noexcept
    {
        if (fd_ >= 0)
            ::close(fd_);
        fd_ = fd;
    }

private:
    int fd_;
};

}

#endif
