// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ASIO_OBSERVED_WAITS_HPP
#define ASIO_EWYK_DETAIL_ASIO_OBSERVED_WAITS_HPP

#include <asio_ewyk/detail/asio/io_context_timer.hpp>
#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/wait_hook.hpp>

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <exception>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// Whether Asio's waits for I/O are observed in this program: see wait_hook. The first call tries
// that, with an io_context that waits for nothing; the next one, if that could not be tried.
class observed_waits
{
public:
    static bool are_had() noexcept
    {
#if defined(ASIO_EWYK_DETAIL_WAIT_HOOK)
        // 0, 1, or -1: not known yet. Relaxed: threads that try at a time find the same.
        static std::atomic<int> known{-1};
        int had = known.load(std::memory_order_relaxed);
        try
        {
            if (had < 0)
                known.store(had = are_told(), std::memory_order_relaxed);
        }
        catch (std::exception const&)
        {
            // There are no files left for it; the next one tries again.
        }
        return had > 0;
#else
        return false;
#endif
    }

private:
    struct observer final : wait_observer
    {
        bool told = false;

    private:
        void begin(int, bool) noexcept override { told = true; }
        void end(int, bool) noexcept override {}
    };

    ASIO_EWYK_COLD static bool are_told()
    {
        asio::io_context ioc(1);
        io_context_timer timer(ioc, std::chrono::seconds(0));
        timer.async_wait([](auto) {});
        observer o;
        ioc.poll();
        return o.told;
    }
};

} // namespace asio_ewyk::detail

#endif
