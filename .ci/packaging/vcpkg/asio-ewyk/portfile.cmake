# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

# An overlay port of the sources that it lies in:
# vcpkg install asio-ewyk --overlay-ports=.ci/packaging/vcpkg
set(VCPKG_BUILD_TYPE release) # header-only
set(root "${CMAKE_CURRENT_LIST_DIR}/../../../..")

vcpkg_cmake_configure(
    SOURCE_PATH "${root}"
    OPTIONS
        -DBUILD_TESTING=OFF
        -DASIO_EWYK_BUILD_EXAMPLES=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME asio_ewyk CONFIG_PATH share/cmake/asio_ewyk)
vcpkg_fixup_pkgconfig()

vcpkg_install_copyright(FILE_LIST "${root}/LICENSE")
