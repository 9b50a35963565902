// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/analysis/locality_table.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>

#include "stimuli/ptx/analysis/classify.h"

namespace tessera::ptx {

namespace {

bool same_origin(const PointerOrigin& a, const PointerOrigin& b) {
  return a.is_variable == b.is_variable && a.name == b.name && a.offset == b.offset;
}

/// The values of a launch for one thread of CTA (0,0,0) in the first iteration.
class LaunchSymbols final : public SymbolValues {
 public:
  explicit LaunchSymbols(const LaunchRequest& launch) : launch_(launch) {}

  std::optional<std::int64_t> value(SymbolId /*id*/, const Symbol& s) const override {
    const auto axis = [&](const Dim3& d) {
      return std::int64_t{s.axis == 0 ? d.x : s.axis == 1 ? d.y : d.z};
    };
    switch (s.kind) {
      case SymbolKind::kTid:
        return axis(tid);
      case SymbolKind::kNtid:
        return axis(launch_.block);
      case SymbolKind::kNctaid:
        return axis(launch_.grid);
      case SymbolKind::kCtaid:
      case SymbolKind::kIteration:
        return 0;
      case SymbolKind::kParameter:
        return argument(s);
      default:
        return std::nullopt;
    }
  }

  Dim3 tid{0, 0, 0};

 private:
  /// Arguments of 4 bytes are signed. A smaller one with the highest bit has no value: kernels load
  /// both signs with one type (ld.param.u16).
  std::optional<std::int64_t> argument(const Symbol& s) const {
    if (s.parameter >= launch_.arguments.size()) return std::nullopt;
    const std::vector<std::byte>& bytes = launch_.arguments[s.parameter].bytes;
    if (s.bytes == 0 || s.bytes > 8 || s.offset + std::size_t{s.bytes} > bytes.size()) {
      return std::nullopt;
    }
    std::uint64_t v = 0;
    std::memcpy(&v, bytes.data() + s.offset, s.bytes);
    const unsigned unused = 64 - 8 * s.bytes;
    if (s.bytes < 4 && v >> (8 * s.bytes - 1) != 0) return std::nullopt;
    return static_cast<std::int64_t>(v << unused) >> unused;
  }

