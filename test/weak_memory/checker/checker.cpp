// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "relacy.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace weak_memory {

namespace {

setup const* running = nullptr;
weakening const* weakened = nullptr;
char const* reason = nullptr; // of the last fail()

constexpr std::size_t max_variables = 4;
std::array<void**, max_variables> variables{}; // thread-local ones
std::size_t used_variables = 0;

// What each thread knows of the others' past, while it runs.
constexpr std::size_t max_threads = 4;
std::array<rl::timestamp_t*, max_threads> known{};

// The code under test is entered by a thread that has not been there.
void enter() noexcept
{
    if (rl::ctx().threadx_)
        known[rl::ctx().threadx_->index_] = rl::ctx().threadx_->acq_rel_order_;
    for (std::size_t i = 0; i != used_variables; ++i)
        *variables[i] = nullptr;
    in_scenario = true;
}

// What a thread was started for that is not one of the scenario's.
struct start
{
    thread_function function;
    void* argument;
};
std::array<start, 4> starts{};
std::size_t used_starts = 0;

void* run_started(void* p)
{
    auto const* const s = static_cast<start const*>(p);
    enter();
    s->function(s->argument);
    in_scenario = false;
    return nullptr;
}

rl::memory_order translate(std::memory_order o)
{
    switch (o)
    {
    case std::memory_order_relaxed: return rl::mo_relaxed;
    case std::memory_order_consume: return rl::mo_consume;
    case std::memory_order_acquire: return rl::mo_acquire;
    case std::memory_order_release: return rl::mo_release;
    case std::memory_order_acq_rel: return rl::mo_acq_rel;
    case std::memory_order_seq_cst: break;
    }
    return rl::mo_seq_cst;
}

bool same(operation const& a, operation const& b)
{
    return a.line == b.line && a.kind == b.kind && std::strcmp(a.file, b.file) == 0;
}

// What was executed, by a hash of its place.
constexpr std::size_t max_operations = 1024;
std::array<operation, max_operations> executed{};

void note(operation const& at)
{
    std::size_t i = (reinterpret_cast<std::uintptr_t>(at.file) / 8 + at.line * 7
        + static_cast<std::size_t>(at.kind)) % max_operations;
    for (std::size_t n = 0; n != max_operations; ++n, i = (i + 1) % max_operations)
    {
        operation& o = executed[i];
        if (o.file == at.file && o.line == at.line && o.kind == at.kind)
            return;
        if (!o.file)
        {
            o = at;
            return;
        }
    }
    std::abort();
}

template <unsigned Threads, unsigned More>
struct suite : rl::test_suite<suite<Threads, More>, Threads>
{
    static rl::thread_id_t const dynamic_thread_count = More;

    suite()
    {
        forget_memory();
        forget_objects();
        used_starts = 0;
        known = {};
        enter();
        scenario_ = running->make(allocate(running->size, 64));
        in_scenario = false;
    }

    ~suite()
    {
        enter();
        scenario_->~scenario();
        in_scenario = false;
    }

    void thread(unsigned index)
    {
        enter();
        scenario_->thread(index);
        in_scenario = false;
    }

    void after()
    {
        enter();
        scenario_->after();
        in_scenario = false;
    }

    scenario* scenario_;
};

template <unsigned Threads, unsigned More>
outcome run_suite(std::size_t executions, bool tell)
{
    using test = suite<Threads, More>;
    using scheduler = rl::random_scheduler<test::params::thread_count>;
    std::ostringstream nowhere;
    std::ostringstream state;
    std::ostringstream story;
    rl::test_params params;
    params.iteration_count = executions;
    params.execution_depth_limit = 5000;
    params.progress_stream = &nowhere;
    params.output_stream = &story;
    reason = nullptr;
    rl::test_result_e const result = rl::run_test<test, scheduler>(params, state, false);
    in_scenario = false;
    outcome out;
    out.executions = static_cast<std::size_t>(params.stop_iteration);
    if (result == rl::test_result_success)
        return out;
    out.wrong = reason ? reason : rl::test_result_str(result);
    if (tell)
    {
        params.initial_state = state.str();
        params.collect_history = true;
        rl::run_test<test, scheduler>(params, state, true);
        in_scenario = false;
        // From where its threads begin, to where it is told again thread by thread.
        out.story = story.str();
        out.story.erase(0, out.story.find("[BEFORE END]"));
        out.story.erase(std::min(out.story.size(), out.story.find("\nthread 0:")));
    }
    return out;
}

vector_clock clock_now;

}

