#ifndef ASIO_EWYK_DETAIL_SERVING_HPP
#define ASIO_EWYK_DETAIL_SERVING_HPP

#include <asio_ewyk/detail/admission.hpp>
#include <asio_ewyk/detail/event_loop_service.hpp>
#include <asio_ewyk/strategy_service.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/strand.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

// Where to accept with an acceptor of that executor: one function at a time, and, where we know the
// context, by an executor that never refuses. A strand would stay locked if the one below it once
// did, and co_spawn would not survive it.
template <class Executor>
asio::any_io_executor serial(Executor const& executor)
{
    asio::execution_context& context = asio::query(executor, asio::execution::context);
    if (asio::has_service<event_loop_service>(context))
    {
        auto& loop = asio::use_service<event_loop_service>(context);
        loop.start();
        return loop.context().get_executor();
    }
    if (asio::has_service<strategy_service>(context))
        return asio::make_strand(
            asio::use_service<strategy_service>(context).context().get_executor());
    return asio::make_strand(executor);
}

// Calls what it is given, at once.
class inline_executor
{
public:
    template <class F>
    void execute(F&& f) const
    {
        std::forward<F>(f)();
    }

    friend bool operator==(inline_executor const&, inline_executor const&) noexcept = default;
};

template <class Protocol>
class listener final : public listener_base
{
public:
    using acceptor_type = asio::basic_socket_acceptor<Protocol>;

    listener(std::shared_ptr<admission> all, asio::any_io_executor executor, acceptor_type a)
        : listener_base(std::move(all), std::move(executor))
        , acceptor(std::move(a))
    {
        acceptor.non_blocking(true);
        // Otherwise Asio waits, in the middle of an accept, for another client.
        acceptor.set_option(asio::socket_base::enable_connection_aborted(true));
    }

    acceptor_type acceptor;

private:
    void stop_waiting() noexcept override
    {
        boost::system::error_code ignored; // there was nothing to stop
        acceptor.cancel(ignored);
    }

    void close() noexcept override
    {
        boost::system::error_code ignored; // it is closed all the same
        acceptor.close(ignored);
    }
};

// What a serve() does, but for the sessions; so that it is compiled once for all kinds of them.
//
// The boss waits until there is somebody to accept, and then accepts at once, into a socket of the
// worker's. An operation that waits with such a socket would not do: it belongs to the boss's
// context, and the socket must be gone before the worker's is destroyed, which may come first.
template <class Protocol>
class serving : public admission
{
public:
    using listener_type = listener<Protocol>;
    using listeners = std::vector<std::shared_ptr<listener_type>>;

    using admission::admission;
    virtual ~serving() = default;

    // Everything, until the last session has ended. The coroutine owns what it works on.
    static asio::awaitable<void> run(std::shared_ptr<serving> all, listeners ls)
    {
        listener_type& first = *ls.front();
        for (std::size_t i = 1; i != ls.size(); ++i)
        {
            auto const executor = ls[i]->executor();
            asio::co_spawn(executor, accept(all, std::move(ls[i])), asio::detached);
        }
        co_await accept(all, ls.front());
        for (all->stop(nullptr, &first); !all->finished(); all->stop(nullptr, &first))
            co_await wait(first);
        if (all->sessions_are_over())
            all->destroy_session();
        if (auto const failure = all->failure())
            std::rethrow_exception(failure);
    }

protected:
    // Nobody uses it any more.
    virtual void destroy_session() noexcept = 0;

    // Accepts a client with a context of the workers, and begins its session.
    virtual void begin(typename listener_type::acceptor_type& acceptor, place p,
        boost::system::error_code& error)
        = 0;

    void ended(std::exception_ptr e) const noexcept
    {
        if (options().on_session_error)
            options().on_session_error(std::move(e));
    }

    // The last of a session; of one type, so that co_spawn is compiled once for all kinds of them.
    // It is called where the session ended, which needs no executor that might refuse it.
    struct end_of_session
    {
        using executor_type = inline_executor;
        executor_type get_executor() const noexcept { return {}; }

        void operator()(std::exception_ptr e) const
        {
            if (e)
                all->ended(std::move(e));
        }

        std::shared_ptr<serving> all;
        place p;
    };

private:
    enum class next_step
    {
        wait_for_client,
        wait_for_place,
        back_off,
        end,
    };

    // So that the boss gets to its other work. Netty's figure.
    static constexpr int at_a_time = 16;

    static constexpr auto as_result = asio::as_tuple(asio::deferred);

    // Waits until somebody pokes, or for a while.
    static asio::awaitable<void> wait(
        listener_type& self, std::chrono::nanoseconds time = std::chrono::seconds(1))
    {
        self.timer().expires_at(after(time));
        (void)co_await self.timer().async_wait(as_result);
    }

    // Accepts until stop().
    static asio::awaitable<void> accept(
        std::shared_ptr<serving> all, std::shared_ptr<listener_type> self)
    try
    {
        for (bool reported = false; !all->stopping();)
        {
            auto [error] =
                co_await self->acceptor.async_wait(asio::socket_base::wait_read, as_result);
            switch (error ? all->failed(error, reported)
                          : all->accept_some(*self, error, reported))
            {
            case next_step::wait_for_client:
                break;
            case next_step::wait_for_place:
                co_await wait(*self);
                break;
            case next_step::back_off:
                co_await wait(*self, all->options().back_off);
                break;
            case next_step::end:
                all->stop(std::make_exception_ptr(boost::system::system_error(error)));
                break;
            }
        }
        boost::system::error_code ignored; // it is closed all the same
        self->acceptor.close(ignored);
    }
    catch (...)
    {
        all->stop(std::current_exception());
    }

    next_step accept_some(listener_type& self, boost::system::error_code& error, bool& reported)
    try
    {
        for (int i = 0; i != at_a_time && !stopping(); ++i)
        {
            // A worker is chosen only if there is somebody for it.
            if (i != 0)
                self.acceptor.wait(asio::socket_base::wait_read, error);
            if (error)
                return failed(error, reported);
            if (enter(self))
                with_workers([&, p = place(shared_from_this())]() mutable {
                    begin(self.acceptor, std::move(p), error);
                });
            else if (options().when_full == connections_full::wait)
                return next_step::wait_for_place;
            else
                self.acceptor.accept(error);
            if (error)
                return failed(error, reported);
            reported = false;
        }
        return next_step::wait_for_client;
    }
    catch (...)
    {
        ended(std::current_exception());
        return next_step::back_off;
    }

    next_step failed(boost::system::error_code error, bool& reported) const noexcept
    {
        namespace errc = boost::system::errc;
        if (error == asio::error::operation_aborted || error == asio::error::would_block
            || error == asio::error::try_again || error == asio::error::interrupted
            || error == asio::error::connection_aborted || error == asio::error::connection_reset
            || error == errc::protocol_error)
            return next_step::wait_for_client;
        if (error == asio::error::bad_descriptor || error == asio::error::not_socket
            || error == asio::error::invalid_argument)
            return next_step::end;
        if (!std::exchange(reported, true) && options().on_accept_error)
            options().on_accept_error(error);
        return next_step::back_off;
    }
};

} // namespace asio_ewyk::detail

#endif
