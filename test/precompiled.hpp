// Parsing these two takes longer than compiling a typical test. A test still includes what it uses:
// it compiles without this as well.

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>
