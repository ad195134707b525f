// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OBSERVE_HANDLER_NAME_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_HANDLER_NAME_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/observe/task_action.hpp>

#include <boost/core/demangle.hpp>

#include <algorithm>
#include <cstddef>
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

// Where the arguments of the template-id begin that the name ends with, behind its `<`: in
// `stream<T>::read_op<H>` those of `read_op`. npos: it ends with none.
ASIO_EWYK_COLD inline std::size_t arguments_of(std::string_view name) noexcept
{
    std::size_t depth = 0;
    std::size_t open = name.npos;
    for (std::size_t i = 0; i != name.size(); ++i)
    {
        std::string_view const brackets = "<({[>)}]";
        std::size_t const bracket = brackets.find(name[i]);
        if (bracket < 4 && depth++ == 0)
            open = i + 1;
        else if (bracket >= 4 && bracket != brackets.npos && depth != 0)
            --depth;
    }
    return !name.empty() && name.back() == '>' ? open : name.npos;
}

// A template of a library that has the handler as an argument.
struct handler_wrapper
{
    std::string_view end; // of its name
    std::size_t handler;  // which argument
};

// Of Asio. The names of its operations begin with the system's way to perform them. A composed
// operation has the handler that is called when it is complete.
inline constexpr handler_wrapper wrappers_of_asio[] = {{"binder0", 0}, {"binder1", 0},
    {"binder2", 0}, {"binder3", 0}, {"work_dispatcher", 0}, {"rewrapped_handler", 0},
    {"wrapped_handler", 1}, {"executor_binder", 0}, {"allocator_binder", 0},
    {"immediate_executor_binder", 0}, {"cancellation_slot_binder", 0}, {"executor_op", 0},
    {"completion_handler", 0}, {"wait_handler", 0}, {"signal_handler", 0}, {"_wait_op", 0},
    {"_null_buffers_op", 0}, {"_socket_connect_op", 0}, {"_socket_recv_op", 1},
    {"_socket_recvmsg_op", 1}, {"_socket_send_op", 1}, {"_socket_recvfrom_op", 2},
    {"_socket_sendto_op", 2}, {"_socket_accept_op", 2}, {"_socket_move_accept_op", 2},
    {"descriptor_read_op", 1}, {"descriptor_write_op", 1}, {"resolve_query_op", 1},
    {"resolve_endpoint_op", 1}, {"composed_op", 2}, {"::io_op", 2}, {"range_connect_op", 4},
    {"iterator_connect_op", 4}, {"::read_op", 4}, {"::write_op", 4}, {"::read_at_op", 4},
    {"::write_at_op", 4}, {"_dynbuf_v1_op", 3}, {"_dynbuf_v2_op", 3}, {"_delim_op_v1", 2},
    {"_delim_op_v2", 2}, {"_delim_string_op_v1", 2}, {"_delim_string_op_v2", 2},
    {"_expr_op_v1", 3}, {"_expr_op_v2", 3}, {"_match_op_v1", 3}, {"_match_op_v2", 3}};

// Of Beast.
inline constexpr handler_wrapper wrappers_of_beast[] = {{"transfer_op", 2}, {"read_some_op", 0},
    {"ops::read_op", 1}, {"beast::detail::read_op", 3}, {"read_op", 0}, {"write_some_op", 0},
    {"write_op", 0}, {"write_msg_op", 0}, {"read_msg_op", 5}, {"ops::connect_op", 0},
    {"response_op", 0}, {"accept_op", 0}, {"handshake_op", 0}, {"close_op", 0}, {"::ping_op", 0},
    {"teardown_tcp_op", 2}, {"bind_wrapper", 0}, {"bind_front_wrapper", 0}};

// What a template of that library has as its handler; empty if it is none of those.
template <std::size_t N>
ASIO_EWYK_COLD std::string_view handler_in(
    std::string_view name, handler_wrapper const (&wrappers)[N]) noexcept
{
    std::size_t const open = arguments_of(name);
    if (open == name.npos)
        return {};
    std::string_view const id = name.substr(0, open - 1);
    for (handler_wrapper const& w : wrappers)
        if (id.ends_with(w.end))
            return template_argument(name.substr(open), w.handler);
    return {};
}

// A type's name without what Asio and Beast wrap a handler in to call it, and without the composed
// operations that it completes: a handler's name is that of what the program has written.
ASIO_EWYK_COLD inline std::string_view unwrapped(std::string_view name) noexcept
{
    for (;;)
    {
        std::string_view inner;
        if (name.starts_with("boost::asio::"))
            inner = handler_in(name, wrappers_of_asio);
        else if (name.starts_with("boost::beast::"))
            inner = handler_in(name, wrappers_of_beast);
        if (inner.empty())
            return name;
        name = inner;
    }
}

// For people.
ASIO_EWYK_COLD inline std::string handler_name(boost::core::typeinfo const& type)
{
    std::string name(unwrapped(boost::core::demangled_name(type)));
    // As GNU's library and LLVM's have it.
    static constexpr std::string_view strings[] = {
        "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
        "std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> >"};
    for (std::string_view const s : strings)
        for (auto at = name.find(s); at != name.npos; at = name.find(s, at))
            name.replace(at, s.size(), "std::string");
    return name;
}

// Empty if it is not a handler.
ASIO_EWYK_COLD inline std::string handler_name(task_action action)
{
    boost::core::typeinfo const* const type
        = action ? action(nullptr, task_purpose::describe) : nullptr;
    return type ? handler_name(*type) : std::string();
}

} // namespace asio_ewyk::detail

#endif