  const LaunchRequest& launch_;
};

/// A group with the masks of its index that a launch resolves.
AccessGroup at_launch(const SymbolTable& symbols, const AccessGroup& group,
                      const LaunchView& launch) {
  AccessGroup resolved = group;
  resolved.invariant = without_masks(symbols, group.invariant, launch);
  return resolved;
}

/// Bytes that the threads of a CTA access in an iteration.
struct Datablock {
  std::uint64_t bytes = 0;  ///< distinct ones
  bool tile = false;        ///< there are others between them
};

/// The datablock of CTA (0,0,0) in the first iteration.
std::optional<Datablock> datablock_of_cta(const SymbolTable& symbols, const AccessGroup& g,
                                          const LaunchRequest& launch) {
  if (!g.inner.is_zero()) return std::nullopt;
  LaunchSymbols values(launch);
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  for (values.tid.z = 0; values.tid.z < launch.block.z; ++values.tid.z) {
    for (values.tid.y = 0; values.tid.y < launch.block.y; ++values.tid.y) {
      for (values.tid.x = 0; values.tid.x < launch.block.x; ++values.tid.x) {
        const std::optional<std::int64_t> first = symbols.evaluate(g.invariant, values);
        if (!first) return std::nullopt;
        for (const Piece& p : g.pieces) {
          ranges.emplace_back(*first + p.offset, *first + p.offset + p.bytes);
        }
      }
    }
  }
  std::sort(ranges.begin(), ranges.end());
  Datablock all;
  std::optional<std::int64_t> end;
  for (const auto& [from, to] : ranges) {
    all.tile = all.tile || (end && from > *end);
    const std::int64_t begin = end ? std::max(from, *end) : from;
    if (to > begin) all.bytes += static_cast<std::uint64_t>(to - begin);
    end = end ? std::max(*end, to) : to;
  }
  return all;
}

/// The distance of a data structure's rows, if CTAs move over it by columns: the largest one that
/// divides a step and each distance of rows that the accesses show. These are the distances of a
/// CTA's threads along y and of the accesses of one step. A row has at least the bytes that the
/// CTAs of a grid row (or column) cover. Nothing if the launch does not give all values.
std::optional<std::uint64_t> row_bytes_of(const IndexAnalysis& analysis,
                                          const std::vector<AccessGroup>& groups,
                                          const LaunchRequest& launch) {
  const SymbolTable& symbols = analysis.symbols;
  const LaunchSymbols values(launch);
  bool known = true;
  const auto bytes = [&](const Polynomial& p) {
    const std::optional<std::int64_t> value = symbols.evaluate(p, values);
    known = known && value.has_value();
    return static_cast<std::uint64_t>(std::abs(value.value_or(0)));
  };
  const auto of_thread = [&](SymbolId id) {
    return symbols[id].kind == SymbolKind::kTid || symbols[id].kind == SymbolKind::kCtaid;
  };
  std::uint64_t step = 0;
  std::uint64_t covered = 0;
  std::vector<std::uint64_t> distances;
  for (const AccessGroup& g : groups) {
    step = std::gcd(step, bytes(g.stride));
    for (const SymbolId id : g.invariant.symbols()) {
      const Symbol& s = symbols[id];
      if (s.kind == SymbolKind::kCtaid) {
        const std::uint32_t ctas = s.axis == 0   ? launch.grid.x
                                   : s.axis == 1 ? launch.grid.y
                                                 : launch.grid.z;
        covered = std::max(covered, bytes(g.invariant.factor(id)) * ctas);
      } else if (s.kind == SymbolKind::kTid && s.axis == 1) {
        distances.push_back(bytes(g.invariant.factor(id)));
      }
    }
    for (const Piece& p : g.pieces) {
      distances.push_back(static_cast<std::uint64_t>(p.offset - g.pieces.front().offset));
    }
    const Polynomial apart = g.invariant - groups.front().invariant;
    const std::vector<SymbolId> varying = apart.symbols();
    if (std::none_of(varying.begin(), varying.end(), of_thread)) distances.push_back(bytes(apart));
  }
  if (!known || step == 0) return std::nullopt;
  std::uint64_t row = step;
  for (const std::uint64_t distance : distances) {
    if (distance >= covered && covered != 0) row = std::gcd(row, distance);
  }
  return row >= covered ? row : step;
}

}  // namespace

const char* locality_type_name(LocalityType type) {
  switch (type) {
    case LocalityType::kNoLocality:
      return "no-locality";
    case LocalityType::kRowHorizontal:
      return "row-horizontal";
    case LocalityType::kRowVertical:
      return "row-vertical";
    case LocalityType::kColumnHorizontal:
      return "column-horizontal";
    case LocalityType::kColumnVertical:
      return "column-vertical";
    case LocalityType::kIntraThread:
      return "intra-thread";
    case LocalityType::kUnclassified:
      return "unclassified";
  }
  return "?";
}

const char* sharing_name(Sharing sharing) {
  switch (sharing) {
    case Sharing::kNone:
      return "none";
    case Sharing::kGridRow:
      return "grid-row";
    case Sharing::kGridColumn:
      return "grid-column";
    case Sharing::kGrid:
      return "grid";
  }
  return "?";
}

const char* motion_name(Motion motion) {
  switch (motion) {
    case Motion::kNone:
      return "none";
    case Motion::kRow:
      return "row";
    case Motion::kColumn:
      return "column";
  }
  return "?";
}

LocalityTable::LocalityTable(IndexAnalysis analysis) : analysis_(std::move(analysis)) {
  std::vector<std::vector<std::size_t>> accesses;
  for (std::size_t a = 0; a < analysis_.accesses.size(); ++a) {
    const std::optional<PointerOrigin>& origin = analysis_.accesses[a].origin;
    if (!origin) {
      unknown_.push_back(a);
      continue;
    }
    const auto known =
        std::find_if(structures_.begin(), structures_.end(),
                     [&](const DataStructure& d) { return same_origin(d.origin, *origin); });
    if (known == structures_.end()) {
      structures_.push_back(DataStructure{*origin, {}, {}, {}});
      accesses.push_back({a});
    } else {
      accesses[static_cast<std::size_t>(known - structures_.begin())].push_back(a);
    }
  }
  for (std::size_t d = 0; d < structures_.size(); ++d) {
    DataStructure& structure = structures_[d];
    std::size_t deepest = 0;
    for (AccessGroup& g : group_accesses(analysis_, accesses[d])) {
      g.structure = d;
      g.locality = classify(analysis_, g, nullptr);
      deepest = std::max(deepest, g.loops.size());
      structure.groups.push_back(groups_.size());
      groups_.push_back(std::move(g));
    }
    const auto is_deepest = [&](std::size_t g) { return groups_[g].loops.size() == deepest; };
    const auto prefers_ctas = [&](std::size_t g) {
      return is_deepest(g) && groups_[g].locality.sharing != Sharing::kGrid;
    };
    const bool any_prefers =
        std::any_of(structure.groups.begin(), structure.groups.end(), prefers_ctas);
    std::vector<Locality> types;
    std::vector<unsigned> lines;
    for (const std::size_t g : structure.groups) {
      if (any_prefers ? !prefers_ctas(g) : !is_deepest(g)) continue;
      structure.deciding.push_back(g);
      types.push_back(groups_[g].locality);
      lines.push_back(analysis_.accesses[groups_[g].accesses.front()].line);
    }
    structure.locality = merged(types, lines);
  }
}

const DataStructure* LocalityTable::of_parameter(std::size_t parameter) const {
  const auto found =
      std::find_if(structures_.begin(), structures_.end(), [&](const DataStructure& d) {
        return !d.origin.is_variable && d.origin.parameter == parameter && d.origin.offset == 0;
      });
  return found == structures_.end() ? nullptr : &*found;
}

LaunchLocality LocalityTable::evaluate(const AccessGroup& group,
                                       const LaunchRequest& launch) const {
  const LaunchSymbols values(launch);
  const LaunchView view{values, launch.grid, launch.block};
  const AccessGroup resolved = at_launch(analysis_.symbols, group, view);
  Locality locality = classify(analysis_, resolved, &view);
  LaunchLocality out;
  out.type = locality.type;
  out.sharing = locality.sharing;
  out.motion = locality.motion;
  out.why = std::move(locality.why);
  if (!group.problem.empty()) return out;
  out.stride_bytes = analysis_.symbols.evaluate(group.stride, values);
  if (const auto datablock = datablock_of_cta(analysis_.symbols, group, launch)) {
    out.datablock_bytes = datablock->bytes;
    out.tile = datablock->tile;
  }
  if (out.motion == Motion::kColumn) out.row_bytes = row_bytes_of(analysis_, {resolved}, launch);
  return out;
}

LaunchLocality LocalityTable::evaluate(const DataStructure& structure,
                                       const LaunchRequest& launch) const {
  std::vector<LaunchLocality> rows;
  const LaunchSymbols values(launch);
  const LaunchView view{values, launch.grid, launch.block};
  std::vector<AccessGroup> groups;
  std::vector<Locality> types;
  std::vector<unsigned> lines;
  for (const std::size_t g : structure.deciding) {
    groups.push_back(at_launch(analysis_.symbols, groups_[g], view));
    rows.push_back(evaluate(groups_[g], launch));
    const LaunchLocality& row = rows.back();
    types.push_back(Locality{row.type, row.sharing, row.motion, {}, row.why});
    lines.push_back(analysis_.accesses[groups_[g].accesses.front()].line);
  }
  const Locality locality = merged(types, lines);
  LaunchLocality out = rows[0];
  out.type = locality.type;
  out.sharing = locality.sharing;
  out.motion = locality.motion;
  out.why = locality.why;
  out.row_bytes =
      out.motion == Motion::kColumn ? row_bytes_of(analysis_, groups, launch) : std::nullopt;
  for (const LaunchLocality& row : rows) {
    if (row.stride_bytes != out.stride_bytes) out.stride_bytes.reset();
    out.tile = out.tile || row.tile;
    // Groups of one data structure can be neighbours of one datablock.
    out.datablock_bytes = out.datablock_bytes && row.datablock_bytes
                              ? std::optional(std::max(*out.datablock_bytes, *row.datablock_bytes))
                              : std::nullopt;
  }
  return out;
}

LocalityTable make_locality_table(const Module& module, const std::string& entry) {
  return LocalityTable(analyse_indices(module, entry));
}

}  // namespace tessera::ptx
