// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_CONFIG_HPP
#define ASIO_EWYK_DETAIL_CONFIG_HPP

// Before all else, and the end of the compilation: hundreds of errors would follow.
#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#error "asio_ewyk needs C++20: compile with -std=c++20 or /std:c++20"
#include "asio_ewyk needs C++20"
#endif

#include <boost/config.hpp>

// What differs between versions and configurations of Asio, and how the library is compiled: only
// here.

#include <boost/asio/version.hpp>

// That of Boost 1.81.
#if BOOST_ASIO_VERSION < 102600
#error "asio_ewyk takes Boost 1.81 or later; in Debian 12 that is the package libboost1.81-dev"
#endif

// Of <windows.h>: hundreds of errors in the standard library's and our own functions would follow.
#if defined(min) || defined(max)
#error "asio_ewyk is not for macros named min and max: define NOMINMAX before <windows.h>"
#endif

// With MinGW, Asio takes its threads from where <pthread.h> was included before, or not: a program
// of several sources would have two types of them in one place.
#if defined(__MINGW32__) && __has_include(<pthread.h>) && !defined(BOOST_HAS_PTHREADS)
#error "asio_ewyk with MinGW: compile all sources of the program with -DBOOST_HAS_PTHREADS"
#endif

// On Windows, Asio 1.26 joins the thread of its timers whenever a context is shut down, and ours is
// twice, as Asio's own is since 1.28: the second time it would close what may be another's by then.
#if defined(_WIN32) && !defined(BOOST_HAS_PTHREADS) && BOOST_ASIO_VERSION < 102800
#error "asio_ewyk takes Boost 1.82 or later on Windows; with MinGW and -DBOOST_HAS_PTHREADS, 1.81"
#endif

// Asio has no locks then.
#if defined(BOOST_ASIO_DISABLE_THREADS)
#error "asio_ewyk has threads of its own: compile without BOOST_ASIO_DISABLE_THREADS"
#endif

// Asio's strand asks executors for the interface of the Networking TS, unless it is told not to.
#if !defined(BOOST_ASIO_NO_TS_EXECUTORS)
#define ASIO_EWYK_DETAIL_TS_EXECUTORS
#endif

// A property that executors of Asio answer since Boost 1.90.
#if __has_include(<boost/asio/execution/inline_exception_handling.hpp>)
#define ASIO_EWYK_DETAIL_INLINE_EXCEPTION_HANDLING
#endif

// What the system has; what it is, is asked nowhere else. With ASIO_EWYK_PORTABLE, Linux is taken
// for a POSIX system like others: so what they get can be tested there.
#if defined(__linux__) && !defined(ASIO_EWYK_PORTABLE)
#define ASIO_EWYK_HAS_LINUX
#endif
#if defined(_WIN32)
#define ASIO_EWYK_HAS_WINDOWS
#elif defined(__unix__) || defined(__APPLE__)
#define ASIO_EWYK_HAS_PTHREAD
#endif

// Whether the library may define the function by which Asio waits for I/O: see
// detail/os/wait_hook.hpp.
#if defined(ASIO_EWYK_HAS_LINUX) && !defined(BOOST_ASIO_DISABLE_EPOLL) \
    && !defined(ASIO_EWYK_NO_WAIT_HOOK)
#define ASIO_EWYK_DETAIL_WAIT_HOOK
#endif

#if defined(__SANITIZE_THREAD__)
#define ASIO_EWYK_DETAIL_TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ASIO_EWYK_DETAIL_TSAN
#endif
#endif

// With the hook of tracking.hpp Asio's operations are larger, so a program with sources of both
// kinds must not link. Both kinds define one symbol, each in a group of its own: the linker keeps
// one of a group, and refuses two of a symbol. Where link-time optimization has both in one
// assembly, the assembler refuses it. In a function that is never called, as clang would take what
// is outside of one for several symbols then. Microsoft's linker compares the words.
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
#define ASIO_EWYK_DETAIL_KIND "with"
#define ASIO_EWYK_DETAIL_OTHER_KIND "without"
#define ASIO_EWYK_DETAIL_MARK compiled_with_handler_tracking
#else
#define ASIO_EWYK_DETAIL_KIND "without"
#define ASIO_EWYK_DETAIL_OTHER_KIND "with"
#define ASIO_EWYK_DETAIL_MARK compiled_without_handler_tracking
#endif
#if defined(_MSC_VER)
#pragma detect_mismatch("BOOST_ASIO_CUSTOM_HANDLER_TRACKING", ASIO_EWYK_DETAIL_KIND)
#elif defined(__ELF__)
#define ASIO_EWYK_DETAIL_GROUP "asio_ewyk_handler_tracking_" ASIO_EWYK_DETAIL_KIND
#define ASIO_EWYK_DETAIL_SYMBOL \
    "asio_ewyk_define_BOOST_ASIO_CUSTOM_HANDLER_TRACKING_for_all_sources_or_for_none"
namespace asio_ewyk::detail {

__attribute__((__used__)) inline void ASIO_EWYK_DETAIL_MARK() noexcept
{
    __asm__(".ifdef asio_ewyk_handler_tracking_" ASIO_EWYK_DETAIL_OTHER_KIND "\n"
            ".error \"" ASIO_EWYK_DETAIL_SYMBOL "\"\n"
            ".endif\n"
            ".ifndef " ASIO_EWYK_DETAIL_GROUP "\n"
            ".pushsection .rodata." ASIO_EWYK_DETAIL_GROUP
            ",\"aG\",%progbits," ASIO_EWYK_DETAIL_GROUP ",comdat\n"
            ".globl " ASIO_EWYK_DETAIL_SYMBOL "\n"
            ".hidden " ASIO_EWYK_DETAIL_SYMBOL "\n"
            ".weak " ASIO_EWYK_DETAIL_GROUP "\n" ASIO_EWYK_DETAIL_GROUP
            ":\n" ASIO_EWYK_DETAIL_SYMBOL ":\n"
            ".byte 0\n"
            ".popsection\n"
            ".endif\n");
}

} // namespace asio_ewyk::detail
#undef ASIO_EWYK_DETAIL_SYMBOL
#undef ASIO_EWYK_DETAIL_GROUP
#endif
#undef ASIO_EWYK_DETAIL_MARK
#undef ASIO_EWYK_DETAIL_OTHER_KIND
#undef ASIO_EWYK_DETAIL_KIND

// For what is seldom called: compiled for size, and not inlined.
#if defined(__GNUC__)
#define ASIO_EWYK_COLD __attribute__((__cold__, __noinline__))
#else
#define ASIO_EWYK_COLD BOOST_NOINLINE
#endif

// The bodies of functions that are no templates are in *.ipp. They are compiled in every
// translation unit, or only in the one that includes <asio_ewyk/impl/src.hpp>, which may be that of
// a shared library.
//
// Classes with static members and inline variables are BOOST_SYMBOL_VISIBLE in any case, as Asio's
// own are, so that a program has one set of them together with its shared libraries. So are those
// whose type_info Asio compares, which some standard libraries do by its address.
#if defined(ASIO_EWYK_DYN_LINK) && !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#define ASIO_EWYK_SEPARATE_COMPILATION
#endif
#if defined(ASIO_EWYK_DYN_LINK)
#define ASIO_EWYK_DECL BOOST_SYMBOL_EXPORT
#elif defined(ASIO_EWYK_SEPARATE_COMPILATION)
#define ASIO_EWYK_DECL
#else
#define ASIO_EWYK_DECL inline
#endif

#endif
