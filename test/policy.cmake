# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

# What the tests, the examples and the check of the headers are compiled with, and which of them:
# CMakePresets.json has the combinations that are tested.

option(ASIO_EWYK_BUILD_MODELS "Build the models among the tests" ON)
option(ASIO_EWYK_COMPILE_ONCE "Compile the library and Asio once for all examples" OFF)
option(ASIO_EWYK_HEADERS_ONLY "Test without a compiled library of Boost" OFF)
set(ASIO_EWYK_BOOST "" CACHE PATH "Test with the Boost whose headers are in this directory")
option(ASIO_EWYK_TEST_ALL
    "Test also what takes long to compile: with other people's libraries, and without this one" ON)
option(ASIO_EWYK_TEST_PORTABLE "Test on Linux what other systems get" OFF)
set(ASIO_EWYK_SANITIZE "" CACHE STRING "Empty, \"address,undefined\" or \"thread\"")
set_property(CACHE ASIO_EWYK_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
# Unlike CMake's own, this keeps assert(): the tests count on it.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
set(CMAKE_CXX_EXTENSIONS OFF)
# There are none. CMake 3.28 and later would have each source preprocessed once more to look for them.
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

find_program(CCACHE ccache)
if(CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    # Without the first it would never find a file that uses the tests' precompiled header again, and
    # without the others none that was compiled for a clone in another directory.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
    add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
    add_compile_options(
        "$<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>"
        "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(ASIO_EWYK_TEST_PORTABLE)
    add_compile_definitions(ASIO_EWYK_PORTABLE BOOST_ASIO_DISABLE_EPOLL)
endif()
# What it lacks is that of the Boost that is found below.
if(ASIO_EWYK_BOOST)
    include_directories(BEFORE SYSTEM ${ASIO_EWYK_BOOST})
endif()
if(ASIO_EWYK_SANITIZE)
    add_compile_options(
        -fsanitize=${ASIO_EWYK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
        # Asio has fences around each handler; ThreadSanitizer sees its mutexes anyway.
        "$<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>"
        # Before clang 17 it cannot be combined with coroutines.
        "$<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>")
    if(ASIO_EWYK_SANITIZE MATCHES undefined)
        # AddressSanitizer finds these when they matter, and they double the time to compile. The
        # last looks at memory by means of a pipe, and some tests leave no descriptor to make one:
        # what it cannot read then is a bad object to it.
        add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
    endif()
    add_link_options(-fsanitize=${ASIO_EWYK_SANITIZE})
    # With -O2, g++ takes more than twice as long for instrumented coroutines.
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-Og -g1")
endif()
# Instrumented code makes g++ warn of what cannot happen.
if(NOT ASIO_EWYK_SANITIZE OR CMAKE_CXX_COMPILER_ID MATCHES Clang)
    set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
endif()
if(NOT ASIO_EWYK_SANITIZE)
    # Its warnings do not depend on it, and what the tests run is the same.
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
        set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O0")
    endif()
endif()
