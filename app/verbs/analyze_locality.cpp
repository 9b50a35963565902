// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/analyze_locality.h"

#include <algorithm>
#include <set>
#include <vector>

#include "app/report/text.h"
#include "common/json.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

const char* kind_name(AccessKind kind) {
  switch (kind) {
    case AccessKind::kLoad:
      return "load";
    case AccessKind::kStore:
      return "store";
    case AccessKind::kAtomic:
      return "atomic";
  }
  return "?";
}

std::vector<unsigned> lines_of(const ptx::LocalityTable& table, const ptx::AccessGroup& g) {
  std::set<unsigned> lines;
  for (const std::size_t a : g.accesses) lines.insert(table.analysis().accesses[a].line);
  return {lines.begin(), lines.end()};
}

/// "54", "54,57" or "54,57,.. (8)".
std::string lines_text(const std::vector<unsigned>& lines) {
  constexpr std::size_t kShown = 2;
  std::string out;
  for (std::size_t i = 0; i < lines.size() && i < kShown; ++i) {
    out += (i == 0 ? "" : ",") + std::to_string(lines[i]);
  }
  return lines.size() <= kShown ? out : out + ",.. (" + std::to_string(lines.size()) + ")";
}

/// The index expression in bytes, with the stride of the original loop.
std::string index_text(const ptx::LocalityTable& table, const ptx::AccessGroup& g) {
  if (!g.problem.empty()) return "-";
  const ptx::SymbolTable& symbols = table.analysis().symbols;
  std::string out = symbols.text(g.invariant + g.start + g.inner);
  if (g.loop && !g.stride.is_zero()) {
    const std::string m = "m" + std::to_string(*g.loop + 1);
    const std::string stride = symbols.text(g.stride);
    const bool is_sum = stride.find(' ') != std::string::npos;
    out += " + " + (is_sum ? "(" + stride + ")" : stride) + "*" + m;
  }
  return out;
}

std::string stride_text(const ptx::LocalityTable& table, const ptx::AccessGroup& g) {
  if (!g.problem.empty() || g.stride.is_zero()) return "-";
  return table.analysis().symbols.text(g.stride);
}

std::string datablock_text(const ptx::LocalityTable& table, const ptx::AccessGroup& g) {
  return g.problem.empty() && g.datablock ? table.analysis().symbols.text(*g.datablock) : "-";
}

ordered_json locality_json(const ptx::Locality& l) {
  return {{"type", ptx::locality_type_name(l.type)},
          {"row", static_cast<unsigned>(l.type)},
          {"sharing", ptx::sharing_name(l.sharing)},
          {"motion", ptx::motion_name(l.motion)},
          {"condition", l.condition.empty() ? ordered_json() : ordered_json(l.condition)},
          {"why", l.why.empty() ? ordered_json() : ordered_json(l.why)}};
}

ordered_json group_json(const ptx::LocalityTable& table, const ptx::AccessGroup& g) {
  const ptx::SymbolTable& symbols = table.analysis().symbols;
  ordered_json accesses = ordered_json::array();
  for (const std::size_t a : g.accesses) {
    const ptx::GlobalAccess& access = table.analysis().accesses[a];
    accesses.push_back(
        {{"line", access.line},
         {"kind", kind_name(access.kind)},
         {"bytes", access.bytes},
         {"offset",
          access.problem.empty() ? ordered_json(symbols.text(access.offset)) : ordered_json()}});
  }
  ordered_json out = locality_json(g.locality);
  const bool is_known = g.problem.empty();
  out["loop"] = g.loop ? ordered_json(*g.loop + 1) : ordered_json();
  out["unrolled"] = g.unrolled;
  out["element_bytes"] = g.element_bytes;
  out["invariant"] = is_known ? ordered_json(symbols.text(g.invariant)) : ordered_json();
  out["inner"] = is_known ? ordered_json(symbols.text(g.inner)) : ordered_json();
  out["stride"] = is_known ? ordered_json(symbols.text(g.stride)) : ordered_json();
  out["datablock"] =
      g.datablock && is_known ? ordered_json(symbols.text(*g.datablock)) : ordered_json();
  out["accesses"] = std::move(accesses);
  return out;
}

}  // namespace

