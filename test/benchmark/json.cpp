// Boost.JSON, used as headers only.
#include <boost/json/src.hpp>
