#ifndef ASIO_EWYK_DETAIL_OS_LEAVE_RUN_HPP
#define ASIO_EWYK_DETAIL_OS_LEAVE_RUN_HPP

#include <boost/asio/io_context.hpp>
#include <boost/asio/multiple_exceptions.hpp>
#include <boost/config.hpp>

#include <cstddef>
#include <exception>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// Has a thread come out of io_context::run() as soon as the handler is over that it runs: Asio lets
// an exception of a function that a handler dispatches wait until then.
class BOOST_SYMBOL_VISIBLE leave_run
{
public:
    // A thread that is inside run_until_left(). From a handler of ours, `throw leave_run()` is
    // shorter.
    static void request(asio::io_context& ioc) noexcept
    {
        ioc.get_executor().execute([] { throw leave_run(); });
    }

    // run(). Returns how many handlers there were; 0 if it was left, as that is not known then.
    static std::size_t run_until_left(asio::io_context& ioc)
    {
        try
        {
            return ioc.run();
        }
        catch (leave_run const&)
        {
            return 0;
        }
        // A handler has thrown as well.
        catch (asio::multiple_exceptions const& several)
        {
            try
            {
                std::rethrow_exception(several.first_exception());
            }
            catch (leave_run const&)
            {
                throw several;
            }
        }
    }
};

} // namespace asio_ewyk::detail

#endif
