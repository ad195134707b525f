// Boost.Process, which takes an io_context&, and tells it of a fork that has been, but never before.

#include "process_pipes.hpp"

#include "support.hpp"

APP_TEST_SUITE(process, apps::processes, apps::process_pipe, 4, 10)
