// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ASIO_BASIC_EXECUTOR_HPP
#define ASIO_EWYK_DETAIL_ASIO_BASIC_EXECUTOR_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy.hpp>

#include <boost/asio/execution/allocator.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/mapping.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/execution/relationship.hpp>
#if defined(ASIO_EWYK_DETAIL_INLINE_EXCEPTION_HANDLING)
#include <boost/asio/execution/inline_exception_handling.hpp>
#endif
#include <boost/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace asio_ewyk::detail {

// What an executor says of the functions that are given to it.
struct submission
{
    strategy_t strategy;
    invocation_t invocation;
    bool blocking_never = false;
    bool continuation = false;

    friend constexpr bool operator==(submission, submission) noexcept = default;
};

// Where the parts of a submission begin in a word.
//
// Layout: [pointer][continuation 1 bit][never 1 bit][invocation 2 bits][strategy 3 bits]
struct submission_layout
{
    static constexpr int strategy = 0;
    static constexpr int invocation = strategy + strategy_names.bits;
    static constexpr int never = invocation + invocation_names.bits;
    static constexpr int continuation = never + 1;
    static constexpr int pointer = continuation + 1;
};

// Every target is aligned to this, so that a pointer to it leaves room for a submission.
inline constexpr std::size_t target_alignment = std::size_t{1} << submission_layout::pointer;

// A pointer to a target and a submission in one word.
template <class Target>
class packed_target
{
public:
    packed_target(Target& target, submission s) noexcept
        : word_(reinterpret_cast<std::uintptr_t>(&target) | pack(s))
    {
    }

    Target& target() const noexcept { return *reinterpret_cast<Target*>(word_ & ~mask); }

    // If one source includes all of the library, g++ -O2 would make it a call, for each task.
    BOOST_FORCEINLINE submission get() const noexcept
    {
        // Not by their constructors, which would look whether there is such a value.
        return {std::bit_cast<strategy_t>(part<unsigned char>(at::strategy, strategy_names.bits)),
            std::bit_cast<invocation_t>(part<unsigned char>(at::invocation, invocation_names.bits)),
            part<bool>(at::never, 1), part<bool>(at::continuation, 1)};
    }

    friend bool operator==(packed_target, packed_target) noexcept = default;

private:
    using at = submission_layout;

    static constexpr std::uintptr_t mask = target_alignment - 1;

    template <class T>
    BOOST_FORCEINLINE T part(int from, int bits) const noexcept
    {
        return static_cast<T>(word_ >> from & ((std::uintptr_t{1} << bits) - 1));
    }

    static std::uintptr_t pack(submission s) noexcept
    {
        return static_cast<std::uintptr_t>(s.strategy.value()) << at::strategy
            | static_cast<std::uintptr_t>(s.invocation.value()) << at::invocation
            | std::uintptr_t{s.blocking_never} << at::never
            | std::uintptr_t{s.continuation} << at::continuation;
    }

    std::uintptr_t word_;
};

struct no_work
{
    template <class Target>
    explicit no_work(Target&) noexcept
    {
    }
};

// An executor of Asio over a target. Traits names the target, its execution context, the object
// that counts as outstanding work, whether the target knows strategies, whether execute() keeps
// the exception of a function that it calls at once, and how it executes.
template <class Traits, class Allocator, bool Tracked>
class BOOST_SYMBOL_VISIBLE basic_executor
{
public:
    using target_type = typename Traits::target_type;

    explicit basic_executor(
        target_type& target, submission s = {}, Allocator const& allocator = {}) noexcept
        : packed_(target, s)
        , work_(target)
        , allocator_(allocator)
    {
    }

    // Runs f() by the rules of the target; see its class comment.
    template <class F>
    void execute(F&& f) const
    {
        Traits::execute(packed_.target(), packed_.get(), std::forward<F>(f), allocator_);
    }

    // The execution context that the target belongs to.
    decltype(auto) context() const noexcept { return Traits::context(packed_.target()); }

    // Whether execute() with `blocking.possibly` would run a function here and now.
    bool running_in_this_thread() const noexcept
    {
        return Traits::running_in_this_thread(packed_.target());
    }

    // Executors are equal if every property of them is.
    friend bool operator==(basic_executor const& a, basic_executor const& b) noexcept
    {
        return a.packed_ == b.packed_ && a.allocator_ == b.allocator_;
    }

#if defined(ASIO_EWYK_DETAIL_TS_EXECUTORS)
    // The interface of the Networking TS: Asio's strand still asks for it.

    void on_work_started() const noexcept { Traits::work_started(packed_.target()); }
    void on_work_finished() const noexcept { Traits::work_finished(packed_.target()); }

