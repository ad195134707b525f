#ifndef ASIO_EWYK_DETAIL_OBSERVE_TASK_ACTION_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_TASK_ACTION_HPP

#include <boost/core/typeinfo.hpp>

namespace asio_ewyk::detail {

class task;

enum class task_purpose
{
    run,
    destroy,
    describe, // with a null task: return the type of the function, null for what is no handler
};

// What a task can do. Returns null but to `describe`.
using task_action = boost::core::typeinfo const* (*)(task*, task_purpose);

} // namespace asio_ewyk::detail

#endif
