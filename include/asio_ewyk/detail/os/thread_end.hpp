// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_THREAD_END_HPP
#define ASIO_EWYK_DETAIL_OS_THREAD_END_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/windows.hpp>

#include <boost/config.hpp>

#include <memory>
#include <new>
#include <utility>

namespace asio_ewyk::detail {

// Whether an object of until_thread_end outlives the thread-local objects of its thread, and so
// must not use them.
#if defined(ASIO_EWYK_HAS_WINDOWS)
inline constexpr bool outlives_thread_locals = true;
#else
inline constexpr bool outlives_thread_locals = false;
#endif

// Names this thread's object of that type, which the first one makes. The object is destroyed when
// the thread ends, after the thread-local objects that are made after it. The constructor throws
// what that of the object throws; on Windows std::bad_alloc, too.
//
// Its destructor must not wait for what another thread does at its end, or holds while it makes
// such an object: Windows may have a lock for both.
template <class T>
class BOOST_SYMBOL_VISIBLE until_thread_end
{
public:
    template <class... Arguments>
    explicit until_thread_end(Arguments&&... arguments)
        : object_(made(std::forward<Arguments>(arguments)...))
    {
    }

    T& operator*() const noexcept { return object_; }

private:
#if defined(ASIO_EWYK_HAS_WINDOWS)
    // Fiber-local storage: GCC's emulated thread_local frees the memory of an object before it
    // calls its destructor.
    template <class... Arguments>
    static T& made(Arguments&&... arguments)
    {
        static DWORD const key = ::FlsAlloc(&destroy);
        if (void* const mine = ::FlsGetValue(key))
            return *static_cast<T*>(mine);
        std::unique_ptr<T> mine(new T{std::forward<Arguments>(arguments)...});
        if (!::FlsSetValue(key, mine.get()))
            throw std::bad_alloc();
        return *mine.release();
    }

    static void WINAPI destroy(void* mine) noexcept { delete static_cast<T*>(mine); }
#else
    template <class... Arguments>
    static T& made(Arguments&&... arguments)
    {
        thread_local T mine{std::forward<Arguments>(arguments)...};
        return mine;
    }
#endif

    T& object_;
};

// For an object whose destructor waits for the ends of other threads. The function of its thread
// makes the object first. On Windows the object is destroyed when that function returns: later, the
// thread has locks that the others need.
#if defined(ASIO_EWYK_HAS_WINDOWS)
template <class T>
using last_of_thread = T;
#else
template <class T>
using last_of_thread = until_thread_end<T>;
#endif

} // namespace asio_ewyk::detail

#endif
