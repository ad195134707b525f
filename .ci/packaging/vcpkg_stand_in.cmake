# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

# Runs the port's portfile without vcpkg:
# cmake -D scratch=<folder> -D PORT=<port> -P vcpkg_stand_in.cmake
# Each function does what the port counts on; what it finds not to be there is an error.

set(CURRENT_PACKAGES_DIR ${scratch}/packages)
set(share ${CURRENT_PACKAGES_DIR}/share)

function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
    execute_process(
        COMMAND ${CMAKE_COMMAND} -G Ninja -S ${arg_SOURCE_PATH} -B ${scratch}/build ${arg_OPTIONS}
        COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

function(vcpkg_cmake_install)
    execute_process(
        COMMAND ${CMAKE_COMMAND} --install ${scratch}/build --prefix ${CURRENT_PACKAGES_DIR}
        COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

function(expect)
    foreach(file IN LISTS ARGN)
        if(NOT EXISTS ${file})
            message(FATAL_ERROR "${file} is missing")
        endif()
    endforeach()
endfunction()

function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "PACKAGE_NAME;CONFIG_PATH" "")
    expect(${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/${arg_PACKAGE_NAME}-config.cmake)
    file(RENAME ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH} ${share}/${arg_PACKAGE_NAME})
endfunction()

function(vcpkg_fixup_pkgconfig)
    expect(${share}/pkgconfig/asio_ewyk.pc)
endfunction()

function(vcpkg_install_copyright)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
    expect(${arg_FILE_LIST})
endfunction()

include(${CMAKE_CURRENT_LIST_DIR}/vcpkg/${PORT}/portfile.cmake)
expect(${CURRENT_PACKAGES_DIR}/include/asio_ewyk.hpp)
