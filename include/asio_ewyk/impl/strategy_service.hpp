#ifndef ASIO_EWYK_IMPL_STRATEGY_SERVICE_HPP
#define ASIO_EWYK_IMPL_STRATEGY_SERVICE_HPP

#include <asio_ewyk/impl/strategy_executor.hpp>
#include <asio_ewyk/strategy_service.hpp>

#include <boost/config.hpp>

#include <utility>

namespace asio_ewyk {

// What a task is to the io_context: outstanding work until it has run.
class BOOST_SYMBOL_VISIBLE strategy_service::task_work
{
public:
    explicit task_work(strategy_service& service) noexcept
        : service_(&service)
        , work_(service)
    {
    }

    // Where one source has all of the library, g++ -O2 makes these calls, for each task.
    BOOST_FORCEINLINE task_work(task_work&& other) noexcept
        : service_(std::exchange(other.service_, nullptr))
        , work_(std::move(other.work_))
    {
    }

    task_work& operator=(task_work&&) = delete;

    BOOST_FORCEINLINE ~task_work()
    {
        if (service_)
            service_->finish(work_);
    }

private:
    strategy_service* service_;
    detail::strategy_work work_;
};

template <class F, class Allocator>
void strategy_service::execute(detail::submission s, F&& f, Allocator const& allocator)
{
    detail::call_frame* const frame = detail::call_frame::find(&engine_);
    // In a frame, or where somebody runs the io_context itself: as plain Asio does.
    if (!s.blocking_never && (frame || ioc_.get_executor().running_in_this_thread()))
    {
        using task = detail::task_for<F, Allocator, task_work>;
        bool const completes = frame && frame->in_producer;
        char const call = 0;
        if (!completes || begin_in_place(*frame, s, &task::act, &call))
        {
            try
            {
                run_in_place(std::forward<F>(f));
            }
            catch (...) // the stack is unwound
            {
                if (completes)
                    end_in_place(&call, &task::act);
                throw;
            }
            if (completes)
                end_in_place(&call, &task::act);
            return;
        }
    }
    if (shut_down_.load(std::memory_order_relaxed)) // set by the thread that destroys the context
        return;
    submit(frame, detail::make_task(std::forward<F>(f), s.strategy, s.invocation, allocator,
        [this]() noexcept { return task_work(*this); }));
}

template <class F>
void strategy_service::run_in_place(F&& f)
{
    // A function that was suspended may come back when the context is gone.
    detail::call_frame::run_in_place(&engine_, std::forward<F>(f),
        [this, there = watch_.there()](std::exception_ptr e) noexcept {
            there.report_by([&] { report_stray(std::move(e)); });
        });
}

} // namespace asio_ewyk

#endif
