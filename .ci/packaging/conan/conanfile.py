# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""Conan 2 recipe of the sources that it lies in: conan create .ci/packaging/conan"""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load


class AsioEwyk(ConanFile):
    name = "asio_ewyk"
    description = "Execution strategies for Boost.Asio"
    license = "BSL-1.0"
    topics = ("asio", "executors", "scheduling", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._root, "include", "asio_ewyk", "version.hpp"))
        number = int(re.search(r"^#define ASIO_EWYK_VERSION (\d+)$", text, re.MULTILINE)[1])
        self.version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"

    def layout(self):
        self.folders.root = os.path.join("..", "..", "..")
        self.folders.source = "."

    def export_sources(self):
        for pattern in ("include/*.?pp", "LICENSE"):
            copy(self, pattern, self._root, self.export_sources_folder)

    def requirements(self):
        self.requires("boost/[>=1.81.0]", transitive_headers=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "include/*.?pp", self.source_folder, self.package_folder)

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "asio_ewyk")
        self.cpp_info.set_property("cmake_target_name", "asio_ewyk::asio_ewyk")
        self.cpp_info.set_property("pkg_config_name", "asio_ewyk")
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.requires = ["boost::headers"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
