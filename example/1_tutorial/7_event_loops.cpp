// Step 7. Netty's model: several loops, each with a thread of its own. Each connection belongs to
// one of them, so that its handlers need no lock and no strand.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <iostream>
#include <string>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

asio::awaitable<void> echo(tcp::socket socket)
{
    std::string line(5, ' ');
    co_await asio::async_read(socket, asio::buffer(line), asio::use_awaitable);
    co_await asio::async_write(socket, asio::buffer(line), asio::use_awaitable);
}

// tag::accept[]
asio::awaitable<void> serve(tcp::acceptor& acceptor, ewyk::event_loop_group& workers)
{
    for (;;)
    {
        ewyk::event_loop& loop = workers.next(); // in turn, or as a chooser of yours says
        tcp::socket socket = co_await acceptor.async_accept(loop, asio::use_awaitable);
        asio::co_spawn(loop, echo(std::move(socket)), asio::detached);
    }
}
// end::accept[]

} // namespace

int main()
{
    // tag::groups[]
    ewyk::event_loop_group workers(4, {.name = "worker"}); // threads start with the first task
    ewyk::event_loop_group boss(1, {.name = "boss"}); // ends first: it makes sockets of the workers
    // end::groups[]

    tcp::acceptor acceptor(boss[0], {asio::ip::address_v4::loopback(), 0});
    asio::co_spawn(boss[0], serve(acceptor, workers), [](std::exception_ptr) {});

    // tag::later[]
    workers.schedule(10min, [] { std::clog << "ten minutes have passed\n"; });
    ewyk::scheduled_task report =
        workers.schedule_at_fixed_rate(1s, 1s, [] { std::clog << "a second has passed\n"; });
    // end::later[]

    for (int i = 0; i != 8; ++i)
    {
        asio::io_context here;
        tcp::socket client(here);
        client.connect(acceptor.local_endpoint());
        asio::write(client, asio::buffer("hello", 5));
        std::string reply(5, ' ');
        asio::read(client, asio::buffer(reply));
        std::cout << reply << (i == 7 ? "\n" : " ");
    }

    report.cancel();

    // tag::shutdown[]
    bool ended = boss.shutdown_gracefully(0s, 5s); // nothing is accepted any more
    ended = workers.shutdown_gracefully(100ms, 5s) && ended; // 100 ms without a task, at most 5 s
    // end::shutdown[]
    std::cout << (ended ? "all loops have ended\n" : "some loop is stuck\n");
    return ended ? 0 : 1;
}
