// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_TIMELINE_PICTURE_HPP
#define ASIO_EWYK_EXAMPLE_TIMELINE_PICTURE_HPP

#include "options.hpp"
#include "trace_file.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <ostream>
#include <string>
#include <string_view>

namespace timeline {

/// The trace as an SVG, in the manner in which execution strategies are explained: production is
/// green, consumption blue, and brown arrows show where another thread goes on.
///
/// The background is the reader's, light or dark; text and lines are grey enough for both.
class picture
{
public:
    /// Throws std::runtime_error if there is nothing to draw.
    picture(trace const& t, options const& o)
        : trace_(t)
        , options_(o)
    {
        for (std::size_t l = 0; l != t.lanes.size(); ++l)
            if (o.all_threads || works(t.lanes[l]))
                shown_.push_back(l);
        for (std::size_t row = 0; row != shown_.size(); ++row)
            rows_[shown_[row]] = row;
        double first = std::numeric_limits<double>::max(), last = 0;
        for (lane const& on : t.lanes)
            for (span const& s : on.spans)
            {
                if (s.kind == "consume")
                    last = std::max(last, s.end);
                if (s.kind == "consume" || s.kind == "produce")
                    first = std::min(first, s.begin);
            }
        to_ = last + (last - first) * 0.02;
        from_ = first;
        done_ = last;
        // A file lists culprits that are older than what it has of the trace.
        auto const worst = std::find_if(t.culprits.begin(), t.culprits.end(),
            [&](culprit const& c) { return c.end > first; });
        if (worst != t.culprits.end())
        {
            double const around = std::max((worst->end - worst->begin) / 4, 0.1);
            from_ = std::max(0.0, worst->begin - around);
            to_ = worst->end + around;
        }
        from_ = o.from.value_or(from_);
        to_ = o.to.value_or(to_);
        if (shown_.empty() || !(from_ < to_))
            throw std::runtime_error("there is nothing to draw between --from and --to");
    }

    void write(std::ostream& out)
    {
        int const height = top + static_cast<int>(shown_.size()) * step + bottom;
        out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << options_.width << ' '
            << height << "\" width=\"" << options_.width << "\" height=\"" << height
            << "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#808080\">\n"
            << "<title>" << escaped(options_.title) << "</title>\n"
            << "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
               "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
               "<path d=\"M0 0 8 4 0 8z\" fill=\"" << brown << "\"/></marker></defs>\n"
            << "<text x=\"" << margin << "\" y=\"20\" font-size=\"15\" font-weight=\"bold\">"
            << escaped(options_.title) << "</text>\n";
        legend(out);
        axis(out, height);
        for (std::size_t row = 0; row != shown_.size(); ++row)
            draw(out, row);
        for (culprit const& c : trace_.culprits)
            draw(out, c);
        for (arrow const& a : trace_.arrows)
            draw(out, a);
        if (options_.done)
            mark_the_end(out, height);
        if (trace_.dropped != 0)
            text(out, options_.width - margin, 20, "end",
                std::to_string(trace_.dropped) + " events were not kept");
        out << "</svg>\n";
    }

private:
    static constexpr int margin = 10, names = 96, top = 62, step = 46, bottom = 30, box = 26;
    static constexpr char const* green = "#3f9142";
    static constexpr char const* pale_green = "#8fca8f";
    static constexpr char const* blue = "#4a86c8";
    static constexpr char const* brown = "#a0642c";
    static constexpr char const* grey = "#a0a0a0";
    static constexpr char const* red = "#c83232";

    static bool works(lane const& on)
    {
        return std::any_of(on.spans.begin(), on.spans.end(), [](span const& s) {
            return s.kind == "produce" || s.kind == "consume" || s.kind == "span";
        });
    }

    double x(double time) const
    {
        return margin + names
            + (std::clamp(time, from_, to_) - from_) / (to_ - from_)
            * (options_.width - 2 * margin - names);
    }

    double y(std::size_t row) const { return top + static_cast<double>(row) * step + step / 2.0; }

    static std::string number(double v)
    {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%.2f", v);
        return text.data();
    }

    static std::string escaped(std::string_view s)
    {
        std::string result;
        for (char const c : s)
            if (c == '<')
                result += "&lt;";
            else if (c == '>')
                result += "&gt;";
            else if (c == '&')
                result += "&amp;";
            else if (static_cast<unsigned char>(c) >= ' ')
                result += c;
        return result;
    }

