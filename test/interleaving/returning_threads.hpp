// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Stands for the threads that wait at the end of a blocking_section, each operation of which is one
// step. The shipped ones do the same under a mutex.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_RETURNING_THREADS_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_RETURNING_THREADS_HPP

#define ASIO_EWYK_DETAIL_ENGINE_RETURNING_THREADS_HPP

namespace asio_ewyk::detail {

class returning_threads
{
public:
    struct entry
    {
        struct
        {
            void park_until(time_point) const noexcept
            {
                using namespace interleaving;
                std::uint64_t const mine = std::uint64_t{1} << self();
                await([&] { return (of->passed_.get() & mine) != 0; });
                of->passed_.set(of->passed_.get() & ~mine);
                book::now->take();
            }
            returning_threads* of = nullptr;
        } sleep;
    };

    bool any() const noexcept
    {
        step("looks which come back");
        interleaving::observe(waiting_.get());
        return waiting_.get() != 0 && interleaving::wrong != interleaving::flaw::return_is_not_seen;
    }

    void add(entry& e) noexcept
    {
        step("waits to come back");
        e.sleep.of = this;
        int at = 0;
        while ((waiting_.get() >> at & 15) != 0)
            at += 4;
        waiting_.set(waiting_.get() | std::uint64_t{interleaving::self() + 1} << at);
        if (interleaving::wrong == interleaving::flaw::returns_unasked)
            passed_.set(passed_.get() | std::uint64_t{1} << interleaving::self());
    }

    bool pass_right() noexcept
    {
        step("passes the right on");
        interleaving::observe(waiting_.get());
        std::uint64_t const first = waiting_.get() & 15;
        if (first == 0)
            return false;
        waiting_.set(waiting_.get() >> 4);
        interleaving::book::now->drop();
        if (interleaving::wrong != interleaving::flaw::return_wakes_nobody)
            passed_.set(passed_.get() | std::uint64_t{1} << (first - 1));
        return true;
    }

private:
    static void step(char const* what)
    {
        interleaving::point();
        if (interleaving::tells())
            interleaving::tell(what);
    }

    interleaving::word waiting_{0}; // four bits each, the first in the lowest
    interleaving::word passed_{0};  // a bit for each thread
};

}

#endif
