// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_APPS_PROCESS_PIPES_HPP
#define ASIO_EWYK_TEST_APPS_PROCESS_PIPES_HPP

#include "asked.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>

namespace apps {

/// Processes, started by Boost.Process, whose output is read on an io_context.
struct processes
{
    processes(boost::asio::io_context& c, asked& q) : context(c), questions(q) {}

    boost::asio::io_context& context;
    asked& questions;
    // Else run() would return before the first process is started.
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
        context.get_executor()};
};

/// A process that repeats each line; the handler that reads it from there answers it.
class process_pipe
{
public:
    explicit process_pipe(processes const& all);
    ~process_pipe();

    std::string ask(std::string const& question);
    void send(std::string const& question);
    std::string receive();

private:
    struct implementation;
    std::shared_ptr<implementation> implementation_; // the handler has it, too
};

} // namespace apps

#endif
