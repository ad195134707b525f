// a session takes a socket of the protocol by value and returns an asio::awaitable<void>

#include <asio_ewyk/event_loop_group.hpp>
#include <asio_ewyk/serve.hpp>

#include <boost/asio/detached.hpp>

int main()
{
    using boost::asio::ip::tcp;
    asio_ewyk::event_loop_group loops(1);
    asio_ewyk::serve(loops, loops, tcp::endpoint(), [](tcp::socket) {}, boost::asio::detached);
}
