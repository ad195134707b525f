// a strategy_policy must be noexcept

#include <asio_ewyk/strategy_policy.hpp>

int main()
{
    asio_ewyk::strategy_policy const policy(
        [](asio_ewyk::task_traits) { return asio_ewyk::strategy.produce_consume; });
    return policy ? 0 : 1;
}
