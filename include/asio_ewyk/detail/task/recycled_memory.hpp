// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TASK_RECYCLED_MEMORY_HPP
#define ASIO_EWYK_DETAIL_TASK_RECYCLED_MEMORY_HPP

#include <boost/asio/io_context.hpp>

#include <new>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// Calls f with a thread-local cache for Asio's allocations on the stack. Asio recycles the memory
// of handlers only on threads that are inside some run(), and threads of a pool run outside of it,
// as do idle callers. Without memory for the cache it does without.
inline void with_recycled_memory(void (*f)(void*), void* argument)
{
    constexpr int one_thread = 1;
    bool called = false;
    try
    {
        asio::io_context cache(one_thread);
        cache.get_executor().execute([&] {
            called = true;
            f(argument);
        });
        cache.run();
    }
    catch (std::bad_alloc const&)
    {
        if (called)
            throw;
    }
    if (!called)
        f(argument);
}

template <class F>
void with_recycled_memory(F f)
{
    with_recycled_memory([](void* self) { (*static_cast<F*>(self))(); }, &f);
}

} // namespace asio_ewyk::detail

#endif
