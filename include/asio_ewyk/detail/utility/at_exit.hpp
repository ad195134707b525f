// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_UTILITY_AT_EXIT_HPP
#define ASIO_EWYK_DETAIL_UTILITY_AT_EXIT_HPP

#include <utility>

namespace asio_ewyk::detail {

// Calls f at the end of a scope, also where an exception leaves that. f throws nothing.
template <class F>
class [[nodiscard]] at_exit
{
public:
    explicit at_exit(F f) noexcept
        : f_(std::move(f))
    {
    }

    at_exit(at_exit const&) = delete;
    at_exit& operator=(at_exit const&) = delete;

    ~at_exit() { f_(); }

private:
    F f_;
};

} // namespace asio_ewyk::detail

#endif
