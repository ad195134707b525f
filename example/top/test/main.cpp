#define BOOST_TEST_MODULE top
#include <boost/test/unit_test.hpp>
