// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A parser that takes nothing but what the exposition format 0.0.4 says:
// https://prometheus.io/docs/instrumenting/exposition_formats/

#ifndef ASIO_EWYK_TEST_UNIT_PROMETHEUS_SUPPORT_HPP
#define ASIO_EWYK_TEST_UNIT_PROMETHEUS_SUPPORT_HPP

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace support {

using labels = std::map<std::string, std::string>;

struct sample
{
    std::string name;
    labels with;
    double value = 0;
};

struct family
{
    std::string help;
    std::string type;
    std::vector<sample> samples;
};

struct malformed : std::runtime_error
{
    using runtime_error::runtime_error;
};

// Families by name; throws malformed.
class exposition
{
public:
    explicit exposition(std::string const& text)
    {
        if (!text.empty() && text.back() != '\n')
            throw malformed("the last line does not end");
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);)
            read(line);
        for (auto const& [name, f] : families)
            if (f.type == "histogram")
                check_histogram(name, f);
    }

    double value(std::string const& name, labels const& with = {}) const
    {
        for (auto const& [n, f] : families)
            for (sample const& s : f.samples)
                if (s.name == name && s.with == with)
                    return s.value;
        throw malformed("no sample " + name);
    }

    std::map<std::string, family> families;

private:
    void read(std::string const& line)
    {
        rest_ = line;
        if (line.starts_with("# "))
        {
            rest_.remove_prefix(2);
            bool const help = take("HELP ");
            if (!help)
                expect("TYPE ");
            std::string const name = take_name(":");
            expect(" ");
            if (help)
            {
                if (!families.emplace(name, family{unescaped(std::string(rest_), false), "", {}})
                         .second)
                    throw malformed("HELP twice: " + line);
            }
            else
            {
                static std::set<std::string_view> const types{
                    "counter", "gauge", "histogram", "summary", "untyped"};
                auto const found = families.find(name);
                if (found == families.end() || !found->second.type.empty() || !types.count(rest_))
                    throw malformed("TYPE: " + line);
                found->second.type = rest_;
            }
            // All samples of a family stand together, after its HELP and TYPE.
            current_ = name;
            return;
        }
        sample s;
        s.name = take_name(":");
        if (take("{"))
            do
            {
                std::string const name = take_name("");
                expect("=\"");
                std::string value;
                while (!rest_.empty() && rest_.front() != '"')
                {
                    std::size_t const n = rest_.front() == '\\' ? 2 : 1;
                    value += rest_.substr(0, n);
                    rest_.remove_prefix(n);
                }
                expect("\"");
                if (!s.with.emplace(name, unescaped(value, true)).second)
                    throw malformed("a label twice: " + line);
            } while (!take("}") && (expect(","), true));
        expect(" ");
        s.value = number(rest_);
        if (s.name != current_)
        {
            auto const& type = families.at(current_).type;
            if (type != "histogram"
                || (s.name != current_ + "_bucket" && s.name != current_ + "_sum"
                    && s.name != current_ + "_count"))
                throw malformed("a sample that is not of the family " + current_ + ": " + line);
        }
        if (families.at(current_).type == "counter"
            && (!s.name.ends_with("_total") || !(s.value >= 0)))
            throw malformed("not a counter: " + line);
        if (!all_.emplace(s.name, s.with).second)
            throw malformed("a sample twice: " + line);
        families.at(current_).samples.push_back(s);
    }

    static void check_histogram(std::string const& name, family const& f)
    {
        std::map<labels, std::map<double, double>> buckets;
        std::map<labels, double> counts;
        std::map<labels, double> sums;
        for (sample s : f.samples)
            if (s.name == name + "_bucket")
            {
                double const bound = number(s.with.at("le"));
                s.with.erase("le");
                auto& all = buckets[s.with];
                if (!all.empty() && (bound <= all.rbegin()->first || s.value < all.rbegin()->second))
                    throw malformed("buckets of " + name + " do not rise");
                all[bound] = s.value;
            }
            else
                (s.name == name + "_sum" ? sums : counts)[s.with] = s.value;
        for (auto const& [with, all] : buckets)
            if (!std::isinf(all.rbegin()->first) || all.rbegin()->second != counts.at(with)
                || sums.at(with) < 0)
                throw malformed("the end of " + name);
        if (buckets.size() != counts.size() || counts.size() != sums.size())
            throw malformed("a part of " + name + " is missing");
    }

    bool take(std::string_view what)
    {
        if (!rest_.starts_with(what))
            return false;
        rest_.remove_prefix(what.size());
        return true;
    }

    void expect(std::string_view what)
    {
        if (!take(what))
            throw malformed("expected '" + std::string(what) + "' at '" + std::string(rest_) + "'");
    }

    std::string take_name(std::string_view more)
    {
        auto const good = [&](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                || c == '_' || more.find(c) != more.npos;
        };
        auto const end = std::find_if_not(rest_.begin(), rest_.end(), good);
        std::string const name(rest_.begin(), end);
        if (name.empty() || (name[0] >= '0' && name[0] <= '9'))
            throw malformed("no name at '" + std::string(rest_) + "'");
        rest_.remove_prefix(name.size());
        return name;
    }

    static std::string unescaped(std::string_view text, bool quoted)
    {
        std::string out;
        for (std::size_t i = 0; i != text.size(); ++i)
        {
            if (text[i] != '\\')
            {
                out += text[i];
                continue;
            }
            char const next = ++i == text.size() ? ' ' : text[i];
            if (next != '\\' && next != 'n' && !(quoted && next == '"'))
                throw malformed("a bad escape in: " + std::string(text));
            out += next == 'n' ? '\n' : next;
        }
        return out;
    }

    static double number(std::string_view text)
    {
        if (text == "+Inf")
            return std::numeric_limits<double>::infinity();
        if (text == "-Inf")
            return -std::numeric_limits<double>::infinity();
        if (text == "NaN")
            return std::numeric_limits<double>::quiet_NaN();
        double value = 0;
        auto const end = text.data() + text.size();
        auto const [stopped, error] = std::from_chars(text.data(), end, value);
        if (error != std::errc() || stopped != end)
            throw malformed("not a number: " + std::string(text));
        return value;
    }

    std::string_view rest_; // of the line
    std::string current_;   // the family
    std::set<std::pair<std::string, labels>> all_;
};

}

#endif