std::string origin_label(const ptx::PointerOrigin& origin) {
  return origin.offset == 0 ? origin.name : origin.name + "+" + std::to_string(origin.offset);
}

std::string locality_text(const ptx::LocalityTable& table) {
  if (table.structures().empty() && table.unknown_accesses().empty()) return {};
  std::string out = "locality of kernel " + table.analysis().kernel + "\n";
  std::vector<std::vector<std::string>> rows = {
      {"POINTER", "LINES", "TYPE", "SHARING", "MOTION", "STRIDE", "DATABLOCK", "INDEX"}};
  std::vector<std::string> notes;
  const auto note = [&](const std::string& where, const ptx::Locality& l) {
    std::string text;
    if (!l.condition.empty())
      text = where + ": " + ptx::locality_type_name(l.type) + " if " + l.condition;
    if (!l.why.empty()) text = where + ": unclassified: " + l.why;
    if (!text.empty() && std::find(notes.begin(), notes.end(), text) == notes.end()) {
      notes.push_back(text);
    }
  };
  for (const ptx::DataStructure& d : table.structures()) {
    const std::string name = origin_label(d.origin);
    const bool merged = d.groups.size() > 1;
    if (merged) {
      const ptx::Locality& l = d.locality;
      rows.push_back({name, "merged", ptx::locality_type_name(l.type), ptx::sharing_name(l.sharing),
                      ptx::motion_name(l.motion), "-", "-", "-"});
      note(name, l);
    }
    for (const std::size_t i : d.groups) {
      const ptx::AccessGroup& g = table.groups()[i];
      const ptx::Locality& l = g.locality;
      const std::string lines = lines_text(lines_of(table, g));
      rows.push_back({merged ? "  " + name : name, lines, ptx::locality_type_name(l.type),
                      ptx::sharing_name(l.sharing), ptx::motion_name(l.motion),
                      stride_text(table, g), datablock_text(table, g), index_text(table, g)});
      note("line " + std::to_string(lines_of(table, g).front()), l);
    }
  }
  for (const std::size_t a : table.unknown_accesses()) {
    const ptx::GlobalAccess& access = table.analysis().accesses[a];
    rows.push_back(
        {"?", std::to_string(access.line), "unclassified", "none", "none", "-", "-", "-"});
    notes.push_back("line " + std::to_string(access.line) + ": unclassified: " + access.problem);
  }
  out += table_text(rows);
  for (const std::string& n : notes) out += n + "\n";
  return out;
}

ordered_json locality_document(const ptx::LocalityTable& table) {
  ordered_json loops = ordered_json::array();
  for (std::size_t l = 0; l < table.analysis().loops.size(); ++l) {
    const ptx::LoopInfo& info = table.analysis().loops[l];
    loops.push_back({{"name", "m" + std::to_string(l + 1)},
                     {"line", info.line},
                     {"inside", info.parent ? ordered_json("m" + std::to_string(*info.parent + 1))
                                            : ordered_json()}});
  }
  ordered_json structures = ordered_json::array();
  for (const ptx::DataStructure& d : table.structures()) {
    ordered_json groups = ordered_json::array();
    for (const std::size_t g : d.groups) groups.push_back(group_json(table, table.groups()[g]));
    ordered_json row = {{"name", d.origin.name},
                        {"kind", d.origin.is_variable ? "global" : "parameter"},
                        {"offset", d.origin.offset}};
    row.update(locality_json(d.locality));
    row["groups"] = std::move(groups);
    structures.push_back(std::move(row));
  }
  ordered_json unknown = ordered_json::array();
  for (const std::size_t a : table.unknown_accesses()) {
    const ptx::GlobalAccess& access = table.analysis().accesses[a];
    unknown.push_back(
        {{"line", access.line}, {"kind", kind_name(access.kind)}, {"why", access.problem}});
  }
  return {{"loops", std::move(loops)},
          {"structures", std::move(structures)},
          {"unknown", std::move(unknown)}};
}

}  // namespace tessera::app
