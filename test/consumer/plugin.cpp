// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A plugin with a copy of the library of its own, which nothing else can see.

#include "plugin.hpp"

#include <boost/asio/post.hpp>

#include <chrono>
#include <functional>
#include <thread>

namespace {

// Some of them block, so that others take over.
template <class Context>
void post_handlers(Context& to, std::atomic<std::size_t>& ran)
{
    for (std::size_t i = 0; i != plugin::handlers; ++i)
        asio::post(to, [&ran, i] {
            if (i % 4 == 0)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            ++ran;
        });
}

class implementation final : public plugin
{
public:
    bool runs_over(ewyk::worker_pool& pool, ewyk::strategy_t s) override
    {
        std::atomic<std::size_t> ran{0};
        ewyk::strategy_context context(pool, s, std::chrono::nanoseconds::zero());
        post_handlers(context, ran);
        return context.run() == handlers && ran == handlers;
    }

    void post_to(ewyk::strategy_context& context, std::atomic<std::size_t>& ran) override
    {
        post_handlers(context, ran);
    }

    void post_to(ewyk::worker_pool& pool, std::atomic<std::size_t>& ran) override
    {
        post_handlers(pool, ran);
    }

    bool produces_over(ewyk::worker_pool& pool, ewyk::strategy_t s) override
    {
        struct source
        {
            std::atomic<std::size_t>& ran;
            std::size_t left = handlers;

            std::function<void()> produce()
            {
                if (left == 0)
                    return {};
                --left;
                return [this] {
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                    if (++ran == handlers)
                        ran.notify_all();
                };
            }
        };
        std::atomic<std::size_t> ran{0};
        source tasks{ran};
        ewyk::execution_strategy<source> strategy(tasks, pool, s);
        strategy.dispatch();
        for (std::size_t n = ran; n != handlers; n = ran)
            ran.wait(n);
        return true;
    }
};

} // namespace

extern "C" __attribute__((visibility("default"))) plugin* the_plugin()
{
    static implementation one;
    return &one;
}
