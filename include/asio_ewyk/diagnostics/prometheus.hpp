// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DIAGNOSTICS_PROMETHEUS_HPP
#define ASIO_EWYK_DIAGNOSTICS_PROMETHEUS_HPP

#include <asio_ewyk/diagnostics/tracked_operation.hpp>
#include <asio_ewyk/metrics.hpp>

#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace asio_ewyk {

/** A page of metrics for Prometheus and others that read its text format, version 0.0.4.

    Each add() is a snapshot of a context, a pool, a loop or a `serve`, with labels that tell it
    from the others. The page has all samples of a family together, as the format wants it, in units
    without prefix: times in seconds. The page _Metrics_ of the documentation lists the families.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.

    @par Example
    @snippet test/unit/diagnostics/prometheus.cpp prometheus
*/
class prometheus_page
{
public:
    /// What the format calls the page, for the field `Content-Type` of HTTP.
    static constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";

    /// A label's name and value.
    using label = std::pair<std::string, std::string>;

    /** Adds all families of a snapshot, with these labels.

        Names of labels have letters, digits and `_`, begin with no digit and not with `__`, and are
        neither given twice nor one of those that this class adds: `state`, `queue`, `kind`, `le`,
        `strategy`, `sub_strategy`, `worker`, `reason`, `operation`, `site`; else throws
        `std::invalid_argument`. Values are UTF-8. The same labels must not be given to two
        snapshots of one type. A label that is not allowed changes nothing; after `std::bad_alloc`
        the page is of no use.
    */
    void add(strategy_metrics const& m, std::vector<label> const& labels = {});
    void add(pool_metrics const& m, std::vector<label> const& labels = {});
    void add(loop_metrics const& m, std::vector<label> const& labels = {});
    void add(serve_metrics const& m, std::vector<label> const& labels = {});
    void add(shed_metrics const& m, std::vector<label> const& labels = {});

    /// Adds what `tracking::pending()` or `tracking::profile()` has returned, as the others do.
    /// Both are of the whole process. Pending operations are counted by kind, name and state.
    void add(std::vector<tracking::operation> const& pending,
        std::vector<label> const& labels = {});
    void add(std::vector<tracking::site> const& profile, std::vector<label> const& labels = {});

    /// Adds a sample of the caller's own to the family `name`, which is a counter if its name ends
    /// with `_total`, else a gauge. Throws `std::invalid_argument` if there is a family of that
    /// name with another help, or if the name or a label is not allowed.
    void add(std::string_view name, std::string_view help, double value,
        std::vector<label> const& labels = {});

    /// Writes the page. Throws only what the stream is told to.
    friend std::ostream& operator<<(std::ostream& out, prometheus_page const& page);

private:
    class writer;

    struct family
    {
        std::string name;
        std::string head;    // its lines HELP and TYPE
        std::string samples; // lines
    };

    std::vector<family> families_; // in the order in which they came
};

} // namespace asio_ewyk

#include <asio_ewyk/impl/prometheus.hpp>

#endif
