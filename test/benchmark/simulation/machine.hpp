#ifndef ASIO_EWYK_TEST_BENCHMARK_SIMULATION_MACHINE_HPP
#define ASIO_EWYK_TEST_BENCHMARK_SIMULATION_MACHINE_HPP

#include "costs.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

namespace benchmark::simulation {

class machine;

/// What a thread does after it has computed for what it had to pay.
struct step
{
    enum class kind
    {
        go_on, // at once with what next() says
        sleep, // for `time`
        park,  // until somebody calls unpark(), or until `time`
    };
    kind what = kind::go_on;
    duration time{};
};

/** A simulated thread: a state machine that is asked what comes next.

    What it does to others in next() happens at once, what that costs passes afterwards.
*/
class thread
{
public:
    thread() = default;
    thread(thread const&) = delete;
    thread& operator=(thread const&) = delete;
    virtual ~thread() = default;

    /// It computes for so much longer before the step that next() returns.
    void pay(duration cost) { debt_ += cost; }

    duration cpu_time() const { return cpu_time_; }
    bool sleeps() const { return state_ == state::sleeping || state_ == state::parked; }

    /// How often it gave up its core by itself.
    std::uint64_t switches() const { return switches_; }

protected:
    virtual step next() = 0;

    /// Whether its timeouts are exact.
    void be_exact(bool exact) { exact_ = exact; }

private:
    friend machine;

    enum class state
    {
        created,
        ready, // runs, or waits for a core
        sleeping,
        parked,
    };

    state state_ = state::created;
    step pending_;
    duration debt_{}; // before that
    bool signalled_ = false; // by unpark(), before it parked
    bool exact_ = false;
    std::size_t core_ = 0; // the last one
    std::uint64_t version_ = 0; // a timer of an older one is void
    duration cpu_time_{};
    std::uint64_t switches_ = 0;
};

/** Cores, and a scheduler that is as fair as a simple one can be.

    - A thread that wakes gets the core that it had, if that is idle; else another idle one; else it
      waits for the one with the fewest waiting, and does not interrupt the one that runs.
    - Who waits for a core gets it in turn; a thread that computes leaves it to the next one after
      a slice.
    - A core that is idle takes a thread that waits for another one.

    There is no chance in it: the same happens each time.

    @par Thread Safety
    Shared objects: unsafe.
*/
class machine
{
public:
    machine(std::size_t cores, costs const& c);

    costs const& cost() const { return cost_; }
    std::size_t cores() const { return cores_.size(); }
    duration now() const { return now_; }

    /// Not before this the thread does something. It must outlive all calls of run_until().
    void start(thread& t);

    /// Lets `by` pay for it, or nobody: who is outside of the machine.
    void unpark(thread& t, thread* by);

    /// Lets time pass.
    void run_until(duration end);

private:
    struct core
    {
        thread* running = nullptr;
        duration since{};          // it has had the core
        duration charged_until{};  // of its debt; later than now while it wakes up
        std::uint64_t version = 0; // an event of an older one is void
        std::deque<thread*> waiting{};
    };

    struct event
    {
        duration at;
        std::uint64_t order; // of those at the same time
        std::uint64_t version;
        std::size_t core;
        thread* timer; // null: of the core
        auto key() const { return std::pair(at, order); }
        friend bool operator>(event const& a, event const& b) { return a.key() > b.key(); }
    };

    void make_ready(thread& t, duration latency);
    std::size_t place(thread const& t) const;
    void occupy(std::size_t at, thread& t, duration latency);
    void charge(core& c);
    void plan(std::size_t at);
    void happens(std::size_t at);
    void act(std::size_t at);
    void block(std::size_t at, duration timeout);
    void release(std::size_t at);

    costs const cost_;
    duration const slice_;
    duration now_{};
    std::vector<core> cores_;
    std::priority_queue<event, std::vector<event>, std::greater<>> events_;
    std::uint64_t order_ = 0;
};

} // namespace benchmark::simulation

#endif
