// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OBSERVE_GENERATION_HANDLE_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_GENERATION_HANDLE_HPP

#include <asio_ewyk/detail/observe/registry_slot.hpp>

#include <cstddef>
#include <exception>

namespace asio_ewyk::detail {

// Refers to something registered that may be gone, for a coroutine that was suspended meanwhile.
class generation_handle
{
public:
    explicit generation_handle(registry_slot& place) noexcept
        : place_(&place)
        , tenant_(place.tenant())
    {
    }

    // Calls f() if it is still there; it stays until f returns. If it is gone, nothing can receive
    // the exception being handled, and the program ends.
    template <class F>
    void report_by(F f) const noexcept
    {
        if (!place_->visit(tenant_, f))
            std::terminate();
    }

private:
    registry_slot* place_; // never freed
    std::size_t tenant_;
};

} // namespace asio_ewyk::detail

#endif
