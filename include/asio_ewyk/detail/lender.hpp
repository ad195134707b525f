#ifndef ASIO_EWYK_DETAIL_LENDER_HPP
#define ASIO_EWYK_DETAIL_LENDER_HPP

#include <cstdint>

namespace asio_ewyk::detail {

// What has lent the right to produce to the thread that stands by, while a task runs: a
// strategy_engine, for those that need not know its type.
class lender
{
public:
    // The lender's own thread, from within the task: the loan is no loan any more. No effect if it
    // has ended already.
    virtual void end_loan(std::uint32_t loan) noexcept = 0;

protected:
    ~lender() = default;
};

} // namespace asio_ewyk::detail

#endif
