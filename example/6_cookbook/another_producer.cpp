// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The strategies work for anything that tasks come from, without any socket: the frames of a
// multiplexed connection, a queue, a channel. The producer is only ever called by one thread at a
// time.

#include <asio_ewyk.hpp>

#include <atomic>
#include <functional>
#include <iostream>
#include <latch>

namespace ewyk = asio_ewyk;

// tag::producer[]
// Gives ten tasks, as a connection would give the requests that it has received.
class frames
{
public:
    explicit frames(std::function<void(int)> handle) : handle_(std::move(handle)) {}

    std::function<void()> produce()
    {
        if (next_ == 10)
            return {}; // nothing to do; the strategy becomes idle until it is asked again
        return [this, n = next_++] { handle_(n); };
    }

private:
    std::function<void(int)> handle_;
    int next_ = 0;
};
// end::producer[]

int main()
{
    std::latch all(10);
    std::atomic<int> sum{0};
    frames source([&](int n) {
        sum += n;
        all.count_down();
    });

    // tag::strategy[]
    ewyk::worker_pool pool;
    ewyk::execution_strategy strategy(source, pool, ewyk::strategy.eat_what_you_kill);
    strategy.dispatch(); // a thread of the pool produces; produce() would do it on this thread
    // end::strategy[]

    all.wait();
    std::cout << "ten tasks, run by threads of the pool, with the sum " << sum << '\n';
    return sum == 45 ? 0 : 1;
}
