#define BOOST_TEST_MODULE http_server
#include <boost/test/unit_test.hpp>
