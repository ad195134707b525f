// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Runs a model of several threads in every order in which their steps can interleave.

#ifndef ASIO_EWYK_TEST_MODEL_EXPLORER_HPP
#define ASIO_EWYK_TEST_MODEL_EXPLORER_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace model {

/// What a step may leave to chance: it asks, and is run once for each answer.
class chance
{
public:
    explicit chance(unsigned pick) noexcept : pick_(pick) {}

    /// A number below n; every one of them is explored. Once a step.
    unsigned among(unsigned n) noexcept
    {
        options_ = n;
        return pick_;
    }

    bool maybe() noexcept { return among(2) != 0; }

    unsigned options() const noexcept { return options_; }

private:
    unsigned pick_;
    unsigned options_ = 1;
};

/// What became of one step.
struct step_result
{
    bool possible = true;      // false: the thread has to wait, or is done
    std::string label;         // what it did; only if asked for
    char const* wrong = nullptr;
};

struct exploration
{
    std::size_t states = 0;
    std::size_t transitions = 0;
    std::size_t ends = 0;      // states in which no thread can take a step
    bool complete = true;      // false: gave up at the limit
    std::string wrong;         // the first violation on a shortest path; empty: none
    std::vector<std::string> trace;   // the steps that lead to it

    std::string story() const
    {
        std::string text = wrong;
        for (auto const& line : trace)
            text += "\n    " + line;
        return text;
    }
};

/** Breadth first over all states that can be reached, each visited once.

    A System has

    - `state`, trivially copyable and without padding, and `initial()`;
    - `threads()`, how many there are;
    - `step(state&, thread, chance&, bool with_label)`: one access to what threads share, which is
      one step of that thread, and all it does by itself up to the next one;
    - `wrong_at_end(state)`: what is wrong if no thread can take a step any more; null: nothing;
    - `used_size()`, if only so many of a state's bytes ever change.

    Finds violations in a step, ends that are wrong, and states from which no end can be reached,
    where threads keep each other busy for ever.
*/
template <class System>
class explorer
{
public:
    using state = typename System::state;
    static_assert(std::is_trivially_copyable_v<state>);
    static_assert(std::has_unique_object_representations_v<state>, "states are compared by bytes");

    explorer(System const& system, std::size_t limit)
        : system_(system)
        , limit_(limit)
        , initial_(system.initial())
    {
        if constexpr (requires { system.used_size(); })
            used_size_ = system.used_size();
    }

    exploration run()
    {
        grow();
        add(initial_, digest(initial_), {});
        state s = initial_;
        index_type index = 0;
        while (!frontier_.empty() && result_.wrong.empty() && result_.complete)
        {
            level_.swap(frontier_);
            frontier_.clear();
            // They have the numbers that were given last, in that order.
            for (std::size_t i = 0; i != level_.size(); i += used_size_)
            {
                std::memcpy(&s, level_.data() + i, used_size_);
                if (!expand(index++, s) || (found_ >= at_once && !add_found()))
                    break;
            }
            if (result_.wrong.empty() && result_.complete)
                add_found();
        }
        result_.states = origins_.size();
        if (result_.wrong.empty() && result_.complete)
            find_busy_threads();
        return std::move(result_);
    }

private:
    using index_type = std::uint32_t;
    // 96 bits stand for a state: two of a million states get the same ones with a probability of
    // about 10^-17.
    struct key
    {
        std::uint64_t low;
        std::uint32_t high;

        friend bool operator==(key const&, key const&) = default;
    };

    struct origin
    {
        index_type parent = 0;
        std::uint8_t thread = 0;
        std::uint8_t pick = 0;
    };

    // What a step leads to.
    struct successor
    {
        explicit successor(state const& s) noexcept : what(s) {}

        state what;
        origin via;
        key digest;
    };

    bool expand(index_type index, state const& from)
    {
        bool end = true;
        for (std::size_t thread = 0; thread != system_.threads(); ++thread)
        {
            unsigned options = 1;
            for (unsigned pick = 0; pick != options; ++pick)
            {
                chance c(pick);
                if (found_ == next_.size())
                    next_.emplace_back(initial_);
                successor& to = next_[found_];
                std::memcpy(&to.what, &from, used_size_);
                step_result const r = system_.step(to.what, thread, c, false);
                options = c.options();
                if (!r.possible)
                    continue;
                end = false;
                ++found_;
                ++result_.transitions;
                to.via = {index, static_cast<std::uint8_t>(thread),
                    static_cast<std::uint8_t>(pick)};
                if (r.wrong)
                    return fail(r.wrong, to.via, true);
                to.digest = digest(to.what);
                // They are all over the memory: the processor is to fetch several at a time, before
                // they are looked up.
                __builtin_prefetch(&table_[slot_of(to.digest)]);
            }
        }
        if (end)
        {
            ++result_.ends;
            ends_.push_back(index);
            if (char const* wrong = system_.wrong_at_end(from))
                return fail(wrong, origins_[index], index != 0);
        }
        return true;
    }

    // False at the limit.
    bool add_found()
    {
        for (std::size_t i = 0; i != found_; ++i)
        {
            successor const& n = next_[i];
            edges_.emplace_back(n.via.parent, add(n.what, n.digest, n.via));
        }
        found_ = 0;
        return result_.complete = origins_.size() < limit_;
    }

