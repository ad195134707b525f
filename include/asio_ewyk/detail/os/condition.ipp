#ifndef ASIO_EWYK_DETAIL_OS_CONDITION_IPP
#define ASIO_EWYK_DETAIL_OS_CONDITION_IPP

#include <asio_ewyk/detail/os/condition.hpp>
#include <asio_ewyk/detail/config.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>

namespace asio_ewyk::detail {

struct condition::variable
{
    std::condition_variable object;
};

ASIO_EWYK_DECL condition::condition()
    : variable_(std::make_unique<variable>())
{
}

ASIO_EWYK_DECL condition::~condition() = default;

ASIO_EWYK_DECL void condition::notify_all() noexcept
{
    variable_->object.notify_all();
}

ASIO_EWYK_DECL void condition::wait(std::unique_lock<std::mutex>& lock)
{
    variable_->object.wait(lock);
}

ASIO_EWYK_DECL bool condition::wait_until(
    std::unique_lock<std::mutex>& lock, time_point deadline)
{
    return variable_->object.wait_until(lock, deadline) == std::cv_status::no_timeout;
}

} // namespace asio_ewyk::detail

#endif
