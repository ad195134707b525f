// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A program that loads a plugin, each with a copy of the library: the threads that one has started
// work for what the other one has made.

#include "plugin.hpp"

#include <boost/asio/post.hpp>

#include <chrono>
#include <iostream>
#include <thread>

#include <dlfcn.h>

namespace {

bool all_hold = true;

void check(bool holds, ewyk::strategy_t s, char const* what)
{
    if (!holds)
        std::cerr << "does not hold with " << s << ": " << what << '\n';
    all_hold = all_hold && holds;
}

// The plugin starts threads first, which then come for the program's context.
void check_context_of_program(plugin& other, ewyk::strategy_t s)
{
    std::atomic<std::size_t> ran{0};
    std::size_t expected = 2 * plugin::handlers;
    {
        ewyk::strategy_context context(
            s, {.grace = std::chrono::nanoseconds::zero(), .max_threads = 4});
        other.post_to(context.pool(), ran);
        other.post_to(context, ran);
        for (int i = 0; i != 100; ++i, ++expected)
            asio::post(context, [&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                ++ran;
            });
        context.run();
        while (ran != expected)
            std::this_thread::yield(); // the pool's own
    }
}

} // namespace

int main(int, char** arguments)
{
    void* const library = ::dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    void* const found = library ? ::dlsym(library, "the_plugin") : nullptr;
    if (!found)
    {
        std::cerr << ::dlerror() << '\n';
        return 1;
    }
    plugin& other = *reinterpret_cast<plugin* (*)()>(found)();
    for (ewyk::strategy_t const s :
        {ewyk::strategy.produce_consume, ewyk::strategy.produce_execute_consume,
            ewyk::strategy.execute_produce_consume, ewyk::strategy.eat_what_you_kill})
    {
        check_context_of_program(other, s);
        ewyk::worker_pool pool({.max_threads = 4});
        asio::post(pool, [] {}); // the program starts a thread
        check(other.runs_over(pool, s), s, "the plugin's context runs all handlers");
        check(other.produces_over(pool, s), s, "the plugin's strategy runs all tasks");
    }
    return all_hold ? 0 : 1;
}
