// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_HOME_PROCESS_HPP
#define ASIO_EWYK_DETAIL_OS_HOME_PROCESS_HPP

#include <asio_ewyk/detail/os/this_thread.hpp>

#include <new>

namespace asio_ewyk::detail {

// The process that the threads of an object are in. The child of a fork that was not announced has
// none of them: what they had locked is locked for ever there, and they never end. So what is
// destroyed there takes no lock of theirs, and waits for none.
class home_process
{
public:
    bool is_here() const noexcept { return id_ == this_process_id(); }
    void move_here() noexcept { id_ = this_process_id(); }

private:
    process_id id_ = this_process_id();
};

// Not at home: a thread, or what threads had locked or waited on, becomes as if it was never used.
// Its destructor would end the program, or wait.
template <class T>
void make_anew(T& object) noexcept
{
    ::new (static_cast<void*>(&object)) T;
}

} // namespace asio_ewyk::detail

#endif
