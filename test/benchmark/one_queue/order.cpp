// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The order of handlers: patterns inside one handler, for the io_context with one thread, the
// library of today, and the spike.
#include "one_queue.hpp"
#include <asio_ewyk.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/readable_pipe.hpp>
#include <boost/asio/writable_pipe.hpp>
#include <boost/asio/connect_pipe.hpp>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using namespace std::chrono_literals;
using boost::system::error_code;
using local = asio::local::stream_protocol;

template <class C>
struct world
{
    C& c;
    std::string out;
    asio::steady_timer t{c}, t2{c}, t3{c};
    local::socket a{c}, b{c};
    asio::signal_set signals{c, SIGUSR1};
    asio::cancellation_signal emit;
    char buffer[64]{};
    std::function<void()> keep;
    asio::strand<typename C::executor_type> strand{c.get_executor()};
    asio::experimental::channel<void(error_code, int)> channel{c, 4};
    asio::readable_pipe rp{c};
    asio::writable_pipe wp{c};
    asio::ip::tcp::resolver resolver{c};

    explicit world(C& context) : c(context)
    {
        asio::local::connect_pair(a, b);
        asio::connect_pipe(rp, wp);
    }
    auto say(char ch)
    {
        return [this, ch](auto&&...) { out += ch; };
    }
    void post(char ch) { asio::post(c, say(ch)); }
};

template <class C>
asio::awaitable<void> walk(world<C>& w, char ch)
{
    for (int i = 0; i != 3; ++i)
    {
        w.out += ch;
        co_await asio::post(asio::use_awaitable);
    }
}

template <class C>
using pattern = std::pair<char const*, std::function<void(world<C>&)>>;

template <class C>
std::vector<pattern<C>> patterns()
{
    using W = world<C>&;
    return {
        {"timer.cancel; post", [](W w) { w.t.expires_after(1h); w.t.async_wait(w.say('t'));
            asio::post(w.c, [&] { w.t.cancel(); w.post('p'); }); }},
        {"socket.cancel; post", [](W w) { w.a.async_read_some(asio::buffer(w.buffer), w.say('r'));
            asio::post(w.c, [&] { w.a.cancel(); w.post('p'); }); }},
        {"socket.close; post", [](W w) { w.a.async_read_some(asio::buffer(w.buffer), w.say('r'));
            asio::post(w.c, [&] { w.a.close(); w.post('p'); }); }},
        {"signal_set.cancel; post", [](W w) { w.signals.async_wait(w.say('s'));
            asio::post(w.c, [&] { w.signals.cancel(); w.post('p'); }); }},
        {"emit; post; cancel; post", [](W w) {
            w.t.expires_after(1h); w.t.async_wait(w.say('t')); w.t2.expires_after(1h);
            w.t2.async_wait(asio::bind_cancellation_slot(w.emit.slot(), w.say('u')));
            asio::post(w.c, [&] { w.emit.emit(asio::cancellation_type::all); w.post('p');
                w.t.cancel(); w.post('q'); }); }},
        {"expires_after(0); post", [](W w) { w.t.expires_after(1h); w.t.async_wait(w.say('t'));
            asio::post(w.c, [&] { w.t.expires_after(0s); w.t.async_wait(w.say('T'));
                w.post('p'); }); }},
        {"write at once; post", [](W w) { asio::post(w.c, [&] {
            w.a.async_write_some(asio::buffer("x", 1), w.say('w')); w.post('p'); }); }},
        {"read at once; post", [](W w) { w.b.write_some(asio::buffer("x", 1));
            asio::post(w.c, [&] { w.a.async_read_some(asio::buffer(w.buffer), w.say('r'));
                w.post('p'); }); }},
        {"read of a closed socket; post", [](W w) { asio::post(w.c, [&] { w.a.close();
            w.a.async_read_some(asio::buffer(w.buffer), w.say('e')); w.post('p'); }); }},
        {"post; defer; post", [](W w) { asio::post(w.c, [&] { w.post('p');
            asio::defer(w.c, w.say('d')); w.post('q'); }); }},
        {"context's and base's in turn", [](W w) { asio::post(w.c, [&] {
            auto native = static_cast<asio::io_context&>(w.c).get_executor();
            w.post('o'); asio::post(native, w.say('n')); w.post('O');
            asio::post(native, w.say('N')); }); }},
        {"timer of 0 s after a post", [](W w) { asio::post(w.c, [&] { w.post('p');
            w.t.expires_after(0s); w.t.async_wait(w.say('t')); w.post('q'); }); }},
        {"strand and context in turn", [](W w) { asio::post(w.c, [&] {
            asio::post(w.strand, w.say('s')); w.post('p'); asio::post(w.strand, w.say('S'));
            w.post('q'); }); }},
        {"channel", [](W w) { asio::post(w.c, [&] { w.channel.async_receive(w.say('r'));
            w.post('p'); w.channel.async_send({}, 1, w.say('s')); w.post('q'); }); }},
        {"two coroutines in turn", [](W w) { asio::co_spawn(w.c, walk(w, 'a'), asio::detached);
            asio::co_spawn(w.c, walk(w, 'b'), asio::detached); }},
        // And beyond the fifteen.
        {"+ raise; post", [](W w) { w.signals.async_wait(w.say('s')); asio::post(w.c, [&] {
            std::raise(SIGUSR1); w.post('p'); asio::post(w.c, [&] { w.post('q'); }); }); }},
        {"+ pipe: write; read; post", [](W w) { asio::post(w.c, [&] {
            w.wp.async_write_some(asio::buffer("x", 1), w.say('w'));
            w.rp.async_read_some(asio::buffer(w.buffer), w.say('r')); w.post('p'); }); }},
        {"+ resolver.cancel; post", [](W w) { asio::post(w.c, [&] {
            w.resolver.async_resolve("127.0.0.1", "80", w.say('a')); w.resolver.cancel();
            w.post('p'); }); }},
        {"+ dispatch to base's; to context's", [](W w) { asio::post(w.c, [&] {
            asio::dispatch(static_cast<asio::io_context&>(w.c).get_executor(), w.say('n'));
            w.post('p'); asio::dispatch(w.c, w.say('d')); w.out += '.'; }); }},
        {"+ native dispatches to context's", [](W w) {
            asio::post(static_cast<asio::io_context&>(w.c).get_executor(), [&] { w.post('p');
                asio::dispatch(w.c, w.say('d')); w.out += '.'; }); }},
        {"+ composed write; post", [](W w) { asio::post(w.c, [&] {
            asio::async_write(w.a, asio::buffer("xyz", 3), w.say('w')); w.post('p');
            w.post('q'); }); }},
        {"+ strand over base and context", [](W w) { asio::post(w.c, [&] {
            auto s = asio::make_strand(static_cast<asio::io_context&>(w.c).get_executor());
            asio::post(s, w.say('s')); w.post('p'); asio::post(w.strand, w.say('S'));
            asio::dispatch(s, w.say('d')); w.post('q'); }); }},
        {"+ any_io_executor: post; native", [](W w) { asio::post(w.c, [&] {
            asio::any_io_executor any = w.c.get_executor(); asio::post(any, w.say('a'));
            asio::post(static_cast<asio::io_context&>(w.c).get_executor(), w.say('n'));
            asio::post(any, w.say('b')); asio::defer(any, w.say('d')); w.post('q'); }); }},
        {"+ 100 posts, timer due, read due", [](W w) { w.b.write_some(asio::buffer("x", 1));
            asio::post(w.c, [&] { w.t.expires_after(0s); w.t.async_wait(w.say('t'));
                for (int i = 0; i != 40; ++i) w.post('.');
                w.a.async_wait(local::socket::wait_read, w.say('r')); w.post('!'); }); }},
    };
}

