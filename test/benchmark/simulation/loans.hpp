#ifndef ASIO_EWYK_TEST_BENCHMARK_SIMULATION_LOANS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_SIMULATION_LOANS_HPP

#include "machine.hpp"

#include <asio_ewyk/detail/look_interval.hpp>
#include <asio_ewyk/detail/overrun_history.hpp>
#include <asio_ewyk/detail/production.hpp>
#include <asio_ewyk/detail/spread.hpp>

#include <cstddef>
#include <optional>

namespace benchmark::simulation {

/** The grace of a context: whether its producer lends, and what the thread that stands by sees.

    detail::standby in simulated time: the same figures, `look_interval`, `spread` and `overrun_history`.
*/
class loans
{
public:
    using task_type = asio_ewyk::detail::task::action;

    loans(machine const& on, duration grace);

    bool in_use() const { return grace_ != duration::zero(); }

    /// The producer: whether to lend for such a task.
    bool pays(task_type type) const { return pays_ && !history_.expects_overrun(type); }

    /// The producer, for each task.
    void count(thread const& producer);

    void begin(thread const& lender);
    void ended(task_type type, bool late) { history_.ran(type, late); }

    /// A task took that long, after production was handed over.
    void handed_over(task_type type, duration time, bool superseded);

    enum class verdict
    {
        look_again,
        take_over,
        leave,
    };

    /// The thread that stands by comes, and then looks.
    void stand_by() { quiet_ = 0; }
    verdict look(asio_ewyk::detail::production now, thread& watcher);
    duration next_look() const { return machine_.now() + interval_.get(); }

private:
    machine const& machine_;
    duration const grace_;
    duration const computing_grace_;
    asio_ewyk::detail::look_interval interval_;
    int quiet_ = 0;
    bool pays_ = true;
    asio_ewyk::detail::spread spread_;
    asio_ewyk::detail::overrun_history history_;

    // Of this window.
    std::size_t tasks_ = 0;
    int late_ = 0;
    duration ran_{};
    duration began_window_{};
    duration cpu_{};  // of the producer, when it became it
    duration used_{}; // by those before, in this window
    bool known_ = false;
    thread const* producer_ = nullptr;

    // Of the last loan.
    duration began_{};
    thread const* lender_ = nullptr;
};

} // namespace benchmark::simulation

#endif
