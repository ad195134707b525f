#ifndef ASIO_EWYK_DETAIL_OS_CONDITION_HPP
#define ASIO_EWYK_DETAIL_OS_CONDITION_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>

#include <memory>
#include <mutex>

namespace asio_ewyk::detail {

// A std::condition_variable out of sight: its header brings threads, semaphores and stop tokens
// along, which everybody who includes this library would compile.
class condition
{
public:
    // Throws std::bad_alloc.
    condition();
    ~condition();

    condition(condition const&) = delete;
    condition& operator=(condition const&) = delete;

    void notify_all() noexcept;

    template <class Predicate>
    void wait(std::unique_lock<std::mutex>& lock, Predicate holds)
    {
        while (!holds())
            wait(lock);
    }

    // Whether it holds; false if the deadline came first.
    template <class Predicate>
    bool wait_until(std::unique_lock<std::mutex>& lock, time_point deadline, Predicate holds)
    {
        while (!holds())
            if (!wait_until(lock, deadline))
                return holds();
        return true;
    }

private:
    struct variable;

    void wait(std::unique_lock<std::mutex>& lock);
    bool wait_until(std::unique_lock<std::mutex>& lock, time_point deadline);

    std::unique_ptr<variable> const variable_;
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/os/condition.ipp>
#endif

#endif
