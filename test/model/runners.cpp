// The callers of run() and its siblings in every interleaving with those who post, stop and take
// over.

#include "check.hpp"

BOOST_AUTO_TEST_SUITE(runners)

BOOST_DATA_TEST_CASE(all_return_and_no_task_waits, model::run_models(), each)
{
    model::check(each);
}

BOOST_AUTO_TEST_SUITE_END()
