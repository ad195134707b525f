// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_SERVER_SERVE_HPP
#define ASIO_EWYK_SERVER_SERVE_HPP

#include <asio_ewyk/detail/server/sessions.hpp>
#include <asio_ewyk/server/serve_options.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace asio_ewyk {

namespace detail {

struct start_serving
{
    using executor_type = asio::any_io_executor;

    executor_type get_executor() const noexcept { return executor; }

    template <class Handler>
    void operator()(
        Handler handler, std::shared_ptr<serving> all, serving::listeners listeners) const
    {
        auto slot = asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected())
            slot.assign([weak = std::weak_ptr(all)](asio::cancellation_type) {
                if (auto const alive = weak.lock())
                    alive->stop();
            });
        // Without the handler's slot: co_spawn would use that in a way that allows cancellation on
        // one thread only.
        auto const ends_on = asio::get_associated_executor(handler, executor);
        asio::co_spawn(executor, serving::run(std::move(all), std::move(listeners)),
            asio::bind_executor(ends_on, [h = std::move(handler)](std::exception_ptr e) mutable {
                std::move(h)(std::move(e));
            }));
    }

    executor_type executor; // the boss's
};

template <class Protocol, class Executor>
using acceptors = std::vector<asio::basic_socket_acceptor<Protocol, Executor>>;

template <class Protocol, class Executor>
acceptors<Protocol, Executor> all_of(acceptors<Protocol, Executor> several)
{
    return several;
}

template <class Protocol, class Executor>
acceptors<Protocol, Executor> all_of(asio::basic_socket_acceptor<Protocol, Executor> acceptor)
{
    acceptors<Protocol, Executor> one;
    one.push_back(std::move(acceptor));
    return one;
}

template <class T>
concept one_or_more_acceptors = requires(T all) { detail::all_of(std::move(all)); };

template <class Protocol, class Executor, class Workers, class Session, class Token>
auto serve(acceptors<Protocol, Executor> acceptors, Workers& workers, Session session,
    serve_options options, Token&& token)
{
    if (acceptors.empty())
        throw std::invalid_argument("serve: acceptors must be at least 1, not 0");
    auto all = std::make_shared<sessions<Protocol, Workers, Session>>(
        workers, std::move(session), std::move(options));
    serving::listeners listeners;
    for (auto& a : acceptors)
        listeners.push_back(std::make_shared<listener>(std::move(a)));
    all->watch(listeners);
    start_serving start{listeners.front()->executor};
    return asio::async_initiate<Token, void(std::exception_ptr)>(std::move(start), token,
        std::shared_ptr<serving>(std::move(all)), std::move(listeners));
}

} // namespace detail

