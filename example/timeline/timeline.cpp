// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Draws a recorded trace as an SVG: see --help.

#include "options.hpp"
#include "picture.hpp"
#include "trace_file.hpp"

// Boost.JSON, compiled here.
#include <boost/json/src.hpp>

#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>

namespace {

void draw(timeline::options const& o)
{
    std::ifstream in(o.trace, std::ios::binary);
    if (!in)
        throw std::runtime_error("cannot read " + o.trace + ": " + std::strerror(errno));
    auto const trace = [&] {
        try
        {
            return timeline::trace_file::read(in);
        }
        catch (std::runtime_error const& e)
        {
            throw std::runtime_error(o.trace + ": " + e.what());
        }
    }();
    timeline::picture picture(trace, o);
    if (o.output.empty())
        picture.write(std::cout);
    else
    {
        std::ofstream out(o.output, std::ios::binary);
        picture.write(out);
        if (!out.flush())
            throw std::runtime_error("cannot write " + o.output + ": " + std::strerror(errno));
    }
    if (!std::cout.flush())
        throw std::runtime_error("cannot write");
}

}

int main(int argc, char** argv)
{
    try
    {
        auto const options = timeline::parse_options(argc, argv);
        if (options.help)
        {
            timeline::options unused;
            std::cout << timeline::described(unused);
            return 0;
        }
        draw(options);
        return 0;
    }
    catch (timeline::usage_error const& e)
    {
        std::cerr << "ewyk_timeline: " << e.what() << "; see --help\n";
        return 2;
    }
    catch (std::exception const& e)
    {
        std::cerr << "ewyk_timeline: " << e.what() << '\n';
        return 1;
    }
}
