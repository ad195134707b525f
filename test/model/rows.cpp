// Each row of the production table that is ever used, changed in each way that matters: the models
// must tell the difference, or the row says more than the protocol needs.

#include "check.hpp"

#include <boost/test/data/monomorphic.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

BOOST_AUTO_TEST_SUITE(rows)

namespace {

using ewyk_production = asio_ewyk::detail::production;
using model::production_event;
using model::production_state;
using model::production_step;
using model::production_verdict;
using replacement = model::setup::replacement;

constexpr std::size_t events = asio_ewyk::detail::production_table.size();

// The rows that the models use.
std::vector<replacement> used_rows(std::vector<model::named_setup> models)
{
    std::vector<replacement> rows;
    for (auto& n : models)
    {
        n.what.on_apply = [&](production_event e, ewyk_production now) {
            auto const same = [&](replacement const& r) { return r.event == e && r.now == now; };
            if (std::none_of(rows.begin(), rows.end(), same))
                rows.push_back({e, now, asio_ewyk::detail::next_production(now, e)});
        };
        model::explore(model::protocol(n.what), 20'000);
    }
    std::sort(rows.begin(), rows.end(), [](replacement const& a, replacement const& b) {
        return std::tuple(a.event, a.now.pack()) < std::tuple(b.event, b.now.pack());
    });
    return rows;
}

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
        if (v != start || row.event == production_event::ask || row.event == production_event::hand_over)
            add([v](production_step& step) { step.verdict = v; });
    add([](production_step& step) { step.next.pending = !step.next.pending; });
    return all;
}

std::string describe(replacement const& r)
{
    constexpr char const* verdicts[] = {"leave", "produce", "start"};
    return std::string(model::to_string(r.event)) + ": " + model::to_string(r.now) + " -> "
        + model::to_string(r.step.next) + ", " + verdicts[static_cast<std::size_t>(r.step.verdict)];
}

bool is_found(replacement const& change, std::vector<model::named_setup>& models)
{
    for (std::size_t limit : {500u, 5'000u, 60'000u, 600'000u})
        for (std::size_t i = 0; i != models.size(); ++i)
        {
            auto n = models[i];
            n.what.other_step = change;
            if (model::explore(model::protocol(n.what), limit).wrong.empty())
                continue;
            // What found one change is likely to find the next.
            std::rotate(models.begin(), models.begin() + static_cast<std::ptrdiff_t>(i),
                models.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            return true;
        }
    return false;
}

}

namespace {

std::vector<model::named_setup> models()
{
    auto all = model::all_models();
    auto const more = model::step_models();
    all.insert(all.end(), more.begin(), more.end());
    // They use the same rows as the others, in more states.
    std::erase_if(all, [](model::named_setup const& n) { return n.what.in_place; });
    return all;
}

std::size_t used = 0;
std::size_t made = 0;
std::size_t found = 0;

} // namespace

// One event at a time.
BOOST_DATA_TEST_CASE(each_change_is_found, boost::unit_test::data::xrange(events), event)
{
    static auto all = models();
    static auto const rows = used_rows(all);
    for (auto const& row : rows)
    {
        if (static_cast<std::size_t>(row.event) != event)
            continue;
        ++used;
        for (auto const& change : changes(row))
        {
            ++made;
            bool const told = is_found(change, all);
            found += told;
            BOOST_TEST(told, "no model tells \"" << describe(row) << "\" from \"" << describe(change)
                                                << "\"");
        }
    }
}

BOOST_AUTO_TEST_CASE(score, *boost::unit_test::depends_on("rows/each_change_is_found"))
{
    BOOST_TEST(made != 0u);
    BOOST_TEST(found == made);
    std::printf("rows: %zu in use, %zu of %zu changes found\n", used, found, made);
}

BOOST_AUTO_TEST_SUITE_END()
