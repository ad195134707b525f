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

// The first argument of a template-id, given what follows its `<`; empty unless that is closed at
// the very end. Names of operators that contain `<` or `>` cannot be told from brackets: none then.
ASIO_EWYK_COLD inline std::string_view first_argument(std::string_view rest) noexcept
{
    if (rest.find("operator") != rest.npos && rest.find("operator()") == rest.npos)
        return {};
    std::size_t depth = 1;
    std::size_t end = rest.npos;
    for (std::size_t i = 0; i != rest.size(); ++i)
    {
        std::string_view const brackets = "<({[>)}]";
        std::size_t const bracket = brackets.find(rest[i]);
        if (bracket < 4)
            ++depth;
        else if (rest[i] == ',' && depth == 1)
            end = std::min(end, i);
        else if (bracket != brackets.npos && --depth == 0)
            return i + 1 == rest.size() ? rest.substr(0, std::min(end, i)) : std::string_view();
    }
    return {};
}

// A type's name without what Asio wraps a handler in to call it: templates whose first argument is
// the handler.
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
        if (inner.size() == name.size() || open == inner.npos
            || std::find(std::begin(wrappers), std::end(wrappers), inner.substr(0, open))
                == std::end(wrappers))
            return name;
        std::string_view argument = first_argument(inner.substr(open + 1));
        while (argument.ends_with(' '))
            argument.remove_suffix(1);
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
