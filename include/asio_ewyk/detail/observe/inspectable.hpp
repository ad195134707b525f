// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OBSERVE_INSPECTABLE_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_INSPECTABLE_HPP

#include <cstddef>

namespace asio_ewyk::detail {

class text_sink;

// What an engine, a loop or a pool shows of itself, from atomics only: any thread, signal handlers
// too. What is read may be a moment old.
class inspectable
{
public:
    // How many tasks wait.
    virtual std::size_t waiting() const noexcept = 0;

    // Whether what waits has to wait until the handler that runs has ended.
    virtual bool has_one_thread() const noexcept { return false; }

    // The state in words.
    virtual void tell_state(text_sink& out) const noexcept = 0;

protected:
    virtual ~inspectable() = default;
};


// For a class that others may derive from. If that were `inspectable` itself, a reader would call
// virtual functions while constructors and destructors of derived classes change its vtable.
template <class Owner>
class inspectable_part final : public inspectable
{
public:
    explicit inspectable_part(Owner const& owner) noexcept
        : owner_(owner)
    {
    }

    std::size_t waiting() const noexcept override { return owner_.waiting(); }
    void tell_state(text_sink& out) const noexcept override { owner_.tell_state(out); }

private:
    Owner const& owner_;
};

} // namespace asio_ewyk::detail

#endif
