// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Timers and signals: a metronome that does not drift, a read that is given up at its deadline, a
// watchdog that is put off again and again, and SIGTERM, which ends them all.

#include <boost/asio.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>

#include <unistd.h>

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

constexpr int beats = 100;
constexpr auto deadline = 100s;

// What shares state here runs on one strand.
using strand = asio::strand<asio::any_io_executor>;

class watchdog
{
public:
    explicit watchdog(strand const& on) : timer_(on) {}

    void put_off()
    {
        ++waits_;
        timer_.expires_after(deadline); // ends the wait before
        timer_.async_wait([this](error_code error) {
            (error == asio::error::operation_aborted ? put_off_ : barks_)++;
        });
    }

    void stop() { timer_.cancel(); }
    bool never_barked() const { return waits_ > 1 && put_off_ == waits_ && barks_ == 0; }

private:
    asio::steady_timer timer_;
    int waits_ = 0;
    int put_off_ = 0;
    int barks_ = 0;
};

class metronome
{
public:
    metronome(strand const& on, watchdog& dog) : timer_(on), dog_(dog) {}

    void start()
    {
        timer_.expires_after(period);
        wait();
    }

    void stop()
    {
        stopped_ = true; // the beat may be on its way
        timer_.cancel();
    }

    int beats() const { return beats_; }

private:
    static constexpr auto period = 1ms;

    void wait()
    {
        timer_.async_wait([this](error_code error) {
            if (error || stopped_)
                return;
            dog_.put_off();
            // To the process: a signal of raise() would be for the thread that runs this.
            if (++beats_ == ::beats)
#if defined(_WIN32)
                std::raise(SIGTERM);
#else
                ::kill(::getpid(), SIGTERM);
#endif
            timer_.expires_at(timer_.expiry() + period); // not from now on: that would drift
            wait();
        });
    }

    asio::steady_timer timer_;
    watchdog& dog_;
    int beats_ = 0;
    bool stopped_ = false;
};

// Reads from a peer that sends nothing.
class reader
{
public:
    reader(strand const& on, tcp::endpoint const& from) : socket_(on), timer_(on, 50ms)
    {
        socket_.connect(from);
        socket_.async_read_some(asio::buffer(data_), [this](error_code error, std::size_t) {
            error_ = error;
            timer_.cancel();
        });
        timer_.async_wait([this](error_code error) {
            if (!error)
                socket_.cancel();
        });
    }

    bool gave_up() const { return error_ == asio::error::operation_aborted; }

private:
    tcp::socket socket_;
    asio::steady_timer timer_;
    std::array<char, 16> data_{};
    error_code error_;
};

} // namespace

int main()
try
{
    asio::io_context context;
    strand const on(context.get_executor());

    asio::signal_set signals(on, SIGINT, SIGTERM);
    tcp::acceptor const silent(context, {asio::ip::address_v4::loopback(), 0});
    reader const reads(on, silent.local_endpoint());
    watchdog dog(on);
    metronome beating(on, dog);
    int signal = 0;
    signals.async_wait([&](error_code error, int number) {
        signal = error ? -1 : number;
        beating.stop();
        dog.stop();
    });
    asio::post(on, [&] { beating.start(); });
    context.run_for(deadline);

    bool const right = signal == SIGTERM && beating.beats() >= beats && dog.never_barked()
        && reads.gave_up();
    std::cout << beating.beats() << " beats; the read was "
              << (reads.gave_up() ? "given up" : "not given up") << ", the watchdog "
              << (dog.never_barked() ? "kept still" : "did not keep still") << "; signal " << signal
              << '\n';
    return right ? 0 : 1;
}
catch (std::exception const& e)
{
    std::cerr << e.what() << '\n';
    return 1;
}