    static void text(
        std::ostream& out, double x, double y, char const* anchor, std::string const& what)
    {
        out << "<text x=\"" << number(x) << "\" y=\"" << number(y) << "\" text-anchor=\"" << anchor
            << "\">" << escaped(what) << "</text>\n";
    }

    static void rectangle(std::ostream& out, double x0, double x1, double y, double h,
        char const* fill, std::string const& title)
    {
        out << "<rect x=\"" << number(x0) << "\" y=\"" << number(y - h / 2) << "\" width=\""
            << number(std::max(x1 - x0, 1.5)) << "\" height=\"" << number(h) << "\" fill=\"" << fill
            << "\"><title>" << escaped(title) << "</title></rect>\n";
    }

    static void line(
        std::ostream& out, double x0, double x1, double y, char const* stroke, char const* more)
    {
        out << "<path d=\"M" << number(x0) << ' ' << number(y) << 'H' << number(x1)
            << "\" stroke=\"" << stroke << "\" " << more << "/>\n";
    }

    void legend(std::ostream& out) const
    {
        double at = margin;
        auto const entry = [&](auto draw, std::string const& what) {
            draw(at, at + 22);
            text(out, at + 28, 44, "start", what);
            at += 28 + 6.6 * static_cast<double>(what.size()) + 16;
        };
        auto const boxes = [&](char const* fill) {
            return [&out, fill](double a, double b) { rectangle(out, a, b, 40, 12, fill, ""); };
        };
        entry(boxes(green), "produces");
        entry(boxes(pale_green), "waits for I/O");
        entry(boxes(blue), "consumes");
        entry([&](double a, double b) { line(out, a, b, 40, brown, arrow_style); },
            "another thread goes on");
        entry([&](double a, double b) { line(out, a, b, 40, grey, parked); }, "parked");
    }

    // Round figures, about one each 80 pixels.
    void axis(std::ostream& out, int height) const
    {
        double const about = (to_ - from_) / std::max(2, (options_.width - names) / 80);
        double unit = std::pow(10, std::floor(std::log10(about)));
        for (double const factor : {2.0, 5.0, 10.0})
            if (unit * factor <= about * 1.5)
            {
                unit *= factor;
                break;
            }
        for (int i = 0; i * unit <= to_ - from_; ++i)
        {
            double const at = x(from_ + i * unit);
            out << "<path d=\"M" << number(at) << ' ' << top << 'V' << height - bottom
                << "\" stroke=\"" << grey << "\" stroke-width=\"0.5\" stroke-dasharray=\"1 4\"/>\n";
            std::array<char, 32> label{};
            std::snprintf(label.data(), label.size(), "%g", i * unit);
            text(out, at, height - 12, "middle", label.data() + std::string(i == 0 ? " ms" : ""));
        }
    }

    // Where the last task has ended, as the axis counts.
    void mark_the_end(std::ostream& out, int height) const
    {
        double const at = x(done_);
        std::array<char, 48> label{};
        std::snprintf(label.data(), label.size(), "all done at %.1f ms", done_ - from_);
        out << "<path d=\"M" << number(at) << ' ' << top << 'V' << height - bottom
            << "\" stroke=\"" << brown << "\" stroke-width=\"1.2\" stroke-dasharray=\"4 3\"/>\n";
        bool const is_right = at > options_.width / 2.0;
        text(out, at, top - 5, is_right ? "end" : "start", label.data());
    }

    void draw(std::ostream& out, std::size_t row)
    {
        lane const& on = trace_.lanes[shown_[row]];
        text(out, margin, y(row) + 4, "start", on.name);
        std::map<std::string, double> drawn; // to which x, by kind
        double labelled = 0;                 // to which x, above the boxes
        for (span const& s : on.spans)
        {
            if (s.end < from_ || s.begin > to_)
                continue;
            double const x0 = x(s.begin), x1 = x(s.end);
            double& before = drawn.emplace(s.kind, -1.0).first->second;
            // It would not be seen.
            if (x1 < before + 0.5)
                continue;
            before = x1;
            draw(out, s, x0, x1, y(row), labelled);
        }
    }

