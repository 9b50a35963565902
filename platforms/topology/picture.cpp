// SPDX-License-Identifier: Apache-2.0
#include "platforms/topology/picture.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "modules/plan/block_kind.h"

namespace tessera {

namespace {

constexpr int kBoxWidth = 112;
constexpr int kBoxHeight = 40;
constexpr int kColumn = kBoxWidth + 56;
constexpr int kRow = kBoxHeight + 22;
constexpr int kInset = 12;
constexpr int kTitle = 24;
constexpr std::size_t kUnranked = ~std::size_t{0};

/// Blocks at one level of the tree whose names differ only in their number.
struct Box {
  std::string name;
  std::string kind;
  NodeLevel level = NodeLevel::kSystem;
  std::size_t count = 0;
  std::size_t rank = kUnranked;  ///< hops from the SM
  std::size_t row = 0;           ///< within its level's band
  int x = 0;
  int y = 0;
};

struct Arrow {
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t links = 0;
};

/// The block name of "llc3" is "llc", and of "l1_3" it is "l1".
std::string without_number(std::string name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string::npos || last + 1 == name.size()) return name;
  name.erase(name[last] == '_' ? last : last + 1);
  return name;
}

class Picture {
 public:
  explicit Picture(const PlatformPlan& plan) {
    collect_boxes(plan);
    collect_arrows(plan);
    for (const PlannedNode& n : plan.nodes) ++nodes_[n.level];
    rank();
    place();
  }

  std::string svg(const std::string& title) const;

 private:
  void collect_boxes(const PlatformPlan& plan);
  void collect_arrows(const PlatformPlan& plan);
  void rank();
  void place();
  void draw_frames(std::ostream& out) const;
  void draw_arrow(std::ostream& out, const Arrow& a,
                  std::vector<std::pair<int, int>>& labels) const;
  void draw_box(std::ostream& out, const Box& b) const;

  std::vector<Box> boxes_;
  std::vector<Arrow> arrows_;
  std::vector<std::size_t> box_of_;  ///< by block
  std::map<NodeLevel, std::size_t> nodes_;
  std::map<NodeLevel, int> top_;  ///< of a level's frame
  int width_ = 0;
  int height_ = 0;
};

void Picture::collect_boxes(const PlatformPlan& plan) {
  std::map<std::pair<std::string, NodeLevel>, std::size_t> known;
  for (const PlannedBlock& b : plan.blocks) {
    const NodeLevel level = plan.nodes[b.node].level;
    const std::string name = without_number(b.name);
    const auto [it, fresh] = known.try_emplace({name, level}, boxes_.size());
    if (fresh) {
      Box box;
      box.name = name;
      box.kind = b.kind;
      box.level = level;
      boxes_.push_back(box);
    }
    ++boxes_[it->second].count;
    box_of_.push_back(it->second);
  }
}

void Picture::collect_arrows(const PlatformPlan& plan) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
  for (const auto* links : {&plan.links, &plan.coherence}) {
    for (const PlannedLink& l : *links) {
      const std::pair<std::size_t, std::size_t> ends{box_of_[l.from], box_of_[l.to]};
      const auto [it, fresh] = known.try_emplace(ends, arrows_.size());
      if (fresh) arrows_.push_back({ends.first, ends.second, 0});
      ++arrows_[it->second].links;
    }
  }
}

/// Breadth-first search from the SMs. Blocks without sockets come first in their band.
void Picture::rank() {
  std::vector<std::size_t> now;
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    if (boxes_[i].kind != "sm") continue;
    boxes_[i].rank = 0;
    now.push_back(i);
  }
  while (!now.empty()) {
    std::vector<std::size_t> next;
    for (const Arrow& a : arrows_) {
      if (std::find(now.begin(), now.end(), a.from) == now.end()) continue;
      if (boxes_[a.to].rank != kUnranked) continue;
      boxes_[a.to].rank = boxes_[a.from].rank + 1;
      next.push_back(a.to);
    }
    now = std::move(next);
  }
  std::map<NodeLevel, std::size_t> free_column;
  for (Box& b : boxes_) {
    if (b.rank == kUnranked) b.rank = free_column[b.level]++;
  }
}

/// One band per level, the system's at the top. Boxes of one column are stacked from the top down.
void Picture::place() {
  std::size_t columns = 0;
  int y = kInset;
  const auto levels = static_cast<int>(nodes_.size());
  int depth = 0;
  for (const auto& [level, count] : nodes_) {
    top_[level] = y;
    y += kTitle;
    std::map<std::size_t, std::size_t> used;
    std::size_t rows = 0;
    for (Box& b : boxes_) {
      if (b.level != level) continue;
      b.row = used[b.rank]++;
      rows = std::max(rows, b.row + 1);
      columns = std::max(columns, b.rank + 1);
      b.x = kInset * (levels + 1) + static_cast<int>(b.rank) * kColumn;
      b.y = y + static_cast<int>(b.row) * kRow;
    }
    y += static_cast<int>(rows) * kRow;
    ++depth;
  }
  width_ = 2 * kInset * (levels + 1) + static_cast<int>(columns) * kColumn - (kColumn - kBoxWidth);
  height_ = y + kInset * (depth + 1);
}

