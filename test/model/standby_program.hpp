// Modelled on standby.hpp, and on strategy_engine::stand_by.

#ifndef ASIO_EWYK_TEST_MODEL_STANDBY_PROGRAM_HPP
#define ASIO_EWYK_TEST_MODEL_STANDBY_PROGRAM_HPP

#include "machine.hpp"

namespace model {

/// Its looks can come at any time, as its sleep ends by itself, so that each loan may be late. If the
/// grace is endless, the sleep is so, too, while something is lent: then wake-ups must do.
/// a: the loan that it has seen; b: whether it produces now.
inline void stand_by(machine& m)
{
    enum { count, look, sleep, late_count, come, take_over, stand_down, uncount, produce, vacate };
    auto const state = m.production().state;
    auto const leave = [&](bool produces) {
        m.here().b = produces;
        m.go(uncount);
    };
    switch (m.here().line)
    {
    case count:
        if (!m.config().endless || m.is(flaw::stands_by_unseen))
            return m.go(look);
        m.access("says that it stands by");
        ++m.w.present;
        return m.go(look);
    case look:
        m.access("looks, standing by");
        m.here().a = static_cast<byte>(m.production().loan);
        if (m.config().places && !m.w.pool_queue.empty())
            m.w.wants_to_leave = 1;
        if (state == production_state::idle)
            return m.go(m.is(flaw::watcher_stays_away) ? stand_down : come);
        if (state != production_state::lent)
            return m.go(stand_down);
        if (!m.config().endless)
            return m.go(take_over);
        return m.go(m.is(flaw::stands_by_unseen) ? late_count : sleep);
    case late_count:
        m.access("says that it stands by");
        ++m.w.present;
        return m.go(sleep);
    case sleep:
        if (!m.w.woken)
            return m.wait();
        m.access("wakes, standing by");
        m.w.woken = 0;
        if (m.is(flaw::stands_by_unseen))
            --m.w.present;
        return m.go(look);
    case come:
        return leave(m.apply(production_event::arrive) == production_verdict::produce);
    case take_over:
        if (state != production_state::lent || m.here().a != m.production().loan)
        {
            m.access("finds the loan over");
            return m.go(look);
        }
        m.apply(production_event::overrun);
        return leave(true);
    case stand_down:
        if ((state == production_state::idle || state == production_state::lent)
            && !m.is(flaw::watcher_just_leaves) && !m.is(flaw::watcher_stays_away))
        {
            m.access("finds that somebody counts on it");
            return m.go(look);
        }
        m.apply(production_event::give_up);
        return leave(false);
    case uncount:
        if (m.config().endless && !m.is(flaw::stands_by_unseen))
        {
            m.access("stands by no longer");
            --m.w.present;
        }
        m.w.wants_to_leave = 0;
        return m.go(m.here().b ? produce : vacate);
    case produce:
        return m.become(program::loop);
    case vacate:
        if (std::exchange(m.me().occupies, byte{0}))
            m.vacate();
        return m.ret();
    }
}

}

#endif
