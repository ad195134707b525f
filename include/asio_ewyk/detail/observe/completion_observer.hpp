// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OBSERVE_COMPLETION_OBSERVER_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_COMPLETION_OBSERVER_HPP

#include <asio_ewyk/detail/config.hpp>

#include <boost/config.hpp>

#include <utility>

namespace asio_ewyk::detail {

// A function that Asio is to call may have a member type of this name. Then the hook of
// tracking.hpp leaves it to that to say which handlers it runs, if any.
template <class T>
concept tells_its_handlers = requires { typename T::tells_its_handlers; };

// Whether an operation of Asio's calls such a function, perhaps in binders of Asio's: these have it
// as their first argument.
template <class Operation>
inline constexpr bool calls_what_tells = tells_its_handlers<Operation>;

template <template <class...> class Operation, class Function, class... Others>
inline constexpr bool calls_what_tells<Operation<Function, Others...>>
    = tells_its_handlers<Operation<Function, Others...>> || calls_what_tells<Function>;

enum class completion_kind : unsigned char
{
    native,    // of a handler that nothing else tells of
    of_strand, // of one of several handlers that Asio counts as one
    tells,     // what is called says itself which handlers it runs
};

// The seam to what tracks Asio's operations: an observer is told of each completion on its thread.
// Completions nest, and so do observers: a completion is told to the innermost observer of the time
// when it began. Nothing tells of them where the program is not compiled with Asio's hook.
class BOOST_SYMBOL_VISIBLE completion_observer
{
public:
    completion_observer(completion_observer const&) = delete;
    completion_observer& operator=(completion_observer const&) = delete;

    // Before Asio calls the handler, and when that is destroyed, also after it has thrown.
    virtual void begin_completion(completion_kind is) noexcept = 0;
    virtual void end_completion() noexcept = 0;

    // Not inlined: a stackful coroutine may go on, on another thread.
    BOOST_NOINLINE static completion_observer* of_this_thread() noexcept { return top_; }

protected:
    // Observes its thread until it is destroyed.
    completion_observer() noexcept
        : outer_(std::exchange(top_, this))
    {
    }

    ~completion_observer() { top_ = outer_; }

private:
    completion_observer* const outer_;

    static inline thread_local completion_observer* top_ = nullptr;
};

} // namespace asio_ewyk::detail

#endif
