#ifndef ASIO_EWYK_DETAIL_LOAN_COUNT_HPP
#define ASIO_EWYK_DETAIL_LOAN_COUNT_HPP

#include <atomic>
#include <cstdint>

namespace asio_ewyk::detail {

// How many loans there were. Each has a number, in the word of production.hpp: so a loan is counted
// by the exchange that begins it, and not before, when it may still fail, nor afterwards, when this
// thread is the producer no longer. But the number has 28 bits only. This knows, from some loan
// before, how often it has wrapped around.
class loan_count
{
public:
    // The producer, which has seen that this is the number of the last loan. It is remembered now
    // and then, long before the number could have wrapped around twice.
    void see(std::uint32_t number) noexcept
    {
        std::uint64_t const before = seen_.load(std::memory_order_relaxed);
        std::uint64_t const now = extended(before, number);
        // Release, and acquire below: who reads it finds that number or a later one in the word.
        if (now - before >= std::uint64_t{1} << 20)
            seen_.store(now, std::memory_order_release);
    }

    // Any thread; `now` tells the number of the last loan.
    template <class Now>
    std::uint64_t get(Now now) const noexcept
    {
        std::uint64_t const seen = seen_.load(std::memory_order_acquire);
        return extended(seen, now());
    }

private:
    static std::uint64_t extended(std::uint64_t before, std::uint32_t number) noexcept
    {
        return before + ((number - before) & ((std::uint64_t{1} << 28) - 1));
    }

    std::atomic<std::uint64_t> seen_{0};
};

} // namespace asio_ewyk::detail

#endif
