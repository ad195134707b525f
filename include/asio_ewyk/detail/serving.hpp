#ifndef ASIO_EWYK_DETAIL_SERVING_HPP
#define ASIO_EWYK_DETAIL_SERVING_HPP

#include <asio_ewyk/detail/admission.hpp>
#include <asio_ewyk/event_loop_executor.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <concepts>
#include <memory>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

// Runs one function at a time. A loop does that by itself; and a strand over one would stay locked
// if the loop, where the number of its tasks is limited, once refused it.
template <class Executor>
asio::any_io_executor serial(Executor const& executor)
{
    if constexpr (std::same_as<Executor, event_loop_executor>)
        return executor;
    else
    {
        if constexpr (std::same_as<Executor, asio::any_io_executor>)
            if (executor.template target<event_loop_executor>())
                return executor;
        return asio::make_strand(executor);
    }
}

// co_spawn, for an executor that may refuse what others submit: that is thrown, which co_spawn
// itself would not survive.
template <class T, class Executor, class Handler>
void spawn(Executor const& executor, asio::awaitable<T, Executor> coroutine, Handler handler)
{
    asio::dispatch(executor,
        [executor, coroutine = std::move(coroutine), handler = std::move(handler)]() mutable {
            asio::co_spawn(executor, std::move(coroutine), std::move(handler));
        });
}

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
    }

    acceptor_type acceptor;

private:
    void stop_accepting() noexcept override
    {
        boost::system::error_code ignored; // there was nothing to stop
        acceptor.cancel(ignored);
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
        for (std::size_t i = 1; i != ls.size(); ++i)
        {
            asio::any_io_executor const executor = ls[i]->executor();
            try
            {
                spawn(executor, run_beside(all, std::move(ls[i])), asio::detached);
            }
            catch (...)
            {
                all->stop(std::current_exception());
            }
        }
        listener_type& first = *ls.front();
        co_await all->accept(first);
        boost::system::error_code ignored;
        first.acceptor.close(ignored);

        for (all->stop(nullptr, &first); !all->finished(); all->stop(nullptr, &first))
            co_await wait(first);
        if (auto const failure = all->failure())
            std::rethrow_exception(failure);
    }

protected:
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
    struct end_of_session
    {
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
        self.timer().expires_after(std::chrono::ceil<asio::steady_timer::duration>(time));
        (void)co_await self.timer().async_wait(as_result);
    }

    static asio::awaitable<void> run_beside(
        std::shared_ptr<serving> all, std::shared_ptr<listener_type> self)
    {
        co_await all->accept(*self);
    }

    // Accepts until stop().
    asio::awaitable<void> accept(listener_type& self)
    {
        for (bool reported = false; !stopping();)
        {
            auto [error] =
                co_await self.acceptor.async_wait(asio::socket_base::wait_read, as_result);
            switch (error ? failed(error, reported) : accept_some(self, error, reported))
            {
            case next_step::wait_for_client:
                break;
            case next_step::wait_for_place:
                co_await wait(self);
                break;
            case next_step::back_off:
                co_await wait(self, options().back_off);
                break;
            case next_step::end:
                stop(std::make_exception_ptr(boost::system::system_error(error)));
                break;
            }
        }
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
