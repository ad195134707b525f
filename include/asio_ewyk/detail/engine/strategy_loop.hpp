// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_STRATEGY_LOOP_HPP
#define ASIO_EWYK_DETAIL_ENGINE_STRATEGY_LOOP_HPP

#include <asio_ewyk/detail/engine/choose.hpp>
#include <asio_ewyk/detail/engine/decision.hpp>
#include <asio_ewyk/detail/engine/production_loop.hpp>
#include <asio_ewyk/detail/engine/trace_choice.hpp>
#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/observe/task_action.hpp>
#include <asio_ewyk/detail/observe/trace_point.hpp>
#include <asio_ewyk/detail/task/task.hpp>
#include <asio_ewyk/detail/utility/at_exit.hpp>
#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy.hpp>
#include <asio_ewyk/strategy_policy.hpp>

#include <chrono>
#include <concepts>
#include <utility>

namespace asio_ewyk::detail {

template <class Task>
constexpr invocation_t invocation_of(Task const& task) noexcept
{
    if constexpr (requires { { task.invocation() } -> std::convertible_to<invocation_t>; })
        return task.invocation();
    else
        return invocation_t::blocking;
}

// A production_loop whose source is a producer, and which runs what that produces by its strategy.
template <class Producer>
class strategy_loop final : public production_loop
{
public:
    strategy_loop(Producer& source, elastic_threads& pool, strategy_t s,
        std::chrono::nanoseconds grace, strategy_policy const& policy)
        : production_loop(pool, s, grace)
        , source_(source)
        , decision_(succession_, policy)
    {
    }

private:
    auto next_product(call_frame& frame)
    {
        at_exit const over([&] { succession_.keep_no_more(frame); });
        trace_span const produces(trace_event::produce, frame_key());
        return source_.produce();
    }

    bool run_next(call_frame& frame) override
    {
        auto product = next_product(frame);
        if (!product)
            return false;
        run(frame, std::move(product));
        return true;
    }

    template <class Product>
    void run(call_frame& frame, Product product)
    {
        strategy_t const s = strategy_of(product);
        invocation_t const i = invocation_of(product);
        bool may_block = this_thread_may_block;
        auto const how = decision_.decide(frame, s, i, nullptr, may_block);
        if (how == how_to_run::given)
            return give(frame, s, std::move(product));
        decision::running const until_end(decision_, frame, how);
        handler_scope const scope(&describe<Product>);
        may_block_scope const mark(may_block);
        // The product is destroyed as a part of the task: its destructor may block as well.
        Product mine(std::move(product));
        mine();
        frame.rethrow_captured();
    }

    template <class Product>
    void give(call_frame& frame, strategy_t s, Product product)
    {
        trace_choice(nullptr, s, sub_strategy::produce_execute_consume, false);
        task_ptr t(make_task(std::move(product)));
        if (detail::task* const refused = threads_.give(std::move(t), traits_of(s).queues_for_pool))
            run_refused(refused, frame);
    }

    template <class Product>
    strategy_t strategy_of(Product const& product) const noexcept
    {
        if constexpr (requires { { product.strategy() } -> std::same_as<strategy_t>; })
            return product.strategy();
        else
            return succession_.strategy();
    }

    Producer& source_;
    decision decision_;
};

} // namespace asio_ewyk::detail

#endif
