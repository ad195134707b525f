// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The states that were seen, each by its digest.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_SET_OF_STATES_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_SET_OF_STATES_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace interleaving {

class set_of_states
{
public:
    // False if it was there.
    bool add(std::uint64_t key)
    {
        if ((size_ + 1) * 2 > table_.size())
            grow();
        key |= key == 0;
        std::size_t i = key & (table_.size() - 1);
        for (; table_[i] != 0; i = (i + 1) & (table_.size() - 1))
            if (table_[i] == key)
                return false;
        table_[i] = key;
        ++size_;
        return true;
    }

    std::size_t size() const noexcept { return size_; }

    void clear()
    {
        table_.assign(1024, 0);
        size_ = 0;
    }

private:
    void grow()
    {
        auto const before = std::exchange(table_, std::vector<std::uint64_t>(table_.size() * 2));
        size_ = 0;
        for (std::uint64_t key : before)
            if (key != 0)
                add(key);
    }

    std::vector<std::uint64_t> table_ = std::vector<std::uint64_t>(1024);
    std::size_t size_ = 0;
};

}

#endif
