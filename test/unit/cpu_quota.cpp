// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/os/cpu_binding.hpp>
#include <asio_ewyk/detail/os/cpu_quota.hpp>
#include <asio_ewyk/loop/event_loop_group.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

BOOST_AUTO_TEST_SUITE(cpu_quota)

namespace {

namespace fs = std::filesystem;
using asio_ewyk::detail::no_cpu_quota;

/// The files of a system, as far as they are of interest.
class file_system
{
public:
    file_system()
      : root_(fs::temp_directory_path() / ("ewyk-cpu-quota-" + std::to_string(::getpid())))
    {
        fs::remove_all(root_);
    }
    file_system(file_system const&) = delete;
    file_system& operator=(file_system const&) = delete;
    ~file_system() { fs::remove_all(root_); }

    file_system& with(std::string const& file, std::string const& text)
    {
        fs::create_directories(fs::path(root_.string() + file).parent_path());
        std::ofstream(root_.string() + file) << text << '\n';
        return *this;
    }

    std::size_t cpus() const { return asio_ewyk::detail::cpu_quota(root_.string()); }

private:
    fs::path root_;
};

BOOST_AUTO_TEST_CASE(nothing_to_read)
{
    BOOST_TEST(file_system().cpus() == no_cpu_quota);
    BOOST_TEST(file_system().with("/proc/self/cgroup", "nonsense\n::\n").cpus() == no_cpu_quota);
    BOOST_TEST(file_system().with("/proc/self/cgroup", "0::/a/b").cpus() == no_cpu_quota);
}

BOOST_AUTO_TEST_CASE(of_a_container)
{
    auto const of = [](std::string const& max) {
        return file_system().with("/proc/self/cgroup", "0::/").with("/sys/fs/cgroup/cpu.max", max).cpus();
    };
    BOOST_TEST(of("max 100000") == no_cpu_quota);
    BOOST_TEST(of("200000 100000") == 2u);
    BOOST_TEST(of("150000 100000") == 2u);
    BOOST_TEST(of("1000 100000") == 1u);
    BOOST_TEST(of("0 100000") == no_cpu_quota);
    BOOST_TEST(of("100000 0") == no_cpu_quota);
    BOOST_TEST(of("x y") == no_cpu_quota);
}

BOOST_AUTO_TEST_CASE(the_least_of_the_groups_around)
{
    file_system files;
    files.with("/proc/self/cgroup", "0::/outer/inner").with("/sys/fs/cgroup/outer/inner/cpu.max", "max 100000");
    BOOST_TEST(files.cpus() == no_cpu_quota);
    files.with("/sys/fs/cgroup/outer/cpu.max", "300000 100000");
    BOOST_TEST(files.cpus() == 3u);
    files.with("/sys/fs/cgroup/outer/inner/cpu.max", "50000 50000");
    BOOST_TEST(files.cpus() == 1u);
}

BOOST_AUTO_TEST_CASE(of_the_first_version)
{
    file_system files;
    files.with("/proc/self/cgroup", "5:cpuset:/a\n4:cpu,cpuacct:/a\n1:memory:/b")
        .with("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1")
        .with("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000");
    BOOST_TEST(files.cpus() == no_cpu_quota);
    files.with("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "250000");
    BOOST_TEST(files.cpus() == 3u);
}

#if defined(ASIO_EWYK_HAS_LINUX)

// Of those that this thread may use, unless the quota is less.
BOOST_AUTO_TEST_CASE(of_the_cpus_of_this_thread)
{
    namespace detail = asio_ewyk::detail;
    auto const allowed = static_cast<std::size_t>(detail::allowed_cpus());
    auto const all = static_cast<int>(std::min(allowed, detail::cpu_quota()));
    BOOST_TEST(detail::usable_cpus_from_here() == all);
    detail::cpu_mask before;
    BOOST_TEST_REQUIRE(before.read() == 0);
    int first = 0;
    while (!before.has(first))
        ++first;
    BOOST_TEST_REQUIRE(detail::cpu_mask::only(first).apply() == 0);
    BOOST_TEST(detail::usable_cpus_from_here() == 1);
    before.apply();
    BOOST_TEST(detail::usable_cpus_from_here() == all);
}

#endif

BOOST_AUTO_TEST_CASE(a_group_has_two_loops_for_each)
{
    BOOST_TEST(asio_ewyk::event_loop_group::default_size() == 2 * asio_ewyk::detail::usable_cpus());
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
