#include "primitives.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace benchmark {

namespace {

using nanoseconds = std::chrono::duration<double, std::nano>;

// The least of some runs of f(): whatever disturbs makes it longer.
template <class F>
nanoseconds least(F f)
{
    nanoseconds best(std::numeric_limits<double>::max());
    for (int i = 0; i != 5; ++i)
    {
        auto const began = std::chrono::steady_clock::now();
        f();
        best = std::min<nanoseconds>(best, std::chrono::steady_clock::now() - began);
    }
    return best;
}

// A thread sleeps until another one signals.
class futex_signal
{
public:
    void set()
    {
        word_.store(1);
        ::syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }

    void wait()
    {
        while (word_.exchange(0) == 0)
            ::syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    }

private:
    std::atomic<std::uint32_t> word_{0};
};

class eventfd_signal
{
public:
    eventfd_signal()
        : descriptor_(::eventfd(0, EFD_CLOEXEC))
    {
        if (descriptor_ < 0)
            throw std::system_error(errno, std::generic_category(), "eventfd");
    }

    ~eventfd_signal() { ::close(descriptor_); }
    eventfd_signal(eventfd_signal const&) = delete;
    eventfd_signal& operator=(eventfd_signal const&) = delete;

    void set() { ::eventfd_write(descriptor_, 1); }

    void wait()
    {
        ::eventfd_t value;
        ::eventfd_read(descriptor_, &value);
    }

private:
    int descriptor_;
};

std::vector<int> allowed_cpus()
{
    ::cpu_set_t set;
    ::sched_getaffinity(0, sizeof(set), &set);
    std::vector<int> cpus;
    for (int cpu = 0; cpu != CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &set))
            cpus.push_back(cpu);
    return cpus;
}

void bind_this_thread(int cpu)
{
    ::cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    ::sched_setaffinity(0, sizeof(set), &set);
}

// Two threads that wake each other in turns; half of a turn.
template <class Signal>
nanoseconds wake_up(int cpu, int other_cpu)
{
    constexpr int turns = 1000;
    return least([&] {
               Signal ping;
               Signal pong;
               std::jthread other([&] {
                   bind_this_thread(other_cpu);
                   for (int i = 0; i != turns; ++i)
                   {
                       ping.wait();
                       pong.set();
                   }
               });
               std::jthread one([&] {
                   bind_this_thread(cpu);
                   for (int i = 0; i != turns; ++i)
                   {
                       ping.set();
                       pong.wait();
                   }
               });
           })
        / (2 * turns);
}

template <class Signal>
boost::json::value on_other_core(std::vector<int> const& cpus)
{
    if (cpus.size() < 2)
        return nullptr;
    return wake_up<Signal>(cpus[0], cpus[1]).count();
}

} // namespace

boost::json::object measure_primitives()
{
    constexpr int calls = 10'000;
    auto const cpus = allowed_cpus();
    return {
        {"system_call", least([] {
                            for (int i = 0; i != calls; ++i)
                                ::syscall(SYS_getppid);
                        }).count() / calls},
        {"futex_same_core", wake_up<futex_signal>(cpus.at(0), cpus[0]).count()},
        {"futex_other_core", on_other_core<futex_signal>(cpus)},
        {"eventfd_same_core", wake_up<eventfd_signal>(cpus.at(0), cpus[0]).count()},
        {"eventfd_other_core", on_other_core<eventfd_signal>(cpus)},
    };
}

} // namespace benchmark
