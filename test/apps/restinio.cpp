// RESTinio over Boost.Asio on a context that it is handed: each connection has a strand over an
// any_io_executor of the io_context's own executor.

#include "http_client.hpp"
#include "restinio_server.hpp"
#include "support.hpp"

APP_TEST_SUITE(restinio, apps::restinio_server, apps::http_client, 8, 20)