template <class C, class... Args>
std::string results(std::size_t i, Args... args)
{
    std::set<std::string> all;
    for (int n = 0; n != 20; ++n)
    {
        C c(args...);
        world<C> w(c);
        patterns<C>()[i].second(w);
        asio::steady_timer end(c, 1s); // what never ends by itself
        end.async_wait([&](error_code e) { if (!e) { w.out += '?'; c.stop(); } });
        asio::steady_timer soon(c, 3ms);
        soon.async_wait([&](error_code) { end.cancel(); w.signals.cancel(); w.a.close(); });
        c.run();
        all.insert(w.out);
    }
    std::string s;
    for (auto const& x : all)
        s += (s.empty() ? "" : " | ") + (x.size() > 14 ? x.substr(0, 3) + ".." + x.substr(x.size() - 4) : x);
    return s;
}

int main()
{
    using today = ewyk::strategy_context;
    using spike = one_queue::queue_context;
    auto const pc = ewyk::strategy.produce_consume;
    int alike[7]{}, extra[7]{};
    std::printf("|===\n| pattern | io_context() | today PC | today EWYK | spike PC | spike EWYK | io_context(1) | today 1 | spike 1\n\n");
    auto const n = patterns<asio::io_context>().size();
    for (std::size_t i = 0; i != n; ++i)
    {
        auto const oracle = results<asio::io_context>(i);
        auto const one = results<asio::io_context>(i, 1);
        std::string const r[] = {results<today>(i, pc), results<today>(i),
            results<spike>(i, one_queue::options{.strategy = pc}), results<spike>(i),
            results<today>(i, 1), results<spike>(i, one_queue::options{.hint = 1})};
        auto* const to = i < 15 ? alike : extra;
        for (int k = 0; k != 6; ++k)
            to[k] += r[k] == (k < 4 ? oracle : one);
        std::printf("| %s | %s | %s | %s | %s | %s | %s | %s | %s\n", patterns<asio::io_context>()[i].first,
            oracle.c_str(), r[0].c_str(), r[1].c_str(), r[2].c_str(), r[3].c_str(), one.c_str(),
            r[4].c_str(), r[5].c_str());
    }
    for (auto* to : {alike, extra})
        std::printf("| alike, of %zu | | %d | %d | %d | %d | | %d | %d\n", to == alike ? std::size_t{15} : n - 15,
            to[0], to[1], to[2], to[3], to[4], to[5]);
    std::printf("|===\n");
}
