// The pool's places: how many of its threads may produce while tasks wait for one.

#include "check.hpp"

BOOST_AUTO_TEST_SUITE(places)

BOOST_DATA_TEST_CASE(one_thread_is_left_for_tasks, model::place_models(), each)
{
    model::check(each);
}

BOOST_AUTO_TEST_SUITE_END()
