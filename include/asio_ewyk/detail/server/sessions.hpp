// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVER_SESSIONS_HPP
#define ASIO_EWYK_DETAIL_SERVER_SESSIONS_HPP

#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/loop/contexts.hpp>
#include <asio_ewyk/detail/os/sockets.hpp>
#include <asio_ewyk/detail/server/serving.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/system_executor.hpp>

#include <concepts>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

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

// The completion handler of a session; of one type, so that co_spawn is compiled once for all kinds
// of them. The thread that ended the session calls it: what is dispatched to Asio's system executor
// runs at once.
struct end_of_session
{
    using executor_type = asio::system_executor;
    executor_type get_executor() const noexcept { return {}; }

    void operator()(std::exception_ptr e) const
    {
        if (e)
            all->ended(std::move(e));
    }

    std::shared_ptr<serving> all;
    connection_place its;
};

template <class Protocol, contexts Workers, class Session>
class sessions final : public serving
{
    static_assert(session_of<Session, Protocol, Workers>,
        "a session takes a socket of the protocol by value and returns an asio::awaitable<void>");

public:
    sessions(Workers& workers, Session session, serve_options options)
        : serving(std::move(options))
        , group_(workers)
        , session_(std::move(session))
    {
        if (!is_tcp && this->options().admit)
            throw std::invalid_argument(
                "serve_options::admit must be empty for other protocols than TCP");
        for_each_context(group_, [this](auto& worker) {
            contexts_.push_back(&worker);
            add_worker(worker);
        });
    }

private:
    static constexpr bool is_tcp = std::is_same_v<Protocol, asio::ip::tcp>;

    using context = std::remove_reference_t<decltype(next_context(std::declval<Workers&>()))>;
    using socket = session_socket<Session, Protocol, Workers>;
    using socket_executor = typename socket::executor_type;
    using session_executor = typename std::invoke_result_t<Session&, socket>::executor_type;

    static asio::awaitable<void, session_executor> run_session(
        std::shared_ptr<sessions> all, socket s)
    {
        co_await (*all->session_)(std::move(s));
    }

    void destroy_session() noexcept override { session_.reset(); }

    // On its way to a worker. Not a part of what is submitted: that is destroyed if it is refused.
    struct connection
    {
        socket client;
        connection_place its;
    };

    void begin(listener& from, connection_place p, boost::system::error_code& error) override
    {
        std::size_t const first = choose_worker(next_context(group_));
        auto const c
            = std::make_shared<connection>(connection{socket(executor(first)), std::move(p)});
        typename Protocol::endpoint peer; // the client may be gone when it is asked for
        detail::accept(from.acceptor, c->client, peer, error);
        if (error || !admits(peer))
            return;
        std::exception_ptr refusal = give(first, c);
        for (std::size_t other = 0; refusal && other != contexts_.size(); ++other)
        {
            if (other == first || !takes_over(other))
                continue;
            c->client = move_to(executor(other), c->client, peer.protocol());
            refusal = give(other, c);
        }
        if (refusal)
            std::rethrow_exception(refusal);
    }

    // Whether to serve a client that has been accepted; counts it.
    bool admits([[maybe_unused]] typename Protocol::endpoint const& peer) const noexcept
    {
        bool admitted = true;
        if constexpr (is_tcp)
            try
            {
                if (options().admit)
                {
                    call_frame::end_leases();
                    admitted = options().admit(peer);
                }
            }
            catch (...)
            {
                admitted = false;
                report(std::current_exception());
            }
        count(admitted ? &serve_metrics::accepted : &serve_metrics::refused);
        return admitted;
    }

    // The exception if its session cannot begin there.
    std::exception_ptr give(std::size_t worker, std::shared_ptr<connection> const& c)
    try
    {
        assign(*c->its, worker, socket_identity(c->client.native_handle()));
        session_executor const runs_on = executor(worker);
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
    void start(session_executor const& executor, socket s, connection_place its)
    try
    {
        asio::cancellation_slot slot;
        if (options().cancel_sessions
            && is_loop(asio::query(executor, asio::execution::context)))
        {
            auto signal = std::make_shared<asio::cancellation_signal>();
            slot = signal->slot();
            set_signal(*its, std::move(signal));
        }
        asio::co_spawn(executor, run_session(self(), std::move(s)),
            asio::bind_cancellation_slot(slot, end_of_session{self(), std::move(its)}));
    }
    catch (...)
    {
        ended(std::current_exception());
    }

    socket_executor executor(std::size_t worker) const { return contexts_[worker]->get_executor(); }

    std::shared_ptr<sessions> self()
    {
        return std::static_pointer_cast<sessions>(shared_from_this());
    }

    Workers& group_;
    std::vector<context*> contexts_; // of the group
    std::optional<Session> session_;
};

} // namespace asio_ewyk::detail

#endif
