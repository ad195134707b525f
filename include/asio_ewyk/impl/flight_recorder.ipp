// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_FLIGHT_RECORDER_IPP
#define ASIO_EWYK_IMPL_FLIGHT_RECORDER_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/report/flight_recorder.hpp>
#include <asio_ewyk/diagnostics/flight_recorder.hpp>

namespace asio_ewyk {

ASIO_EWYK_DECL ASIO_EWYK_COLD void trace::keep(keep_options const& o)
{
    detail::check_keep_options(o);
    detail::flight_recorder::instance().keep(o);
}

} // namespace asio_ewyk

#endif
