# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

# What `cmake --install` installs: the headers, and a package each for CMake and for pkg-config.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_DATADIR}/cmake/asio_ewyk)

install(TARGETS asio_ewyk asio_ewyk_server asio_ewyk_tracking EXPORT asio_ewyk
    FILE_SET HEADERS FILE_SET bodies)
install(EXPORT asio_ewyk DESTINATION ${package}
    NAMESPACE asio_ewyk:: FILE asio_ewyk-targets.cmake)

file(CONFIGURE OUTPUT asio_ewyk-config.cmake @ONLY CONTENT [[
include(CMakeFindDependencyMacro)
find_dependency(Boost 1.81)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/asio_ewyk-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/asio_ewyk-separate.cmake)
]])
write_basic_package_version_file(${PROJECT_BINARY_DIR}/asio_ewyk-config-version.cmake
    COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
    ${PROJECT_BINARY_DIR}/asio_ewyk-config.cmake
    ${PROJECT_BINARY_DIR}/asio_ewyk-config-version.cmake
    ${PROJECT_BINARY_DIR}/asio_ewyk-separate.cmake
    DESTINATION ${package})

# Relative: the files may be installed under another prefix, or moved. Boost has no such file.
set(pkg_config ${CMAKE_INSTALL_DATADIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR
    BASE_DIRECTORY ${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig OUTPUT_VARIABLE includedir)
file(CONFIGURE OUTPUT asio_ewyk.pc @ONLY CONTENT [[
includedir=${pcfiledir}/@includedir@

Name: @PROJECT_NAME@
Description: @PROJECT_DESCRIPTION@
Version: @PROJECT_VERSION@
Cflags: -I${includedir} -pthread
Libs: -pthread
]])
file(CONFIGURE OUTPUT asio_ewyk-server.pc @ONLY CONTENT [[
Name: @PROJECT_NAME@-server
Description: Servers above @PROJECT_NAME@: accepting, overload, metrics for Prometheus
Version: @PROJECT_VERSION@
Requires: asio_ewyk
]])
file(CONFIGURE OUTPUT asio_ewyk-tracking.pc @ONLY CONTENT [[
Name: @PROJECT_NAME@-tracking
Description: @PROJECT_DESCRIPTION@, with what Asio's operations are doing
Version: @PROJECT_VERSION@
Requires: asio_ewyk
Cflags: -DBOOST_ASIO_CUSTOM_HANDLER_TRACKING="<asio_ewyk/diagnostics/tracking.hpp>"
]])
install(FILES
    ${PROJECT_BINARY_DIR}/asio_ewyk.pc
    ${PROJECT_BINARY_DIR}/asio_ewyk-server.pc
    ${PROJECT_BINARY_DIR}/asio_ewyk-tracking.pc
    DESTINATION ${pkg_config})