    static void draw(
        std::ostream& out, span const& s, double x0, double x1, double y, double& labelled)
    {
        std::string const title
            = s.name + ", " + number(s.begin) + " ms, took " + number(s.end - s.begin) + " ms";
        if (s.kind == "produce" || s.kind == "round")
            rectangle(out, x0, x1, y, box - 8, green, title);
        else if (s.kind == "wait")
            rectangle(out, x0, x1, y, box - 8, pale_green, title);
        else if (s.kind == "consume")
        {
            rectangle(out, x0, x1, y, box, blue, title);
            if (!label(out, short_name(s.name), x0, x1, y))
                label_above(out, short_name(s.name), x0, x1, y, labelled);
        }
        else if (s.kind == "span")
        {
            rectangle(out, x0, x1, y, box - 8, grey, title);
            label(out, s.name, x0, x1, y);
        }
        else if (s.kind == "parked")
            line(out, x0, x1, y, grey, parked);
    }

    // In the box, if there is room for it.
    static bool label(std::ostream& out, std::string const& what, double x0, double x1, double y)
    {
        if (!(6.8 * static_cast<double>(what.size()) < x1 - x0))
            return false;
        out << "<text x=\"" << number((x0 + x1) / 2) << "\" y=\"" << number(y + 4)
            << "\" text-anchor=\"middle\" fill=\"#ffffff\">" << escaped(what) << "</text>\n";
        return true;
    }

    // Above a box that is not much narrower, if no other label is there.
    static void label_above(std::ostream& out, std::string const& what, double x0, double x1,
        double y, double& labelled)
    {
        double const half = 2.8 * static_cast<double>(what.size()), middle = (x0 + x1) / 2;
        if (x1 - x0 < half || middle - half < labelled)
            return;
        labelled = middle + half;
        out << "<text x=\"" << number(middle) << "\" y=\"" << number(y - box / 2.0 - 3)
            << "\" font-size=\"10\" text-anchor=\"middle\">" << escaped(what) << "</text>\n";
    }

    // A frame around it.
    void draw(std::ostream& out, culprit const& c) const
    {
        auto const row = c.lane ? rows_.find(*c.lane) : rows_.end();
        if (row == rows_.end() || c.end < from_ || c.begin > to_)
            return;
        double const x0 = x(c.begin), x1 = x(c.end);
        out << "<rect x=\"" << number(x0) << "\" y=\"" << number(y(row->second) - box / 2.0 - 2)
            << "\" width=\"" << number(std::max(x1 - x0, 1.5)) << "\" height=\"" << box + 4
            << "\" fill=\"none\" stroke=\"" << red << "\" stroke-width=\"2\""
            << (c.kind == "queued" ? " stroke-dasharray=\"4 3\"" : "") << "><title>"
            << escaped(c.name) << ", " << c.kind << ' ' << number(c.end - c.begin)
            << " ms</title></rect>\n";
    }

    // A type without its namespace; a place in the source as it is.
    static std::string short_name(std::string_view type)
    {
        if (auto const line = type.find(':'); line != type.npos
            && type.find_first_of("0123456789", line) == line + 1)
            return std::string(type);
        if (auto const arguments = type.find('<'); arguments != type.npos)
            type = type.substr(0, arguments);
        if (auto const colon = type.rfind("::"); colon != type.npos)
            type = type.substr(colon + 2);
        return std::string(type);
    }

    void draw(std::ostream& out, arrow const& a) const
    {
        auto const from = rows_.find(a.from.lane), to = rows_.find(a.to.lane);
        bool const post = a.kind == "post";
        if ((post && !options_.posts) || from == rows_.end() || to == rows_.end()
            || a.to.time < from_ || a.from.time > to_ || (from->second == to->second && !post))
            return;
        double const down = to->second > from->second ? 1 : to->second == from->second ? 0 : -1;
        out << "<path d=\"M" << number(x(a.from.time)) << ' '
            << number(y(from->second) + down * box / 2) << 'L'
            << number(x(a.to.time)) << ' ' << number(y(to->second) - down * box / 2)
            << "\" stroke=\"" << (post ? grey : brown) << "\" "
            << (post ? "stroke-width=\"0.6\"" : arrow_style) << " fill=\"none\"><title>" << a.kind
            << "</title></path>\n";
    }

    static constexpr char const* arrow_style = "stroke-width=\"1.8\" marker-end=\"url(#head)\"";
    static constexpr char const* parked = "stroke-width=\"1\"";

    trace const& trace_;
    options const& options_;
    std::vector<std::size_t> shown_;          // lanes, by row
    std::map<std::size_t, std::size_t> rows_; // by lane
    double from_ = 0;
    double to_ = 0;
    double done_ = 0; // when the last task ended
};

}

#endif
