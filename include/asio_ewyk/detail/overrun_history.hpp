#ifndef ASIO_EWYK_DETAIL_OVERRUN_HISTORY_HPP
#define ASIO_EWYK_DETAIL_OVERRUN_HISTORY_HPP

#include <asio_ewyk/detail/task.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace asio_ewyk::detail {

// Which types of tasks overrun the grace more often than not. It remembers a few, of those that
// have overrun at all, and forgets with every run: by a quarter what a run shows to be wrong, and
// by a 64th with each one that shows nothing, because the right to produce was handed over before.
// So of a type that always overruns about each 16th run is on loan, and a type that has become fast
// is found out by one of these.
//
// Any thread. Relaxed, all of it: a lost update, or the lateness of a type that has just lost its
// place to another one, costs one run that is on loan and should not be, or the reverse.
class overrun_history
{
public:
    // `untold`: a type that says nothing of the task, as one that wraps all kinds of functions.
    explicit overrun_history(task::action untold) noexcept
        : untold_(untold)
    {
    }

    // A null type, or one that says nothing, is never expected to overrun.
    bool expects_overrun(task::action type) const noexcept
    {
        entry const& e = entries_[place(type)];
        return says_something(type) && e.type.load(std::memory_order_relaxed) == type
            && e.lateness.load(std::memory_order_relaxed) > always / 2;
    }

    // A task of that type has run, and it is known whether it was late.
    void ran(task::action type, bool late) noexcept
    {
        if (!says_something(type))
            return;
        entry& e = entries_[place(type)];
        std::uint32_t lateness = e.lateness.load(std::memory_order_relaxed);
        if (e.type.load(std::memory_order_relaxed) != type)
        {
            if (!late)
                return;
            if (lateness >= always / 8)
            {
                // In vain, but a type that has ceased to run does not keep its place for ever.
                e.lateness.store(lateness - (lateness + 31) / 32, std::memory_order_relaxed);
                return;
            }
            e.type.store(type, std::memory_order_relaxed);
            lateness = 0;
        }
        else if (!late && lateness == 0)
            return;
        lateness = late ? lateness + (always - lateness) / 4 : lateness - (lateness + 3) / 4;
        e.lateness.store(lateness, std::memory_order_relaxed);
    }

    // A task of that type has run after a hand-over, because it was expected to overrun.
    void was_handed_over(task::action type) noexcept
    {
        entry& e = entries_[place(type)];
        std::uint32_t const lateness = e.lateness.load(std::memory_order_relaxed);
        if (e.type.load(std::memory_order_relaxed) == type)
            e.lateness.store(lateness - (lateness + 63) / 64, std::memory_order_relaxed);
    }

private:
    bool says_something(task::action type) const noexcept { return type && type != untold_; }

    static constexpr std::uint32_t always = 256;
    static constexpr std::size_t bits = 5;

    struct entry
    {
        std::atomic<task::action> type{};
        std::atomic<std::uint32_t> lateness{0}; // up to `always`; of the last runs, weighted
    };

    // Fibonacci hashing, of an address whose last bits are the same for all.
    static std::size_t place(task::action type) noexcept
    {
        auto const address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(type));
        return static_cast<std::size_t>(((address >> 4) * 0x9e3779b97f4a7c15u) >> (64 - bits));
    }

    task::action const untold_;
    std::array<entry, std::size_t{1} << bits> entries_;
};

} // namespace asio_ewyk::detail

#endif