    template <class F, class Other>
    void dispatch(F&& f, Other const& a) const
    {
        require(asio::execution::blocking.possibly).execute_with(std::forward<F>(f), a);
    }

    template <class F, class Other>
    void post(F&& f, Other const& a) const
    {
        require(asio::execution::blocking.never).execute_with(std::forward<F>(f), a);
    }

    template <class F, class Other>
    void defer(F&& f, Other const& a) const
    {
        require(asio::execution::blocking.never)
            .require(asio::execution::relationship.continuation)
            .execute_with(std::forward<F>(f), a);
    }
#endif

    decltype(auto) query(asio::execution::context_t) const noexcept { return context(); }

    static constexpr asio::execution::mapping_t query(asio::execution::mapping_t) noexcept
    {
        return asio::execution::mapping.thread;
    }

    static constexpr asio::execution::outstanding_work_t query(
        asio::execution::outstanding_work_t) noexcept
    {
        if constexpr (Tracked)
            return asio::execution::outstanding_work.tracked;
        else
            return asio::execution::outstanding_work.untracked;
    }

#if defined(ASIO_EWYK_DETAIL_INLINE_EXCEPTION_HANDLING)
    static constexpr asio::execution::inline_exception_handling_t query(
        asio::execution::inline_exception_handling_t) noexcept
        requires Traits::captures
    {
        return asio::execution::inline_exception_handling.capture;
    }
#endif

    asio::execution::blocking_t query(asio::execution::blocking_t) const noexcept
    {
        if (packed_.get().blocking_never)
            return asio::execution::blocking.never;
        return asio::execution::blocking.possibly;
    }

    asio::execution::relationship_t query(asio::execution::relationship_t) const noexcept
    {
        if (packed_.get().continuation)
            return asio::execution::relationship.continuation;
        return asio::execution::relationship.fork;
    }

    template <class Other>
    Allocator query(asio::execution::allocator_t<Other>) const noexcept
    {
        return allocator_;
    }

    strategy_t query(strategy_t) const noexcept
        requires Traits::has_strategy
    {
        return packed_.get().strategy;
    }

    invocation_t query(invocation_t) const noexcept
        requires Traits::has_strategy
    {
        return packed_.get().invocation;
    }

    basic_executor require(asio::execution::blocking_t::possibly_t) const noexcept
    {
        return with([](submission& s) { s.blocking_never = false; });
    }

    basic_executor require(asio::execution::blocking_t::never_t) const noexcept
    {
        return with([](submission& s) { s.blocking_never = true; });
    }

    basic_executor require(asio::execution::relationship_t::fork_t) const noexcept
    {
        return with([](submission& s) { s.continuation = false; });
    }

    basic_executor require(asio::execution::relationship_t::continuation_t) const noexcept
    {
        return with([](submission& s) { s.continuation = true; });
    }

    basic_executor<Traits, Allocator, true> require(
        asio::execution::outstanding_work_t::tracked_t) const noexcept
    {
        return basic_executor<Traits, Allocator, true>(
            packed_.target(), packed_.get(), allocator_);
    }

    basic_executor<Traits, Allocator, false> require(
        asio::execution::outstanding_work_t::untracked_t) const noexcept
    {
        return basic_executor<Traits, Allocator, false>(
            packed_.target(), packed_.get(), allocator_);
    }

    template <class Other>
    basic_executor<Traits, Other, Tracked> require(
        asio::execution::allocator_t<Other> a) const noexcept
    {
        return basic_executor<Traits, Other, Tracked>(packed_.target(), packed_.get(), a.value());
    }

    basic_executor<Traits, std::allocator<void>, Tracked> require(
        asio::execution::allocator_t<void>) const noexcept
    {
        return basic_executor<Traits, std::allocator<void>, Tracked>(
            packed_.target(), packed_.get());
    }

    basic_executor require(strategy_t strategy) const noexcept
        requires Traits::has_strategy
    {
        return with([&](submission& s) { s.strategy = strategy; });
    }

    basic_executor require(invocation_t invocation) const noexcept
        requires Traits::has_strategy
    {
        return with([&](submission& s) { s.invocation = invocation; });
    }

private:
    template <class F, class Other>
    void execute_with(F&& f, Other const& allocator) const
    {
        Traits::execute(packed_.target(), packed_.get(), std::forward<F>(f), allocator);
    }

    template <class Change>
    basic_executor with(Change change) const noexcept
    {
        submission s = packed_.get();
        change(s);
        basic_executor result(*this);
        result.packed_ = packed_target<target_type>(packed_.target(), s);
        return result;
    }

    packed_target<target_type> packed_;
    [[no_unique_address]] std::conditional_t<Tracked, typename Traits::work, no_work> work_;
    [[no_unique_address]] Allocator allocator_;
};

} // namespace asio_ewyk::detail

#endif
