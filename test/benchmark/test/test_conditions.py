# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

import unittest

from runner.conditions import medians


class Medians(unittest.TestCase):
    def test_are_of_each_primitive(self):
        several = [{"clock": 20.0, "atomic": value} for value in (9.0, 30.0, 10.0)]
        self.assertEqual(medians(several), {"clock": 20.0, "atomic": 10.0})

    def test_of_what_cannot_be_measured_are_not_known(self):
        several = [{"futex_other_core": None}, {"futex_other_core": 5.0}]
        self.assertEqual(medians(several), {"futex_other_core": None})


if __name__ == "__main__":
    unittest.main()
