#ifndef ASIO_EWYK_DETAIL_IMPL_SPREAD_IPP
#define ASIO_EWYK_DETAIL_IMPL_SPREAD_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/spread.hpp>

#include <algorithm>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL double spread::rate(window const& w) noexcept
{
    return static_cast<double>(w.tasks) / static_cast<double>(w.time.count());
}

ASIO_EWYK_DECL bool spread::lends_after(window const& w) noexcept
{
    switch (state_)
    {
    case state::lending:
        if (!w.cpu)
            return true;
        if (*w.cpu * 10 < w.time * 9)
        {
            wait_ = pause_;
            if (++enough_ >= pause_)
            {
                enough_ = 0;
                wait_ = pause_ = std::max(pause_ / 2, 1);
            }
            return true;
        }
        enough_ = 0;
        if (--wait_ > 0 || *w.cpu < shortest * static_cast<duration::rep>(w.tasks))
            return true;
        before_ = w;
        state_ = state::starting;
        return false;
    case state::starting: // threads have to wake up first
        state_ = state::trying;
        return false;
    case state::trying:
        if (rate(w) > rate(before_) * (1 + gain))
        {
            state_ = state::spreading;
            return false;
        }
        wait_ = pause_ = std::min(2 * pause_, longest_pause);
        state_ = state::lending;
        return true;
    case state::spreading:
        if (w.ran * 4 >= w.time * 3)
            return false;
        wait_ = pause_ = 1;
        state_ = state::lending;
        return true;
    }
    return true;
}

} // namespace asio_ewyk::detail

#endif