/** Accepts connections and has each served by a coroutine on a context of the workers: Netty's
    `ServerBootstrap`.

    `session(socket)` is called, and its coroutine runs, on the worker's executor, which is also
    that of the socket: a `tcp::socket`, or where `session` does not take that, the one whose type
    has the worker's executor. There is one `session` for all connections, kept until the last has
    ended, and called by several threads at a time. A coroutine that ends by an exception ends its
    connection only.

    `boss` and `workers` are each a context (`event_loop`, `strategy_context`, `io_context`) or a
    group of them, and may be the same. Where they have no threads of their own they are to be run,
    and the workers to be kept from running out of work (`asio::make_work_guard`).

    The operation lasts until it is cancelled, with any cancellation type: then no client is
    accepted any more, and the sessions have `serve_options::drain` to finish, 15 s by default. Then
    their connections are shut down, and with `cancel_sessions` they are cancelled. The operation
    completes after the last session has ended, without an error, or with the error that makes it
    impossible to accept any more. Running out of descriptors, or of memory for one client, is no
    such error: accepting pauses for `serve_options::back_off`. Running out of memory to wait for
    clients is one. The completion always waits for the sessions, because these may use objects that
    are destroyed after it.

    Boss and workers must outlive the operation. Or they are destroyed with it, when none of them
    runs any more: as one context or group for both, or the boss first.

    A worker whose shutdown has begun gets no more clients; the others go on. The shutdown of the
    last one cancels the operation, and so does that of the boss where it is a worker as well.
    Sessions in workers that have ended are not waited for; their connections are shut down as soon
    as the loop has ended (on Linux). A worker that refuses a session is passed over; only if all
    refuse, the connection is closed and `on_session_error` called. Shut the boss down after the
    operation: it cannot complete in a loop that has ended.

    @par Completion Signature
    `void(std::exception_ptr)`, by default on the executor of the boss's context.

    @par Per-Operation Cancellation
    `terminal`, `partial` and `total`, all with the meaning above.

    @par Thread Safety
    May be called by any thread. A cancellation signal may be emitted by any thread too, but not
    while the operation is initiated, nor by two threads at a time.

    @par Exception Safety
    Listens before it returns, and throws `std::invalid_argument` for options that cannot work,
    `boost::system::system_error` if it cannot listen or there are no two descriptors left, which it
    keeps to shut connections down, with `operation_aborted` if the boss has ended, and
    `std::system_error` if a loop's thread cannot be started, whatever the token.

    @par Example
    @snippet example/6_cookbook/event_loops.cpp serve

    @see serve_options
*/
template <detail::contexts Boss, detail::contexts Workers, class Session, class CompletionToken>
auto serve(Boss& boss, Workers& workers, asio::ip::tcp::endpoint const& where, Session session,
    serve_options options, CompletionToken&& token)
{
    std::vector<asio::ip::tcp::acceptor> acceptors;
    auto endpoint = where;
    auto const listen = [&](auto& context) {
        acceptors.push_back(detail::listen(context, endpoint, options.reuse_port));
        // A port of the system's choice is for all of them.
        endpoint = acceptors.back().local_endpoint();
    };
    if (options.reuse_port)
        detail::for_each_context(boss, [&](auto& context) {
            if (!detail::has_ended(context))
                listen(context);
        });
    if (acceptors.empty())
        listen(detail::next_live_context(boss));
    return detail::serve(std::move(acceptors), workers, std::move(session), std::move(options),
        std::forward<CompletionToken>(token));
}

/// Serves with the default options.
template <detail::contexts Boss, detail::contexts Workers, class Session, class CompletionToken>
auto serve(Boss& boss, Workers& workers, asio::ip::tcp::endpoint const& where, Session session,
    CompletionToken&& token)
{
    return asio_ewyk::serve(boss, workers, where, std::move(session), serve_options{},
        std::forward<CompletionToken>(token));
}

/** Serves connections as above, with acceptors that the caller has made.

    There must be one acceptor at least, and they must listen already. Several, such as one for IPv4
    and one for IPv6, share the limits, the end and `serve_options::control`. They may be of any
    protocol that has connections, such as `asio::local::stream_protocol`. To mix protocols, move
    them into acceptors of `asio::generic::stream_protocol`. They become non-blocking. Each accepts
    on the context of its own executor, in place of the boss's; the operation completes on that of
    the first one by default. If one of them cannot accept any more, the operation ends.

    @par Exception Safety
    As above. Throws `std::invalid_argument` also if there is no acceptor.
*/
template <detail::one_or_more_acceptors Acceptors, detail::contexts Workers, class Session,
    class CompletionToken>
auto serve(Acceptors acceptors, Workers& workers, Session session, serve_options options,
    CompletionToken&& token)
{
    return detail::serve(detail::all_of(std::move(acceptors)), workers, std::move(session),
        std::move(options), std::forward<CompletionToken>(token));
}

/// Serves with the default options.
template <detail::one_or_more_acceptors Acceptors, detail::contexts Workers, class Session,
    class CompletionToken>
auto serve(Acceptors acceptors, Workers& workers, Session session, CompletionToken&& token)
{
    return asio_ewyk::serve(std::move(acceptors), workers, std::move(session), serve_options{},
        std::forward<CompletionToken>(token));
}

} // namespace asio_ewyk

#endif
