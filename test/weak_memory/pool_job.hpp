// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A task whose run is counted, and checked for what it must see.

#ifndef ASIO_EWYK_TEST_WEAK_MEMORY_POOL_JOB_HPP
#define ASIO_EWYK_TEST_WEAK_MEMORY_POOL_JOB_HPP

#include "checker/checker.hpp"

#include <asio_ewyk/detail/task/task.hpp>

namespace weak_memory {

struct job : asio_ewyk::detail::task
{
    job()
        : task(&job::act, {}, {})
    {
    }

    static boost::core::typeinfo const* act(task* t, asio_ewyk::detail::task_purpose purpose)
    {
        auto* const self = static_cast<job*>(t);
        claim(self->given == 1, "it sees what was written before");
        self->given = 2;
        if (purpose == asio_ewyk::detail::task_purpose::run)
            self->done(self->argument);
        return nullptr;
    }

    // Plain, all of it: written by the thread that gives the task away, then by the one that runs
    // it.
    int given = 0;
    void (*done)(void*) = nullptr;
    void* argument = nullptr;
};

}

#endif
