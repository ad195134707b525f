#include "chains.hpp"

#include "computing.hpp"
#include "counter.hpp"
#include "measurement.hpp"
#include "peers.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <thread>

namespace benchmark {

namespace {

// The work of one chain, ready to be done many times; counts how often it was done.
class worker : public counter
{
public:
    explicit worker(work const& each, std::uint64_t steps)
        : sleeps_(each.sleeps)
        , time_(each.time)
        , steps_(steps)
    {
    }

    void operator()() noexcept
    {
        if (sleeps_)
            std::this_thread::sleep_for(time_);
        else
            seed_ = compute(steps_, seed_);
        add();
    }

private:
    bool sleeps_;
    std::chrono::nanoseconds time_;
    std::uint64_t steps_;
    std::uint64_t seed_ = 0;
};

template <class Peer>
class chain
{
public:
    chain(Peer& peer, worker& does) noexcept
        : peer_(&peer)
        , does_(&does)
    {
    }

    void operator()() const
    {
        (*does_)();
        peer_->submit(*this);
    }

private:
    Peer* peer_;
    worker* does_;
};

} // namespace

boost::json::object measure_chains(
    std::string_view peer, parameters const& with, work const& each)
{
    auto const steps = each.sleeps ? 0 : steps_of(each.time);
    std::deque<worker> workers;
    for (std::size_t i = 0; i != with.count("chains"); ++i)
        workers.emplace_back(each, steps);

    boost::json::object result;
    measurement measure(with, [&] { return sum(workers); });
    visit_peer(peer, with, [&](auto& p) {
        for (worker& w : workers)
            p.submit(chain(p, w));
        result = measure.watch();
        result["threads"] = p.threads();
    });
    return result;
}

} // namespace benchmark
