#ifndef ASIO_EWYK_TEST_APPS_FRAMEWORK_SERVER_HPP
#define ASIO_EWYK_TEST_APPS_FRAMEWORK_SERVER_HPP

#include "asked.hpp"

#include <memory>

namespace apps {

/// RESTinio with an io_context of its own, and one thread in its run().
class framework_server
{
public:
    explicit framework_server(asked& questions);
    ~framework_server();

    unsigned short port() const noexcept { return port_; }

private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
    unsigned short port_ = 0;
};

} // namespace apps

#endif