rl::memory_order order_of(operation const& at)
{
    note(at);
    return translate(weakened && same(weakened->where, at) ? weakened->to : at.order);
}


void outside::leave() noexcept
{
    in_scenario = false;
    for (std::size_t i = 0; i != used_variables; ++i)
        own_[i] = *variables[i];
}

void outside::come_back() noexcept
{
    for (std::size_t i = 0; i != used_variables; ++i)
        *variables[i] = own_[i];
    in_scenario = true;
}

void keep_apart(void** variable)
{
    if (used_variables == max_variables)
        std::abort();
    variables[used_variables++] = variable;
}

vector_clock const* running_clock()
{
    if (!rl::is_ctx() || !rl::ctx().threadx_ || rl::ctx().invariant_executing)
        return nullptr;
    rl::context& c = rl::ctx();
    clock_now = {c.threadx_->acq_rel_order_, static_cast<unsigned>(c.threadx_->index_),
        static_cast<unsigned>(c.get_thread_count())};
    return &clock_now;
}

void fail(char const* what)
{
    in_scenario = false;
    reason = what;
    rl::ctx().fail_test(what, rl::test_result_user_assert_failed, $);
    std::abort();
}

outcome run(setup const& what, std::size_t executions, weakening const* flaw, bool tell)
{
    running = &what;
    weakened = flaw;
    switch (what.threads * 10 + what.more)
    {
    case 11: return run_suite<1, 1>(executions, tell);
    case 20: return run_suite<2, 0>(executions, tell);
    case 30: return run_suite<3, 0>(executions, tell);
    case 40: return run_suite<4, 0>(executions, tell);
    case 21: return run_suite<2, 1>(executions, tell);
    case 22: return run_suite<2, 2>(executions, tell);
    }
    std::abort();
}

std::vector<operation> take_operations()
{
    std::vector<operation> shipped;
    for (operation& o : executed)
    {
        if (o.file && (std::strstr(o.file, "include/asio_ewyk/") || std::strstr(o.file, "copied_")))
            shipped.push_back(o);
        o.file = nullptr;
    }
    return shipped;
}

void claim(bool holds, char const* what)
{
    if (!holds)
        fail(what);
}

void yield()
{
    outside const o;
    rl::ctx().yield(1, $);
}

void let_time_pass()
{
    outside const o;
    std::size_t const threads = static_cast<std::size_t>(rl::ctx().get_thread_count());
    for (std::size_t about = 0; about != threads; ++about)
    {
        rl::timestamp_t latest = 0;
        for (std::size_t i = 0; i != threads; ++i)
            if (known[i])
                latest = std::max(latest, known[i][about]);
        for (std::size_t i = 0; i != threads; ++i)
            if (known[i])
                known[i][about] = latest;
    }
}

unsigned choose(unsigned limit)
{
    outside const o;
    return rl::ctx().rand(limit, rl::sched_type_user);
}

unsigned thread_index() { return static_cast<unsigned>(rl::ctx().current_thread()); }

void* start_thread(thread_function f, void* argument)
{
    outside const out;
    if (used_starts == starts.size())
        std::abort();
    start& s = starts[used_starts++] = {f, argument};
    return rl::ctx().create_thread(&run_started, &s);
}

void join_thread(void* thread)
{
    outside const out;
    static_cast<rl::win_waitable_object*>(thread)->wait(false, false, $);
}

}
