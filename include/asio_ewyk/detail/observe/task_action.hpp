// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OBSERVE_TASK_ACTION_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_TASK_ACTION_HPP

#include <boost/core/typeinfo.hpp>

namespace asio_ewyk::detail {

class task;

enum class task_purpose
{
    run,
    destroy,
    describe, // with a null task: return the type of the function, null for what is no handler
};

// What a task can do. Returns null but to `describe`.
using task_action = boost::core::typeinfo const* (*)(task*, task_purpose);

} // namespace asio_ewyk::detail

#endif
