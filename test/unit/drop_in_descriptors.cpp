// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Pipes, bare descriptors and signals: what else an io_context waits for.

#include "support.hpp"

#include <array>
#include <csignal>
#include <string>
#include <unistd.h>

using namespace support;
using boost::system::error_code;

namespace {

/// Reads until the end of a stream, a byte at a time, so that many completions are needed.
template <class Stream>
class drain
{
public:
    explicit drain(Stream& stream) : stream_(stream) { next(); }

    std::string const& text() const noexcept { return text_; }
    error_code result() const noexcept { return result_; }

private:
    void next()
    {
        stream_.async_read_some(asio::buffer(&byte_, 1), [this](error_code ec, std::size_t n) {
            text_.append(&byte_, n);
            if (ec)
                result_ = ec;
            else
                next();
        });
    }

    Stream& stream_;
    char byte_ = 0;
    std::string text_;
    error_code result_;
};

std::string const message = "the quick brown fox jumps over the lazy dog";

// To the process and not to the thread: the threads of a pool may block all signals.
void send(int signal) { ::kill(::getpid(), signal); }

}

BOOST_AUTO_TEST_SUITE(drop_in_descriptors)

CONTEXT_TEST_CASE(stream_descriptors_over_a_pipe, s)
{
    int ends[2];
    BOOST_TEST_REQUIRE(::pipe(ends) == 0);
    context ctx(s);
    asio::posix::stream_descriptor in(ctx, ends[0]);
    asio::posix::basic_stream_descriptor<executor> out(ctx.get_executor(), ends[1]);
    drain reader(in);
    std::size_t written = 0;
    asio::async_write(out, asio::buffer(message), [&](error_code ec, std::size_t n) {
        LOCKED_TEST(!ec, ec.message());
        written = n;
        out.close();
    });
    run(ctx);
    BOOST_TEST(written == message.size());
    BOOST_TEST(reader.text() == message);
    BOOST_TEST((reader.result() == asio::error::eof));
}

CONTEXT_TEST_CASE(a_descriptor_waits_and_is_released, s)
{
    int ends[2];
    BOOST_TEST_REQUIRE(::pipe(ends) == 0);
    context ctx(s);
    asio::posix::stream_descriptor in(ctx, ends[0]);
    bool ready = false;
    in.async_wait(asio::posix::descriptor_base::wait_read, [&](error_code ec) {
        LOCKED_TEST(!ec, ec.message());
        ready = true;
    });
    asio::post(ctx, [&] { LOCKED_TEST(::write(ends[1], "x", 1) == 1); });
    run(ctx);
    BOOST_TEST(ready);
    BOOST_TEST(in.release() == ends[0]);
    BOOST_TEST(::close(ends[0]) == 0);
    BOOST_TEST(::close(ends[1]) == 0);
}

CONTEXT_TEST_CASE(readable_and_writable_pipe, s)
{
    context ctx(s);
    asio::readable_pipe in(ctx);
    asio::writable_pipe out(ctx);
    asio::connect_pipe(in, out);
    drain reader(in);
    asio::async_write(out, asio::buffer(message), [&](error_code ec, std::size_t) {
        LOCKED_TEST(!ec, ec.message());
        out.close();
    });
    run(ctx);
    BOOST_TEST(reader.text() == message);
    BOOST_TEST((reader.result() == asio::error::eof));
}

CONTEXT_TEST_CASE(pipes_with_the_concrete_executor, s)
{
    context ctx(s);
    asio::basic_readable_pipe<executor> in(ctx);
    asio::basic_writable_pipe<executor> out(ctx);
    asio::connect_pipe(in, out);
    drain reader(in);
    asio::async_write(out, asio::buffer(message), [&](error_code, std::size_t) { out.close(); });
    run(ctx);
    BOOST_TEST(reader.text() == message);
}

CONTEXT_TEST_CASE(a_pipe_read_is_cancelled, s)
{
    context ctx(s);
    asio::readable_pipe in(ctx);
    asio::writable_pipe out(ctx);
    asio::connect_pipe(in, out);
    drain reader(in);
    asio::post(ctx, [&] { in.cancel(); });
    run(ctx);
    BOOST_TEST((reader.result() == asio::error::operation_aborted));
    BOOST_TEST(reader.text().empty());
}

CONTEXT_TEST_CASE(a_signal_raised_before_run, s)
{
    context ctx(s);
    asio::signal_set signals(ctx, SIGUSR1, SIGUSR2);
    int number = 0;
    signals.async_wait([&](error_code ec, int n) {
        LOCKED_TEST(!ec, ec.message());
        number = n;
    });
    std::raise(SIGUSR2);
    run(ctx);
    BOOST_TEST(number == SIGUSR2);
}

CONTEXT_TEST_CASE(signals_raised_by_handlers, s)
{
    constexpr int rounds = 20;
    context ctx(s);
    asio::basic_signal_set<executor> signals(ctx.get_executor(), SIGUSR1);
    int seen = 0;
    struct wait
    {
        asio::basic_signal_set<executor>& signals;
        int& seen;

        void operator()(error_code ec, int n) const
        {
            LOCKED_TEST(!ec, ec.message());
            LOCKED_TEST(n == SIGUSR1);
            if (++seen == rounds)
                return;
            signals.async_wait(*this);
            send(SIGUSR1);
        }
    };
    signals.async_wait(wait{signals, seen});
    asio::post(ctx, [] { send(SIGUSR1); });
    run(ctx);
    BOOST_TEST(seen == rounds);
}

// Two sets for one signal: each is told.
CONTEXT_TEST_CASE(every_set_hears_the_signal, s)
{
    context ctx(s);
    context other(s);
    asio::signal_set first(ctx, SIGUSR1);
    asio::signal_set second(ctx, SIGUSR1);
    asio::signal_set third(other, SIGUSR1);
    std::array<int, 3> heard{};
    first.async_wait([&](error_code, int n) { heard[0] = n; });
    second.async_wait([&](error_code, int n) { heard[1] = n; });
    third.async_wait([&](error_code, int n) { heard[2] = n; });
    std::raise(SIGUSR1);
    run(ctx);
    run(other);
    BOOST_TEST(heard[0] == SIGUSR1);
    BOOST_TEST(heard[1] == SIGUSR1);
    BOOST_TEST(heard[2] == SIGUSR1);
}

CONTEXT_TEST_CASE(waiting_for_a_signal_is_cancelled, s)
{
    context ctx(s);
    asio::signal_set signals(ctx, SIGUSR1);
    error_code seen;
    signals.async_wait([&](error_code ec, int) { seen = ec; });
    asio::post(ctx, [&] { signals.cancel(); });
    run(ctx);
    BOOST_TEST((seen == asio::error::operation_aborted));
}

BOOST_AUTO_TEST_SUITE_END()
