// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_OVERLOAD_SHEDDING_EXECUTOR_HPP
#define ASIO_EWYK_OVERLOAD_SHEDDING_EXECUTOR_HPP

#include <asio_ewyk/detail/overload/shedding.hpp>

#include <boost/asio/execution/executor.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <chrono>
#include <type_traits>
#include <utility>

namespace asio_ewyk {

namespace asio = boost::asio;

/** A property of a `shedding_executor`: what begins later than that is refused.

    `asio::require(ex, deadline(t))` and `asio::prefer` return an executor that has it;
    `asio::query(ex, deadline())` tells it. The default is the longest time, which is none.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.

    @par Exception Safety
    No member throws.
*/
class deadline
{
public:
    using time_point = std::chrono::steady_clock::time_point;
    using polymorphic_query_result_type = time_point;

    template <class T>
    static constexpr bool is_applicable_property_v = asio::execution::is_executor<T>::value;
    static constexpr bool is_requirable = true;
    static constexpr bool is_preferable = true;

    /// None.
    constexpr deadline() noexcept = default;

    /// At that time.
    constexpr explicit deadline(time_point t) noexcept
        : time_(t)
    {
    }

    constexpr time_point value() const noexcept { return time_; }

private:
    time_point time_ = time_point::max();
};

/** An executor over another one, which does not run what has waited for too long: the result of
    `load_shedder::executor`.

    It submits each function to the other executor. When that one calls it, the shedder decides by
    the time that it has waited: it is called, or it is refused, which means that it is destroyed
    without being called.

    Use it where a piece of work comes in, such as a request, and for nothing else: what was begun
    must be finished. So it has no property `context`, and by that is no executor for I/O objects,
    coroutines and strands, which do not survive that a part of their work is destroyed. Put it over
    a strand instead: what is not refused keeps its order.

    Other properties are those of the other executor: `require` and `prefer` return a
    `shedding_executor` over what the other one returns.

    The `load_shedder` must outlive it, and what was submitted by it.

    @par Thread Safety
    Distinct objects: safe. Shared objects: safe, if that holds for `Executor`; except for
    assignment.

    @tparam Executor a type for which `asio::execution::is_executor` holds.
*/
template <class Executor>
class shedding_executor
{
public:
    static_assert(asio::execution::is_executor<Executor>::value);

    using inner_executor_type = Executor;

    /// The executor that it submits to.
    Executor get_inner_executor() const noexcept { return inner_; }

    /** Submits f to the inner executor, as that one's properties say. If that one runs it at once,
        f was in no queue: it tells nothing of how long others wait there.

        Throws what the inner executor throws, and `queue_full_error` beyond
        `load_shedder_options::max_waiting`; then f is destroyed.
    */
    template <class F>
    void execute(F&& f) const
    {
        detail::shed_submission const now;
        inner_.execute(detail::shed_task<std::decay_t<F>>(
            *shedding_, deadline_.value(), std::forward<F>(f)));
    }

    friend bool operator==(shedding_executor const& a, shedding_executor const& b) noexcept
    {
        return a.shedding_ == b.shedding_ && a.inner_ == b.inner_
            && a.deadline_.value() == b.deadline_.value();
    }

    deadline::time_point query(deadline) const noexcept { return deadline_.value(); }

    shedding_executor require(deadline d) const noexcept { return {inner_, *shedding_, d}; }

    template <class Property>
        requires(asio::can_query_v<Executor const&, Property>
            && !detail::asks_for_context<Property>)
    decltype(auto) query(Property const& p) const
        noexcept(asio::is_nothrow_query_v<Executor const&, Property>)
    {
        return asio::query(inner_, p);
    }

    template <class Property>
        requires asio::can_require_v<Executor const&, Property>
    auto require(Property const& p) const
        noexcept(asio::is_nothrow_require_v<Executor const&, Property>)
    {
        return over(asio::require(inner_, p));
    }

    template <class Property>
        requires asio::can_prefer_v<Executor const&, Property>
    auto prefer(Property const& p) const
        noexcept(asio::is_nothrow_prefer_v<Executor const&, Property>)
    {
        return over(asio::prefer(inner_, p));
    }

private:
    friend class load_shedder;
    template <class Other>
    friend class shedding_executor;

    shedding_executor(Executor inner, detail::shedding& shedding, deadline d = {}) noexcept
        : inner_(std::move(inner))
        , shedding_(&shedding)
        , deadline_(d)
    {
    }

    template <class Other>
    shedding_executor<Other> over(Other other) const noexcept
    {
        return {std::move(other), *shedding_, deadline_};
    }

    Executor inner_;
    detail::shedding* shedding_;
    deadline deadline_;
};

} // namespace asio_ewyk

#endif
