// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_STRATEGY_POLICY_HPP
#define ASIO_EWYK_STRATEGY_POLICY_HPP

#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy.hpp>

#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace asio_ewyk {

/// What a `strategy_policy` is told of a task.
struct task_traits
{
    /// What its submitter says of it.
    invocation_t invocation;

    /// Whether the producing thread, on which the policy is asked, may itself block.
    bool may_block = true;
};

/** Chooses one of the four strategies for each task, by a function of the user's own.

    The policy is asked for each task whose strategy is `custom`, when the task is about to run, and
    answers which of the four is to be used for that one task: so the answer may depend on the time,
    on the load, or on the task's invocation type. Tasks of the four are not affected. The task is
    then treated as if its executor had asked for the answer; whatever a policy answers, no task is
    lost and one thread produces. `custom` as the answer, or no policy at all, means
    `eat_what_you_kill`.

    The policy is asked by the thread that produces, which can do nothing else meanwhile, or by one
    that was late, and perhaps more than once for a task. So it must be quick, must not block, and
    must not use the context.

    Copies share the function, which lives as long as the last of them.

    @par Thread Safety
    Distinct objects: safe, if the function is safe to be called by several threads at a time, which
    one context may do, too. Shared objects: const members are safe.

    @par Exception Safety
    The function must be `noexcept`, which is checked when the program is compiled. Only
    construction from a function throws: what allocation and the function's copy or move throw.

    @par Example
    @snippet example/6_cookbook/policy_of_your_own.cpp night

    @see strategy_options::policy
*/
class strategy_policy
{
public:
    /// No policy.
    strategy_policy() noexcept = default;

    /// The policy that answers `f(task_traits)`.
    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, strategy_policy>)
    strategy_policy(F&& f)
    {
        using function = std::decay_t<F>;
        static_assert(std::is_invocable_r_v<strategy_t, function const&, task_traits>,
            "a strategy_policy is a function `strategy_t (task_traits) const`");
        static_assert(std::is_nothrow_invocable_r_v<strategy_t, function const&, task_traits>,
            "a strategy_policy must be noexcept");
        function_ = std::make_shared<function const>(std::forward<F>(f));
        call_ = [](void const* object, task_traits const& t) noexcept -> strategy_t {
            return (*static_cast<function const*>(object))(t);
        };
    }

    /// Whether there is one. No-throw guarantee.
    explicit operator bool() const noexcept { return call_ != nullptr; }

    /// What is used for a task whose executor asks for `s`: one of the four. No-throw guarantee.
    strategy_t operator()(strategy_t s, task_traits const& t) const noexcept
    {
        if (s != strategy_t::custom) [[likely]]
            return s;
        strategy_t const answer = call_ ? call_(function_.get(), t) : strategy_t();
        return answer == strategy_t::custom ? strategy_t() : answer;
    }

private:
    std::shared_ptr<void const> function_;
    strategy_t (*call_)(void const*, task_traits const&) noexcept = nullptr;
};

namespace detail {

inline strategy_policy const& checked_policy(strategy_policy const& policy, strategy_t s)
{
    if (s == strategy_t::custom && !policy)
        throw std::invalid_argument("strategy_options::policy must be set if strategy is custom");
    return policy;
}

} // namespace detail

} // namespace asio_ewyk

#endif
