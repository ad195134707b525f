// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What a table of tests has in each row.

#ifndef ASIO_EWYK_TEST_MODEL_NAMED_HPP
#define ASIO_EWYK_TEST_MODEL_NAMED_HPP

#include <ostream>

namespace model {

template <class T>
struct named
{
    char const* name;
    T what;

    friend std::ostream& operator<<(std::ostream& os, named const& n) { return os << n.name; }
};

}

#endif
