// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_DATE_HPP
#define ASIO_EWYK_DETAIL_OS_DATE_HPP

#include <asio_ewyk/detail/config.hpp>

#include <chrono>
#include <cstdio>
#include <string>

namespace asio_ewyk::detail {

// Now, as 20260131T120000.000Z, which sorts by time. For people: the clock may jump.
ASIO_EWYK_COLD inline std::string date_and_time()
{
    auto const time = std::chrono::floor<std::chrono::milliseconds>(
        std::chrono::system_clock::now());
    auto const day = std::chrono::floor<std::chrono::days>(time);
    std::chrono::year_month_day const date(day);
    std::chrono::hh_mm_ss const clock(time - day);
    char text[80];
    std::snprintf(text, sizeof text, "%04d%02u%02uT%02d%02d%02d.%03dZ",
        static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
        static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()),
        static_cast<int>(clock.subseconds().count()));
    return text;
}

} // namespace asio_ewyk::detail

#endif
