#ifndef ASIO_EWYK_DETAIL_OS_COUNTER_HPP
#define ASIO_EWYK_DETAIL_OS_COUNTER_HPP

#include <cstdint>

namespace asio_ewyk::detail {

// In place of the library's own: counts nothing, so what is left out is what counting costs.
class own_counter
{
public:
    void add() noexcept {}
    void raise_to(std::uint64_t) noexcept {}
    std::uint64_t get() const noexcept { return 0; }
};

using shared_counter = own_counter;

} // namespace asio_ewyk::detail

#endif
