// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The hand-shake of schedule() and on_wake_up() in detail/loop/event_loop_service.ipp, line by line. Its
// class cannot be made here: it is a service of a real io_context.

#ifndef ASIO_EWYK_TEST_WEAK_MEMORY_COPIED_EVENT_LOOP_HPP
#define ASIO_EWYK_TEST_WEAK_MEMORY_COPIED_EVENT_LOOP_HPP

#include <asio_ewyk/detail/asio/wakeup_op.hpp>
#include <asio_ewyk/detail/task/posted_queue.hpp>

namespace weak_memory {

class event_loop
{
public:
    // Any thread.
    void execute(asio_ewyk::detail::task* t)
    {
        posted_.push(t);
        schedule();
    }

    boost::asio::io_context& ioc() { return ioc_; }

private:
    void schedule() noexcept
    {
        if (!scheduled_.load() && !scheduled_.exchange(true))
            wakeup_op_.send(ioc_, *this);
    }

    friend asio_ewyk::detail::wakeup_op<event_loop>;

    void on_wake_up()
    {
        struct finish
        {
            event_loop& self;

            ~finish()
            {
                ++self.rounds_;
                if (self.ready_.empty())
                {
                    self.scheduled_.store(false);
                    if (self.posted_.empty() || self.scheduled_.exchange(true))
                        return;
                }
                self.wakeup_op_.send(self.ioc_, self);
            }
        } const at_end{*this};
        posted_.drain_to(ready_);
        if (asio_ewyk::detail::task* const t = ready_.pop())
            t->run();
    }

    boost::asio::io_context ioc_;
    asio_ewyk::detail::task_list ready_;
    int rounds_ = 0; // the loop's own
    asio_ewyk::detail::posted_queue posted_;
    std::atomic<bool> scheduled_{false};
    asio_ewyk::detail::wakeup_op<event_loop> wakeup_op_;
};

}

#endif
