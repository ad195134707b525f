#ifndef ASIO_EWYK_IMPL_STRATEGY_SHUTDOWN_HPP
#define ASIO_EWYK_IMPL_STRATEGY_SHUTDOWN_HPP

#include <asio_ewyk/strategy_service.hpp>

namespace asio_ewyk {

// How a strategy_service ends.

inline void strategy_service::stop() noexcept
{
    ioc_.stop();
    reactor_.stopped();
    recall_tasks();
    crew_.wake_all();
}

// Handlers run only while somebody is inside run(): what waits for a thread waits here instead.
inline void strategy_service::recall_tasks() noexcept
{
    bool asked = false;
    while (detail::task* t = crew_.take())
        if (engine_.is_production(t))
        {
            asked = true;
            t->destroy();
        }
        else
        {
            crew_.count_back();
            reactor_.post(t);
        }
    if (!asked)
        return;
    reactor_.abandoned();
    // It may have been asked by somebody who has come meanwhile.
    if (crew_.runners() != 0 && engine_.idle() && !ioc_.stopped())
    {
        detail::call_frame frame(&engine_);
        engine_.dispatch(frame);
    }
}

inline void strategy_service::halt()
{
    stop();
    crew_.pool().leave();
}

inline void strategy_service::shutdown()
{
    shut_down_.store(true);
    halt();
    reactor_.destroy_tasks();
}

} // namespace asio_ewyk

#endif
