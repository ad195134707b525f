// execution_strategy in every interleaving of its callers and of the pool's threads.

#include "check.hpp"

BOOST_AUTO_TEST_SUITE(strategy)

BOOST_DATA_TEST_CASE(keeps_one_producer_and_loses_no_task, model::strategy_models(), each)
{
    model::check(each);
}

BOOST_AUTO_TEST_SUITE_END()