    bool fail(char const* wrong, origin last, bool with_last)
    {
        result_.wrong = wrong;
        std::vector<origin> path;
        if (with_last)
            path.push_back(last);
        for (index_type i = with_last ? last.parent : 0; i != 0; i = origins_[i].parent)
            path.push_back(origins_[i]);
        state s = initial_;
        for (auto o = path.rbegin(); o != path.rend(); ++o)
        {
            chance c(o->pick);
            result_.trace.push_back(system_.step(s, o->thread, c, true).label);
        }
        return false;
    }

    // An end can be reached from every state, or threads may run in circles.
    void find_busy_threads()
    {
        // Those that lead to state i are from[begin[i]] to from[begin[i + 1] - 1].
        std::vector<std::size_t> begin(origins_.size() + 1);
        for (auto const& [a, b] : edges_)
            ++begin[b];
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        std::vector<index_type> from(edges_.size());
        for (auto const& [a, b] : edges_)
            from[--begin[b]] = a;
        std::vector<bool> reaches(origins_.size());
        auto open = ends_;
        for (index_type i : open)
            reaches[i] = true;
        while (!open.empty())
        {
            index_type const i = open.back();
            open.pop_back();
            for (std::size_t j = begin[i]; j != begin[i + 1]; ++j)
                if (index_type const before = from[j]; !reaches[before])
                {
                    reaches[before] = true;
                    open.push_back(before);
                }
        }
        for (index_type i = 0; i != reaches.size(); ++i)
            if (!reaches[i])
            {
                fail("threads keep each other busy for ever", origins_[i], i != 0);
                return;
            }
    }

    index_type add(state const& s, key const& k, origin o)
    {
        if ((origins_.size() + 1) * 2 > table_.size())
            grow();
        std::size_t slot = find(k);
        if (table_[slot].index == empty)
        {
            table_[slot] = {k.low, k.high, static_cast<index_type>(origins_.size())};
            auto const* const bytes = reinterpret_cast<unsigned char const*>(&s);
            frontier_.insert(frontier_.end(), bytes, bytes + used_size_);
            origins_.push_back(o);
        }
        return table_[slot].index;
    }

    std::size_t find(key const& k) const
    {
        std::size_t slot = slot_of(k);
        while (table_[slot].index != empty && table_[slot].its_key() != k)
            slot = (slot + 1) & (table_.size() - 1);
        return slot;
    }

    // The first that it may be in.
    std::size_t slot_of(key const& k) const { return k.low & (table_.size() - 1); }

    void grow()
    {
        auto const before = std::exchange(
            table_, std::vector<entry>(table_.empty() ? 4096 : table_.size() * 4, {0, 0, empty}));
        for (auto const& e : before)
            if (e.index != empty)
                table_[find(e.its_key())] = e;
    }

    key digest(state const& s) const
    {
        // Several at a time, none of which waits for another one.
        constexpr std::size_t lanes = 4;
        std::array<lane_state, lanes> k{};
        for (std::size_t lane = 0; lane != lanes; ++lane)
            k[lane] = {0x9e3779b97f4a7c15u + lane, 0xc2b2ae3d27d4eb4fu - lane};
        auto const* const bytes = reinterpret_cast<unsigned char const*>(&s);
        std::size_t i = 0;
        for (; i + lanes * 8 <= used_size_; i += lanes * 8)
            for (std::size_t lane = 0; lane != lanes; ++lane)
                add_word(k[lane], bytes + i + lane * 8, 8);
        for (; i + 8 <= used_size_; i += 8)
            add_word(k[0], bytes + i, 8);
        if (i != used_size_)
            add_word(k[0], bytes + i, used_size_ - i);
        for (std::size_t lane = 1; lane != lanes; ++lane)
            add_word(k[0], k[lane]);
        return {k[0][0], static_cast<std::uint32_t>(k[0][1] >> 32)};
    }

    using lane_state = std::array<std::uint64_t, 2>;

    static void add_word(lane_state& k, unsigned char const* bytes, std::size_t size)
    {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, size);
        add_word(k, {word, word});
    }

    static void add_word(lane_state& k, lane_state const& word)
    {
        k[0] = mix(k[0] ^ word[0], 0xff51afd7ed558ccdu);
        k[1] = mix(k[1] + word[1], 0xc4ceb9fe1a85ec53u);
    }

    static std::uint64_t mix(std::uint64_t x, std::uint64_t factor)
    {
        x ^= x >> 31;
        x *= factor;
        return x ^ std::rotl(x, 29);
    }

    struct entry
    {
        std::uint64_t low;
        std::uint32_t high;
        index_type index;

        key its_key() const { return {low, high}; }
    };
    static constexpr index_type empty = ~index_type{0};
    static constexpr std::size_t at_once = 64;

    System const& system_;
    std::size_t limit_;
    state initial_;
    std::size_t used_size_ = sizeof(state);
    exploration result_;
    std::vector<origin> origins_;                            // of each state
    std::vector<entry> table_;                               // hash table: state to index
    std::vector<unsigned char> frontier_;                    // states found, not expanded
    std::vector<unsigned char> level_;                       // those that are expanded
    std::vector<std::pair<index_type, index_type>> edges_;
    std::vector<index_type> ends_;
    std::vector<successor> next_;                            // found, not looked up;
    std::size_t found_ = 0;                                  // so many
};

template <class System>
exploration explore(System const& system, std::size_t limit = 4'000'000)
{
    return explorer<System>(system, limit).run();
}

}

#endif
