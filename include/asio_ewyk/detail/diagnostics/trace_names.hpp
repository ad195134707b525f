// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_NAMES_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_NAMES_HPP

#include <asio_ewyk/detail/diagnostics/trace_ring.hpp>
#include <asio_ewyk/detail/diagnostics/trace_snapshot.hpp>
#include <asio_ewyk/detail/observe/handler_name.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace asio_ewyk::detail {

// The name of a function, without what it returns and takes; empty for that of a lambda.
inline std::string_view function_name(std::string_view signature) noexcept
{
    std::string_view name = signature.substr(0, signature.find('('));
    if (auto const space = name.rfind(' '); space != name.npos)
        name.remove_prefix(space + 1);
    return name == "operator" ? std::string_view() : name;
}

// A place in the source, as "session.cpp:41 async_read".
inline std::string place_name(
    std::string_view file, std::uint32_t line, std::string_view function)
{
    if (auto const slash = file.find_last_of("/\\"); slash != file.npos)
        file.remove_prefix(slash + 1);
    std::string name(file);
    name.append(":").append(std::to_string(line));
    if (std::string_view const f = function_name(function); !f.empty())
        name.append(" ").append(f);
    return name;
}

// What the handlers of a trace are called.
class trace_names
{
public:
    // Of the handler whose run that is; empty if it is none. Where that says nothing of the
    // handler, it is the place of the operation whose completion it is.
    std::string of(std::vector<trace_record> const& records, traced_span const& run)
    {
        std::string_view const type = of_type(records[run.begin].type());
        if (type.empty() || run.place == traced_span::none)
            return std::string(type);
        trace_record const& p = records[run.place];
        auto const line = traced_line::unpack(p.detail);
        if (line.of_operation && !hides_what_runs(type))
            return std::string(type);
        auto const* const function = reinterpret_cast<char const*>(p.what);
        return place_name(static_cast<char const*>(p.subject), line.line, function ? function : "");
    }

private:
    // The same for all that does different things.
    static bool hides_what_runs(std::string_view type) noexcept
    {
        return type.find("detail::awaitable_") != type.npos
            || type.find("detail::executor_function") != type.npos;
    }

    std::string_view of_type(task_action type)
    {
        auto const [found, is_new] = types_.try_emplace(type);
        if (is_new)
            found->second = handler_name(type);
        return found->second;
    }

    std::map<task_action, std::string> types_;
};

} // namespace asio_ewyk::detail

#endif
