#ifndef ASIO_EWYK_DETAIL_HANDLER_NAME_HPP
#define ASIO_EWYK_DETAIL_HANDLER_NAME_HPP

#include <asio_ewyk/detail/task_action.hpp>

#include <boost/core/demangle.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace asio_ewyk::detail {

// The first argument of a template-id, given what follows its `<`; empty unless that is closed at
// the very end. Names of operators that contain `<` or `>` cannot be told from brackets: none then.
inline std::string_view first_argument(std::string_view rest) noexcept
{
    if (rest.find("operator") != rest.npos && rest.find("operator()") == rest.npos)
        return {};
    std::size_t depth = 1;
    std::size_t end = rest.npos;
    for (std::size_t i = 0; i != rest.size(); ++i)
        switch (rest[i])
        {
        case '<':
        case '(':
        case '{':
        case '[':
            ++depth;
            break;
        case ',':
            if (depth == 1 && end == rest.npos)
                end = i;
            break;
        case '>':
        case ')':
        case '}':
        case ']':
            if (--depth == 0)
                return i + 1 == rest.size() ? rest.substr(0, end == rest.npos ? i : end)
                                            : std::string_view();
            break;
        }
    return {};
}

// A type's name without what Asio and this library wrap a handler in to call it: templates whose
// first argument is the handler.
inline std::string_view unwrapped(std::string_view name) noexcept
{
    constexpr std::string_view wrappers[] = {
        "boost::asio::detail::binder0<",
        "boost::asio::detail::binder1<",
        "boost::asio::detail::binder2<",
        "boost::asio::detail::binder3<",
        "boost::asio::detail::move_binder1<",
        "boost::asio::detail::move_binder2<",
        "boost::asio::detail::work_dispatcher<",
        "boost::asio::detail::rewrapped_handler<",
        "boost::asio::executor_binder<",
        "boost::asio::allocator_binder<",
        "boost::asio::immediate_executor_binder<",
        "boost::asio::cancellation_slot_binder<",
        "asio_ewyk::invocation_binder<",
    };
    for (bool again = true; again;)
    {
        again = false;
        for (std::string_view const wrapper : wrappers)
            if (name.starts_with(wrapper))
                if (auto inner = first_argument(name.substr(wrapper.size())); !inner.empty())
                {
                    while (inner.ends_with(' '))
                        inner.remove_suffix(1);
                    name = inner;
                    again = true;
                }
    }
    return name;
}

// For people. Empty for what is no handler.
inline std::string handler_name(task_action action)
{
    boost::core::typeinfo const* const type
        = action ? action(nullptr, task_purpose::describe) : nullptr;
    return type ? std::string(unwrapped(boost::core::demangled_name(*type))) : std::string();
}

} // namespace asio_ewyk::detail

#endif
