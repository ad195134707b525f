// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "process_pipes.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/process/args.hpp>
#include <boost/process/async.hpp>
#include <boost/process/async_pipe.hpp>
#include <boost/process/child.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/io.hpp>
#include <boost/process/pipe.hpp>

#include <condition_variable>
#include <mutex>
#include <utility>

namespace apps {

namespace process = boost::process;

namespace {

/** Starts one process at a time.

    Boost.Process marks the pipe by which it learns that a program was started as closed on exec
    after it has made it. A process that another thread starts in between keeps it open: its caller
    would wait until that process ends.
*/
template <class... Arguments>
process::child start(Arguments&&... arguments)
{
    static std::mutex one_at_a_time;
    std::lock_guard<std::mutex> const lock(one_at_a_time);
    return process::child(std::forward<Arguments>(arguments)...);
}

} // namespace

struct process_pipe::implementation : std::enable_shared_from_this<implementation>
{
    explicit implementation(processes const& all)
      : questions(all.questions),
        output(all.context),
        child(start(process::exe = "/bin/cat",
            process::std_in<input, process::std_out> output, all.context))
    {
    }

    void read()
    {
        boost::asio::async_read_until(output, boost::asio::dynamic_buffer(text), '\n',
            [this, self = shared_from_this()](boost::system::error_code error, std::size_t n) {
                if (error)
                    return; // the process has ended
                std::string const answer = questions.answer(text.substr(0, n - 1));
                text.erase(0, n);
                {
                    std::lock_guard<std::mutex> const lock(mutex);
                    answers += answer + '\n';
                }
                answered.notify_one();
                read();
            });
    }

    asked& questions;
    process::opstream input;
    process::async_pipe output;
    process::child child;
    std::string text; // read, but not yet answered
    std::mutex mutex;
    std::condition_variable answered;
    std::string answers; // guarded by mutex; lines
};

process_pipe::process_pipe(processes const& all)
  : implementation_(std::make_shared<implementation>(all))
{
    implementation_->read();
}

process_pipe::~process_pipe()
{
    // Not by the end of its input: another one that was started meanwhile has that, too.
    std::error_code ignored;
    implementation_->child.terminate(ignored);
}

std::string process_pipe::ask(std::string const& question)
{
    send(question);
    return receive();
}

void process_pipe::send(std::string const& question)
{
    implementation_->input << question << std::endl;
}

std::string process_pipe::receive()
{
    auto& i = *implementation_;
    std::unique_lock<std::mutex> lock(i.mutex);
    auto const whole = [&] { return i.answers.find('\n') != std::string::npos; };
    if (!i.answered.wait_for(lock, patience, whole))
        return "lost";
    auto const end = i.answers.find('\n');
    std::string const answer = i.answers.substr(0, end);
    i.answers.erase(0, end + 1);
    return answer;
}

} // namespace apps
