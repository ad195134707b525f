// Step 3. Nothing has to be annotated; but who knows that a handler never blocks can say so, and
// saves the hand-over. What is said is a property of the handler's executor, like any other of
// Asio's.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <array>
#include <iostream>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;

int main()
{
    ewyk::strategy_context context;
    asio::readable_pipe source(context);
    asio::writable_pipe sink(context);
    asio::connect_pipe(source, sink);

    // tag::properties[]
    auto ex = context.get_executor();
    auto never_blocks = asio::require(ex, ewyk::invocation.non_blocking);
    auto to_the_pool = asio::require(ex, ewyk::strategy.produce_execute_consume);

    std::array<char, 16> buffer;
    source.async_read_some(asio::buffer(buffer), asio::bind_executor(never_blocks,
        [&](boost::system::error_code, std::size_t n) {
            std::cout << n << " bytes, seen by the thread that waited for them\n";
            asio::post(to_the_pool, [] { std::cout << "the work, by a thread of the pool\n"; });
        }));
    // end::properties[]

    asio::write(sink, asio::buffer("hello", 5));
    context.run();

    // tag::query[]
    bool pool = asio::query(to_the_pool, ewyk::strategy) == ewyk::strategy.produce_execute_consume;
    // end::query[]
    return pool ? 0 : 1;
}
