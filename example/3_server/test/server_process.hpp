// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_TEST_SERVER_PROCESS_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_TEST_SERVER_PROCESS_HPP

#include "deadline.hpp"
#include "descriptor.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace test {

/** A program under test as a child process, with its output.

    @par Thread Safety
    Shared objects: port() and pid() are safe, the rest is not.
*/
class server_process
{
public:
    /// Starts the program; with `descriptors` != 0 it may open no more than that many.
    server_process(std::string program, std::vector<std::string> args, rlim_t descriptors = 0);

    ~server_process()
    {
        if (pid_ > 0)
        {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
    }

    server_process(server_process const&) = delete;
    server_process& operator=(server_process const&) = delete;

    /// Reads a line of the standard output; without its end, empty at the end of the output.
    std::string read_line() { return line_of(out_, out_text_); }

    /// The same of the standard error output.
    std::string read_error() { return line_of(err_, err_text_); }

    /// Reads the rest of the standard output.
    std::string read_all()
    {
        while (read_more(out_, out_text_))
            ;
        return std::exchange(out_text_, {});
    }

    /// Reads the line that says where the server listens, and remembers the port.
    std::string read_greeting()
    {
        auto const line = read_line();
        auto const colon = line.rfind(':');
        if (!line.starts_with("listening on ") || colon == line.npos)
            throw std::runtime_error("not a greeting: '" + line + "' " + read_error());
        port_ = static_cast<unsigned short>(std::stoul(line.substr(colon + 1)));
        return line;
    }

    unsigned short port() const noexcept { return port_; }

    void signal(int number) { ::kill(pid_, number); }

    /// Waits until the process ends. Returns its exit code, or minus the signal that ended it.
    int wait();

private:
    static std::string line_of(descriptor const& from, std::string& text);
    static bool read_more(descriptor const& from, std::string& text);

    pid_t pid_ = -1;
    unsigned short port_ = 0;
    descriptor out_;
    descriptor err_;
    std::string out_text_;    // read, but not yet asked for
    std::string err_text_;
};

inline server_process::server_process(
    std::string program, std::vector<std::string> args, rlim_t descriptors)
{
    int out[2];
    int err[2];
    if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0)
        throw std::runtime_error("no pipe");
    out_.reset(out[0]);
    err_.reset(err[0]);
    descriptor const child_out(out[1]);
    descriptor const child_err(err[1]);

    args.insert(args.begin(), std::move(program));
    std::vector<char*> argv;
    for (auto& arg : args)
        argv.push_back(arg.data());
    argv.push_back(nullptr);

    pid_ = ::fork();
    if (pid_ < 0)
        throw std::runtime_error("no process");
    if (pid_ == 0)
    {
        ::dup2(out[1], STDOUT_FILENO);
        ::dup2(err[1], STDERR_FILENO);
        if (descriptors != 0)
        {
            ::rlimit const limit{descriptors, descriptors};
            ::setrlimit(RLIMIT_NOFILE, &limit);
        }
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
}

inline bool server_process::read_more(descriptor const& from, std::string& text)
{
    await(from.get(), POLLIN, "read the server's output");
    char piece[4096];
    auto const size = ::read(from.get(), piece, sizeof piece);
    if (size > 0)
        text.append(piece, static_cast<std::size_t>(size));
    return size > 0;
}

inline std::string server_process::line_of(descriptor const& from, std::string& text)
{
    auto end = text.find('\n');
    for (; end == text.npos; end = text.find('\n'))
        if (!read_more(from, text))
            return std::exchange(text, {});
    auto line = text.substr(0, end);
    text.erase(0, end + 1);
    return line;
}

inline int server_process::wait()
{
    // The end of its output comes with the end of the process, and can be waited for in time.
    read_all();
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0)
        if (errno != EINTR)
            throw std::runtime_error("no such process");
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}

#endif
