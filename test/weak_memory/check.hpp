// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Checks scenarios, and then that each order of the shipped headers is needed: every atomic
// operation that the scenarios have executed is made weaker, in every way there is, and that has
// to be found.

#ifndef ASIO_EWYK_TEST_WEAK_MEMORY_CHECK_HPP
#define ASIO_EWYK_TEST_WEAK_MEMORY_CHECK_HPP

#include "checker/checker.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weak_memory {

using enum std::memory_order;

struct named_setup
{
    char const* name;
    setup what;
    std::size_t executions = 20'000;
};

/// How strong an operation must be: `enough` does as well, for a reason.
struct needed_order
{
    char const* function; // and file: "posted_queue.hpp push"
    access kind;
    std::memory_order order; // that ships
    std::memory_order enough;
    char const* reason;
};

inline char const* name_of(std::memory_order o)
{
    constexpr char const* names[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    return names[static_cast<int>(o)];
}

inline char const* name_of(access a)
{
    constexpr char const* names[] = {"load", "store", "read-modify-write"};
    return names[static_cast<int>(a)];
}

inline std::string name_of(operation const& o)
{
    std::string const function = o.function;
    return std::string(std::strrchr(o.file, '/') + 1) + ' ' + function.substr(0, function.find('<'));
}

inline bool at_least(std::memory_order o, std::memory_order enough)
{
    return o == enough || enough == relaxed || o == seq_cst || (o == acq_rel && enough != seq_cst);
}

/// All weaker orders, the weakest first.
inline std::vector<std::memory_order> weaker(operation const& o)
{
    std::vector<std::memory_order> all;
    if (o.order != relaxed)
        all.push_back(relaxed);
    if (o.order == acq_rel)
        all.insert(all.end(), {release, acquire});
    if (o.order == seq_cst && o.kind != access::load)
        all.push_back(release);
    if (o.order == seq_cst && o.kind != access::store)
        all.push_back(acquire);
    if (o.order == seq_cst && o.kind == access::modify)
        all.push_back(acq_rel);
    return all;
}

inline std::vector<operation> sorted(std::vector<operation> operations)
{
    std::sort(operations.begin(), operations.end(), [](operation const& a, operation const& b) {
        int const files = std::strcmp(a.file, b.file);
        return files != 0 ? files < 0 : a.line < b.line;
    });
    return operations;
}

inline void check(std::vector<named_setup> const& scenarios)
{
    std::size_t executions = 0;
    for (named_setup const& s : scenarios)
    {
        outcome const found = run(s.what, s.executions, nullptr, true);
        executions += found.executions;
        BOOST_TEST(found.wrong.empty(), s.name << ": " << found.wrong << '\n' << found.story);
    }
    std::printf("weak memory: %zu scenarios, %zu executions, each with the orders that ship\n",
        scenarios.size(), executions);
}

/// What is wrong with one of them then, in so many times the executions; empty if nothing is found.
inline std::string hunt(
    std::vector<named_setup> const& scenarios, weakening const& flaw, std::size_t times)
{
    for (named_setup const& s : scenarios)
        if (auto found = run(s.what, times * s.executions, &flaw); !found.wrong.empty())
            return std::move(found.wrong);
    return {};
}

/// After check(): tries what is weaker than enough, which must be found. If one function has several
/// operations of a kind and order, one of them at least. Where EWYK_WEAK_MEMORY_ALL is set, tries
/// all else as well, of which nothing may be found: then it is missing in the list.
inline void weaken(
    std::vector<named_setup> const& scenarios, std::vector<needed_order> const& listed)
{
    bool const all = std::getenv("EWYK_WEAK_MEMORY_ALL") != nullptr;
    // The last first: in a function that gives something away it is the one that matters.
    auto operations = sorted(take_operations());
    std::reverse(operations.begin(), operations.end());
    std::size_t weakened = 0;
    std::map<std::string, bool> needs;
    for (operation const& o : operations)
    {
        auto const entry = std::find_if(listed.begin(), listed.end(), [&](needed_order const& n) {
            return n.kind == o.kind && n.order == o.order && name_of(o) == n.function;
        });
        bool const known = entry != listed.end();
        for (std::memory_order const to : weaker(o))
        {
            ++weakened;
            bool const needed = known && !at_least(to, entry->enough);
            std::string const what = name_of(o) + ", " + name_of(o.kind) + ' ' + name_of(o.order) + " -> "
                + name_of(to);
            if (!all && (!needed || needs[what]))
                continue;
            weakening const flaw{o, to};
            std::string wrong = hunt(scenarios, flaw, 1);
            // What has to be found has more time, so that a change elsewhere does not hide it.
            if (needed && wrong.empty() && !needs[what])
                wrong = hunt(scenarios, flaw, all ? 100 : 10);
            BOOST_TEST_MESSAGE(o.line << ": " << what << ": " << (wrong.empty() ? "not found" : wrong));
            if (needed)
                needs[what] |= !wrong.empty();
            else
                BOOST_TEST(wrong.empty(), "not in the list: " << what << ": " << wrong);
            // Nor is anything found that is less weak.
            if (to == std::memory_order_relaxed && wrong.empty())
                break;
        }
    }
    std::size_t satisfied = 0;
    for (auto const& [what, holds] : needs)
    {
        satisfied += holds;
        BOOST_TEST(holds, "not found: " << what);
    }
    std::printf("weak memory: %zu atomic operations, %zu weaker orders; flaws: %zu of %zu found\n",
        operations.size(), weakened, satisfied, needs.size());
    // An operation that is gone would not be missed otherwise.
    for (needed_order const& n : listed)
        BOOST_TEST(std::any_of(operations.begin(), operations.end(), [&](operation const& o) {
            return n.kind == o.kind && n.order == o.order && name_of(o) == n.function;
        }), "there is none: " << n.function << ", " << name_of(n.kind) << ' ' << name_of(n.order));
}

}

#endif
