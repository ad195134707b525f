// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_HANDLER_NAME_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_HANDLER_NAME_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/observe/task_action.hpp>

#include <boost/core/demangle.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace asio_ewyk::detail {

// An argument of a template-id, given what follows its `<`; empty unless that is closed at the very
// end. Names of operators that contain `<` or `>` cannot be told from brackets: none then.
ASIO_EWYK_COLD inline std::string_view template_argument(
    std::string_view rest, std::size_t index) noexcept
{
    if (rest.find("operator") != rest.npos && rest.find("operator()") == rest.npos)
        return {};
    std::size_t depth = 1;
    std::size_t begin = 0;
    std::size_t end = rest.npos;
    for (std::size_t i = 0; i != rest.size(); ++i)
    {
        std::string_view const brackets = "<({[>)}]";
        std::size_t const bracket = brackets.find(rest[i]);
        if (bracket < 4)
            ++depth;
        else if (rest[i] == ',' && depth == 1 && end == rest.npos)
        {
            if (index-- == 0)
                end = i;
            else
                begin = i + 1;
        }
        else if (bracket != brackets.npos && --depth == 0)
        {
            if (i + 1 != rest.size() || (end == rest.npos && index != 0))
                return {};
            std::string_view a = rest.substr(begin, std::min(end, i) - begin);
            a.remove_prefix(std::min(a.find_first_not_of(' '), a.size()));
            return a.substr(0, a.find_last_not_of(' ') + 1);
        }
    }
    return {};
}

// Which argument of Asio's template of that name is the handler. The names of its operations begin
// with the system's way to perform them. npos: it is none of these.
ASIO_EWYK_COLD inline std::size_t argument_with_handler(std::string_view name) noexcept
{
    struct operation
    {
        std::string_view end;
        std::size_t handler;
    };
    static constexpr operation operations[] = {{"executor_op", 0}, {"completion_handler", 0},
        {"wait_handler", 0}, {"signal_handler", 0}, {"_wait_op", 0}, {"_null_buffers_op", 0},
        {"_socket_connect_op", 0}, {"_socket_recv_op", 1}, {"_socket_recvmsg_op", 1},
        {"_socket_send_op", 1}, {"_socket_recvfrom_op", 2}, {"_socket_sendto_op", 2},
        {"_socket_accept_op", 2}, {"_socket_move_accept_op", 2}, {"descriptor_read_op", 1},
        {"descriptor_write_op", 1}, {"resolve_query_op", 1}, {"resolve_endpoint_op", 1}};
    for (operation const& o : operations)
        if (name.ends_with(o.end))
            return o.handler;
    return name.npos;
}

// A type's name without what Asio wraps a handler in to call it: templates that have the handler as
// an argument, mostly the first one.
ASIO_EWYK_COLD inline std::string_view unwrapped(std::string_view name) noexcept
{
    static constexpr std::string_view scopes[] = {"boost::asio::", "detail::"};
    static constexpr std::string_view wrappers[] = {"binder0", "binder1", "binder2", "binder3",
        "move_binder1", "move_binder2", "work_dispatcher", "rewrapped_handler", "executor_binder",
        "allocator_binder", "immediate_executor_binder", "cancellation_slot_binder"};
    for (;;)
    {
        std::string_view inner = name;
        for (std::string_view const scope : scopes)
            if (inner.starts_with(scope))
                inner.remove_prefix(scope.size());
        std::size_t const open = inner.find('<');
        if (inner.size() == name.size() || open == inner.npos)
            return name;
        std::string_view const wrapper = inner.substr(0, open);
        bool const is_first = std::find(std::begin(wrappers), std::end(wrappers), wrapper)
            != std::end(wrappers);
        std::size_t const index = is_first ? 0 : argument_with_handler(wrapper);
        if (index == name.npos)
            return name;
        std::string_view const argument = template_argument(inner.substr(open + 1), index);
        if (argument.empty())
            return name;
        name = argument;
    }
}

// For people. Empty if it is not a handler.
ASIO_EWYK_COLD inline std::string handler_name(task_action action)
{
    boost::core::typeinfo const* const type
        = action ? action(nullptr, task_purpose::describe) : nullptr;
    return type ? std::string(unwrapped(boost::core::demangled_name(*type))) : std::string();
}

} // namespace asio_ewyk::detail

#endif
