#ifndef ASIO_EWYK_DETAIL_FINISHING_HPP
#define ASIO_EWYK_DETAIL_FINISHING_HPP

#include <boost/asio/io_context.hpp>

#include <atomic>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// Threads of the pool that are about to finish work: one of them may be the one that ends all of it
// and stops the io_context, a moment later. Any thread.
class finishing
{
public:
    void begin() noexcept { count_.fetch_add(1); }

    void end() noexcept
    {
        count_.fetch_sub(1);
        count_.notify_all();
    }

    // For whoever has been told by the stop: so that he does not return in between, call restart(),
    // and is stopped then.
    void await_stop(asio::io_context const& ioc) const noexcept
    {
        for (int n = count_.load(); n != 0 && ioc.stopped(); n = count_.load())
            count_.wait(n);
    }

private:
    // Sequentially consistent, as is the io_context's count of work: who has seen its end sees who
    // brought it about.
    std::atomic<int> count_{0};
};

} // namespace asio_ewyk::detail

#endif
