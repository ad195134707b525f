// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Each row of the production table that the engine uses, changed in each way that matters: the
// models must tell the difference, or the row says more than the engine needs.

#include "engine_models.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdio>

BOOST_AUTO_TEST_SUITE(engine_rows)

namespace {

using namespace interleaving;

// Some kinds of change are left out, for they make no difference to tell: reproducing instead of
// producing is one look too many, which loses nothing; and where no thread is asked for, none looks
// whether the verdict is start.
std::vector<replacement> changes(replacement const& row)
{
    using enum production_state;
    using enum production_verdict;
    std::vector<replacement> all;
    auto const add = [&](auto change) {
        replacement r = row;
        change(r.step);
        if (r.step.next != row.step.next || r.step.verdict != row.step.verdict)
            all.push_back(r);
    };
    for (auto s : {idle, producing, reproducing})
        if (!(s == reproducing && row.step.next.state == producing))
            add([s](production_step& step) { step.next.state = s; });
    for (auto v : {leave, produce, start})
        if (v != start || row.event == production_event::ask
            || row.event == production_event::hand_over)
            add([v](production_step& step) { step.verdict = v; });
    add([](production_step& step) { step.next.pending = !step.next.pending; });
    return all;
}

bool is_found(std::vector<named_setup>& models)
{
    for (std::size_t limit : {1'000u, 20'000u, 200'000u})
        for (std::size_t i = 0; i != models.size(); ++i)
        {
            if (explore(engine_maker(models[i].what), limit).wrong.empty())
                continue;
            // What found one change is likely to find the next.
            std::rotate(models.begin(), models.begin() + static_cast<std::ptrdiff_t>(i),
                models.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            return true;
        }
    return false;
}

}

BOOST_AUTO_TEST_CASE(each_change_is_found)
{
    auto models = all_models();
    used_rows = {};
    for (auto const& n : models)
        explore(engine_maker(n.what), 20'000);
    std::size_t used = 0;
    std::size_t made = 0;
    std::size_t found = 0;
    auto const rows = used_rows;
    for (std::size_t event = 0; event != rows.size(); ++event)
        for (std::uint32_t word = 0; word != rows[event].size(); ++word)
        {
            if (!rows[event][word])
                continue;
            ++used;
            auto const e = static_cast<production_event>(event);
            auto const now = production::unpack(word);
            for (auto const& change : changes({e, now, detail::next_production(now, e)}))
            {
                ++made;
                other_step = change;
                bool const told = is_found(models);
                found += told;
                BOOST_TEST(told, "no model tells the change of row " << event << ", " << word
                        << " to " << change.step.next.pack() << ", verdict "
                        << static_cast<int>(change.step.verdict));
            }
        }
    other_step.reset();
    std::printf("rows of the engine: %zu in use, %zu of %zu changes found\n", used, found, made);
    BOOST_TEST(made != 0u);
}

BOOST_AUTO_TEST_SUITE_END()