void Picture::draw_frames(std::ostream& out) const {
  int inset = kInset;
  for (const auto& [level, top] : top_) {
    out << "<rect x=\"" << inset << "\" y=\"" << top << "\" width=\"" << width_ - 2 * inset
        << "\" height=\"" << height_ - inset - top << "\" class=\"frame\"/>\n<text x=\""
        << inset + 8 << "\" y=\"" << top + 16 << "\" class=\"level\">" << name_of(level);
    const std::size_t count = nodes_.at(level);
    if (count > 1) out << " (" << count << ")";
    out << "</text>\n";
    inset += kInset;
  }
}

/// Moves a label down until it covers none of those that are there.
std::pair<int, int> place_label(int x, int y, std::vector<std::pair<int, int>>& labels) {
  constexpr int kLabelWidth = 24;
  constexpr int kLabelHeight = 12;
  const auto covers = [&](const std::pair<int, int>& l) {
    return std::abs(l.first - x) < kLabelWidth && std::abs(l.second - y) < kLabelHeight;
  };
  while (std::any_of(labels.begin(), labels.end(), covers)) y += kLabelHeight;
  labels.emplace_back(x, y);
  return {x, y};
}

void Picture::draw_arrow(std::ostream& out, const Arrow& a,
                         std::vector<std::pair<int, int>>& labels) const {
  const Box& from = boxes_[a.from];
  const Box& to = boxes_[a.to];
  const bool back = to.rank <= from.rank;
  // A way back to an earlier column leaves below. It enters below, or from a band further up,
  // above: other boxes of the column may stand below.
  const bool down = back && to.level > from.level;
  const int x1 = back ? from.x + kBoxWidth / 2 : from.x + kBoxWidth;
  const int y1 = back ? from.y + kBoxHeight : from.y + kBoxHeight / 2;
  const int x2 = back ? to.x + kBoxWidth / 2 + 16 : to.x;
  const int y2 = down ? to.y : back ? to.y + kBoxHeight : to.y + kBoxHeight / 2;
  const int bend = back ? 34 : std::max(28, (x2 - x1) / 2);
  const int lowest = std::max(y1, y2) + bend;
  out << "<path class=\""
      << (kind_of(to.kind).translates || kind_of(from.kind).translates ? "translation" : "request")
      << "\" d=\"M" << x1 << ' ' << y1;
  if (down) {
    out << " C" << x1 << ' ' << y1 + bend << ' ' << x2 << ' ' << y2 - bend;
  } else if (back) {
    out << " C" << x1 << ' ' << lowest << ' ' << x2 << ' ' << lowest;
  } else {
    out << " C" << x1 + bend << ' ' << y1 << ' ' << x2 - bend << ' ' << y2;
  }
  const auto [x, y] =
      place_label((x1 + x2) / 2, back && !down ? lowest - 2 : (y1 + y2) / 2 - 4, labels);
  out << ' ' << x2 << ' ' << y2 << "\"/>\n<text class=\"links\" x=\"" << x << "\" y=\"" << y
      << "\">" << a.links << "</text>\n";
}

void Picture::draw_box(std::ostream& out, const Box& b) const {
  out << "<rect class=\"block\" x=\"" << b.x << "\" y=\"" << b.y << "\" width=\"" << kBoxWidth
      << "\" height=\"" << kBoxHeight << "\" rx=\"4\"/>\n<text class=\"name\" x=\""
      << b.x + kBoxWidth / 2 << "\" y=\"" << b.y + kBoxHeight / 2 + 5 << "\">" << b.name;
  if (b.count > 1) out << " (" << b.count << ")";
  out << "</text>\n";
}

std::string Picture::svg(const std::string& title) const {
  std::ostringstream out;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width_ << ' ' << height_
      << "\" width=\"" << width_ << "\" height=\"" << height_ << "\">\n"
      << "<!-- SPDX-License-Identifier: Apache-2.0 -->\n<title>" << title << "</title>\n"
      << "<style>text{font:13px sans-serif;fill:#222}.level{font-weight:bold}.name{text-anchor:"
         "middle}.links{font-size:11px;text-anchor:middle;fill:#555}.frame{fill:none;stroke:#999;"
         "stroke-dasharray:5 3}.block{fill:#eef3fa;stroke:#335}path{fill:none;marker-end:url(#a)}"
         ".request{stroke:#1f5fa8;stroke-width:1.6}.translation{stroke:#888;stroke-dasharray:3 3}"
         "</style>\n"
      << "<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
         "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" style=\"fill:#1f5fa8\"/>"
         "</marker></defs>\n"
      << "<rect width=\"" << width_ << "\" height=\"" << height_ << "\" fill=\"#fff\"/>\n";
  draw_frames(out);
  std::vector<std::pair<int, int>> labels;
  for (const Arrow& a : arrows_) draw_arrow(out, a, labels);
  for (const Box& b : boxes_) draw_box(out, b);
  out << "</svg>\n";
  return out.str();
}

}  // namespace

std::string picture_of(const PlatformPlan& plan, const std::string& title) {
  return Picture(plan).svg(title);
}

}  // namespace tessera
