// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVER_SESSIONS_HPP
#define ASIO_EWYK_DETAIL_SERVER_SESSIONS_HPP

#include <asio_ewyk/detail/loop/contexts.hpp>
#include <asio_ewyk/detail/server/listener.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>

#include <concepts>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace asio_ewyk::detail {

template <class T>
concept void_awaitable = std::same_as<T, asio::awaitable<void, typename T::executor_type>>;

// What a session takes: the protocol's usual socket, or else the one of the worker's executor.
template <class Session, class Protocol, class Workers>
using session_socket = std::conditional_t<
    std::invocable<Session&, typename Protocol::socket>, typename Protocol::socket,
    typename Protocol::socket::template rebind_executor<executor_of<Workers>>::other>;

// Takes a connection of Protocol, and returns a coroutine that serves it.
template <class Session, class Protocol, class Workers>
concept session_of = contexts<Workers> && std::move_constructible<Session>
    && requires(Session& session, session_socket<Session, Protocol, Workers> socket) {
           { session(std::move(socket)) } -> void_awaitable;
       };

template <class Protocol, contexts Workers, class Session>
class sessions final : public serving<Protocol>
{
    static_assert(session_of<Session, Protocol, Workers>,
        "a session takes a socket of the protocol by value and returns an asio::awaitable<void>");

public:
    sessions(Workers& workers, Session session, serve_options options)
        : serving<Protocol>(std::move(options))
        , workers_(workers)
        , session_(std::move(session))
    {
    }

    // Before anything is watched: what watches reads them.
    void add_workers()
    {
        for_each_context(workers_, [this](auto& context) { this->add_worker(context); });
    }

    void watch_workers()
    {
        for_each_context(workers_, [this](auto& context) {
            // Socket services that are added after ours would be shut down before it.
            [[maybe_unused]] socket const first(context);
            this->watch_worker(context);
        });
    }

private:
    using socket = session_socket<Session, Protocol, Workers>;
    using socket_executor = typename socket::executor_type;
    using session_executor = typename std::invoke_result_t<Session&, socket>::executor_type;

    static asio::awaitable<void, session_executor> run_session(
        std::shared_ptr<sessions> all, socket s)
    {
        co_await (*all->session_)(std::move(s));
    }

    void destroy_session() noexcept override { session_.reset(); }

    void cancel_sessions_on_loops(asio::cancellation_type type) override
    {
        this->with_workers([&] {
            for_each_context(workers_, [&](auto& context) {
                if (this->may_cancel(context, type))
                    this->cancel_on_loop(context, type);
            });
        });
    }

    // On its way to a worker. Not a part of what is submitted: that is destroyed if it is refused.
    struct connection
    {
        socket client;
        permit its;
    };

    // Of the workers.
    auto& choose()
    {
        auto* chosen = &next_context(workers_);
        asio::execution_context* const better = this->choose_worker(*chosen);
        if (better == chosen)
            return *chosen;
        this->figures()->change([](serve_metrics& m) { ++m.passed_over; });
        for_each_context(workers_, [&](auto& other) {
            if (&other == better)
                chosen = &other;
        });
        return *chosen;
    }

    void begin(listener<Protocol>& from, permit p, boost::system::error_code& error) override
    {
        auto& first = choose();
        auto const c = std::make_shared<connection>(
            connection{socket(socket_executor(first.get_executor())), std::move(p)});
        c->its.connect();
        typename Protocol::endpoint peer; // the client may be gone when it is asked for
        detail::accept(from.acceptor, from.protocol, c->client, peer, error);
        if (error || !this->admits(peer))
            return;
        c->its.set_socket(socket_identity(c->client.native_handle()));
        std::exception_ptr refusal = give(first, c);
        if (!refusal)
            return;
        for_each_context(workers_, [&](auto& other) {
            if (!refusal || &other == &first || this->is_gone(other))
                return;
            this->figures()->change([](serve_metrics& m) { ++m.passed_over; });
            c->client = socket(
                socket_executor(other.get_executor()), from.protocol, c->client.release());
            refusal = give(other, c);
        });
        if (refusal)
            std::rethrow_exception(refusal);
    }

    // The exception if its session cannot begin there.
    template <class Context>
    std::exception_ptr give(Context& context, std::shared_ptr<connection> const& c)
    try
    {
        c->its.assign(context);
        socket_executor const executor = context.get_executor();
        session_executor const runs_on = executor;
        asio::post(runs_on, [runs_on, all = self(), c] {
            all->start(runs_on, std::move(c->client), std::move(c->its));
        });
        return nullptr;
    }
    catch (...)
    {
        return std::current_exception();
    }

    // On the worker. co_spawn submits again, but from there it is not refused.
    void start(session_executor const& executor, socket s, permit p)
    try
    {
        using at_end = typename serving<Protocol>::end_of_session;
        asio::execution_context& context = asio::query(executor, asio::execution::context);
        if (!this->options().cancel_sessions || !is_loop(context))
            return asio::co_spawn(
                executor, run_session(self(), std::move(s)), at_end{self(), std::move(p)});
        auto const signal = std::make_shared<asio::cancellation_signal>();
        p.set_signal(signal);
        asio::co_spawn(executor, run_session(self(), std::move(s)),
            asio::bind_cancellation_slot(signal->slot(), at_end{self(), std::move(p)}));
    }
    catch (...)
    {
        this->ended(std::current_exception());
    }

    std::shared_ptr<sessions> self()
    {
        return std::static_pointer_cast<sessions>(this->shared_from_this());
    }

    Workers& workers_; // used only within begin(), or while they cannot be gone
    std::optional<Session> session_;
};

} // namespace asio_ewyk::detail

#endif
