#ifndef ASIO_EWYK_DETAIL_ERASED_TASK_HPP
#define ASIO_EWYK_DETAIL_ERASED_TASK_HPP

#include <asio_ewyk/detail/task.hpp>

#include <boost/asio/execution/any_executor.hpp>

#include <memory>

namespace asio_ewyk::detail {

// An executor that runs nothing, and tells the type of the task that a function would become.
template <class Keep>
class task_type_probe
{
public:
    explicit task_type_probe(task::action& type) noexcept
        : type_(&type)
    {
    }

    template <class F>
    void execute(F&&) const
    {
        *type_ = &task_for<F, std::allocator<void>, Keep>::act;
    }

    friend bool operator==(task_type_probe const&, task_type_probe const&) noexcept = default;

private:
    task::action* type_;
};

// The type of every task that comes through one of Asio's type-erased executors, such as
// any_io_executor: what these wrap functions in is Asio's own affair, but can be had by asking one.
template <class Keep>
task::action erased_task()
{
    static task::action const type = [] {
        task::action told{};
        asio::execution::any_executor<>(task_type_probe<Keep>(told)).execute([] {});
        return told;
    }();
    return type;
}

} // namespace asio_ewyk::detail

#endif
