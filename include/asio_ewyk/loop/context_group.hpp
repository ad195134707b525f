// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_LOOP_CONTEXT_GROUP_HPP
#define ASIO_EWYK_LOOP_CONTEXT_GROUP_HPP

#include <asio_ewyk/detail/config.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/iterator/indirect_iterator.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace asio_ewyk {

/** Several contexts, one of which serves each connection or whatever else is given out.

    Each context is served by threads of its own, or shares a `worker_pool` with the others; the
    group only owns them and chooses.

    @par Thread Safety
    Distinct objects: safe. Shared objects: safe, except for destruction.

    @par Exception Safety
    Each function says what it throws; an exception changes nothing but which context is next.

    @see event_loop_group
*/
template <class Context>
class context_group
{
public:
    using value_type = Context;
    using iterator = boost::indirect_iterator<std::unique_ptr<Context> const*>;
    using const_iterator =
        boost::indirect_iterator<std::unique_ptr<Context> const*, Context const>;

    /// Says which context is next: its index, less than `size()`. Called on each thread that calls
    /// next(), by several at a time.
    using chooser = std::function<std::size_t(context_group const&)>;

    /** `make(i)` makes the context number `i`, as a `std::unique_ptr<Context>`.

        Without a chooser they come in turn. Throws `std::invalid_argument` if `size` is 0, and what
        `make` throws.
    */
    template <class Make>
    context_group(std::size_t size, Make make, chooser choose = {})
        : choose_(std::move(choose))
    {
        if (size == 0)
            throw std::invalid_argument("context_group: size must be at least 1, not 0");
        contexts_.reserve(size);
        for (std::size_t i = 0; i != size; ++i)
            contexts_.push_back(make(i));
    }

    context_group(context_group const&) = delete;
    context_group& operator=(context_group const&) = delete;

    /** The next context in turn, or the one that the chooser says.

        Throws what the chooser throws, and `std::out_of_range` if its index is not below size().
    */
    Context& next()
    {
        std::size_t const i = choose_ ? choose_(*this) : turn();
        if (i >= size())
            throw std::out_of_range("context_group::next: the chooser's index must be less than "
                + std::to_string(size()) + ", not " + std::to_string(i));
        return *contexts_[i];
    }

    /** As `asio::post`, to the context that is next(): `post(group, f)`. Throws what both throw.

        Each call chooses anew: two functions may go to different contexts, and in any order.
    */
    template <class CompletionToken>
    friend auto post(context_group& group, CompletionToken&& token)
    {
        return boost::asio::post(group.next(), std::forward<CompletionToken>(token));
    }

    /// As `asio::co_spawn`, on the context that is next(), where the coroutine stays. What is
    /// spawned is a coroutine or a function that returns one. Throws what both throw.
    template <class Coroutine, class CompletionToken>
    friend auto co_spawn(context_group& group, Coroutine&& coroutine, CompletionToken&& token)
    {
        return boost::asio::co_spawn(group.next().get_executor(),
            std::forward<Coroutine>(coroutine), std::forward<CompletionToken>(token));
    }

    /// The `metrics()` of each, in order, for contexts that have them. Throws `std::bad_alloc`.
    auto metrics() const
        requires requires(Context const& context) { context.metrics(); }
    {
        std::vector<decltype(std::declval<Context const&>().metrics())> all;
        all.reserve(size());
        for (Context const& context : *this)
            all.push_back(context.metrics());
        return all;
    }

    /// The `load()` of all, for contexts that have one: the longest delays, the sum of what waits.
    /// No-throw guarantee.
    auto load() const noexcept
        requires requires(Context const& context) { context.load(); }
    {
        decltype(std::declval<Context const&>().load()) all;
        for (Context const& context : *this)
        {
            auto const one = context.load();
            all.delay = std::max(all.delay, one.delay);
            all.average_delay = std::max(all.average_delay, one.average_delay);
            all.waiting += one.waiting;
            all.threads_left = std::max(all.threads_left, one.threads_left);
        }
        return all;
    }

    /// How many there are. No-throw guarantee.
    std::size_t size() const noexcept { return contexts_.size(); }

    /// `i` must be less than `size()`. No-throw guarantee.
    Context& operator[](std::size_t i) noexcept { return *contexts_[i]; }
    /// `i` must be less than `size()`. No-throw guarantee.
    Context const& operator[](std::size_t i) const noexcept { return *contexts_[i]; }

    /// The contexts in order, as random access iterators. No-throw guarantee.
    iterator begin() noexcept { return iterator(contexts_.data()); }
    iterator end() noexcept { return iterator(contexts_.data() + size()); }
    const_iterator begin() const noexcept { return const_iterator(contexts_.data()); }
    const_iterator end() const noexcept { return const_iterator(contexts_.data() + size()); }

private:
    // In turn for ever. A counter that wraps around would skip some contexts if their number is not
    // a power of two (netty/netty#10489).
    std::size_t turn() noexcept
    {
        // Relaxed: nothing else depends on which context is next.
        std::size_t now = turn_.load(std::memory_order_relaxed);
        while (!turn_.compare_exchange_weak(
            now, now + 1 == contexts_.size() ? 0 : now + 1, std::memory_order_relaxed))
        {
        }
        return now;
    }

    chooser const choose_; // empty: in turn
    std::atomic<std::size_t> turn_{0}; // any thread that calls next()

    // Last: while they are destroyed they may notify objects that still call next().
    std::vector<std::unique_ptr<Context>> contexts_;
};

} // namespace asio_ewyk

#endif
