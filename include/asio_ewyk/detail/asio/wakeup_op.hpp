// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ASIO_WAKEUP_OP_HPP
#define ASIO_EWYK_DETAIL_ASIO_WAKEUP_OP_HPP

#include <boost/asio/execution/allocator.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/require.hpp>

#include <cstddef>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// Has an io_context call `on_wake_up()` of an owner, by a handler whose memory is a part of this
// object: so it cannot fail. The owner makes sure that one is under way at a time. Asio frees a
// handler's memory before it calls the handler, so on_wake_up() may send the next one.
template <class Owner>
class wakeup_op
{
public:
    wakeup_op() noexcept = default;
    wakeup_op(wakeup_op const&) = delete;
    wakeup_op& operator=(wakeup_op const&) = delete;

    void send(asio::io_context& ioc, Owner& owner) noexcept
    {
        asio::require(ioc.get_executor(), asio::execution::blocking.never,
            asio::execution::allocator(allocator<void>(this)))
            .execute(call{&owner});
    }

private:
    struct call
    {
        using tells_its_handlers = void; // see there

        void operator()() const { owner->on_wake_up(); }

        Owner* owner;
    };

    template <class T>
    struct allocator
    {
        using value_type = T;

        explicit allocator(wakeup_op* s) noexcept
            : slot(s)
        {
        }

        template <class U>
        allocator(allocator<U> const& other) noexcept
            : slot(other.slot)
        {
        }

        T* allocate(std::size_t) noexcept
        {
            static_assert(sizeof(T) <= sizeof(slot->memory_));
            static_assert(alignof(T) <= alignof(std::max_align_t));
            return reinterpret_cast<T*>(slot->memory_);
        }

        void deallocate(T*, std::size_t) noexcept {}

        friend bool operator==(allocator const&, allocator const&) noexcept = default;

        wakeup_op* slot;
    };

    alignas(std::max_align_t) std::byte memory_[256];
};

} // namespace asio_ewyk::detail

#endif
