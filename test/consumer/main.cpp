#include <asio_ewyk.hpp>

#include <boost/asio/post.hpp>

#include <iostream>

int main()
{
    asio_ewyk::strategy_context context;
    boost::asio::post(context, [] { std::cout << asio_ewyk::version_string << '\n'; });
    return context.run() == 1 ? 0 : 1;
}
