// SPDX-License-Identifier: Apache-2.0
#pragma once

// Index analysis (LADM III-C), second part: the locality table of a kernel. Accesses of one data
// structure with the same base expression form a group. Each group is a row of the table, with the
// type of the paper's Table II that its Algorithm 1 finds. Rules and limits:
// docs/passes/index-analysis.md.
//
// A launch planner makes the table once per kernel and evaluates its rows for each launch:
//
//   const LocalityTable table = make_locality_table(module, "mm");
//   for (const DataStructure& d : table.structures()) {
//     const LaunchLocality l = table.evaluate(d, request);  // l.type, l.stride_bytes, ...
//   }

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/locality.h"
#include "stimuli/kernel_source.h"
#include "stimuli/ptx/analysis/index_analysis.h"

namespace tessera::ptx {

/// "no-locality", "row-horizontal", ..., "intra-thread", "unclassified".
const char* locality_type_name(LocalityType type);

/// The CTAs that start at the same datablock. kGrid: all CTAs.
enum class Sharing : std::uint8_t { kNone, kGridRow, kGridColumn, kGrid };
/// "none", "grid-row", "grid-column", "grid".
const char* sharing_name(Sharing sharing);

/// The direction in which a CTA moves through the data structure from iteration to iteration.
enum class Motion : std::uint8_t { kNone, kRow, kColumn };
/// "none", "row", "column".
const char* motion_name(Motion motion);

struct Locality {
  LocalityType type = LocalityType::kUnclassified;
  Sharing sharing = Sharing::kNone;
  Motion motion = Motion::kNone;
  /// Before a launch: the condition on launch values under which `motion`, and so the type, holds.
  /// Empty: it holds for all launches.
  std::string condition;
  std::string why;  ///< kUnclassified: the reason
};

/// Bytes at a constant offset from the group's first byte.
struct Piece {
  std::int64_t offset = 0;
  std::uint32_t bytes = 0;
};

/// Accesses of one data structure at constant offsets of one base expression. Accesses that an
/// unrolled loop repeats at multiples of its stride are one group with the original loop's stride.
/// The bounds of an index (a minimum, a maximum) are left out of the expressions.
struct AccessGroup {
  std::size_t structure = 0;          ///< index of LocalityTable::structures()
  std::vector<std::size_t> accesses;  ///< indices of IndexAnalysis::accesses
  std::uint32_t element_bytes = 4;    ///< bytes of the smallest access
  std::vector<unsigned> loops;        ///< around the accesses, outermost first
  /// The outermost loop in which the address varies. Empty: it does not vary in a loop.
  std::optional<unsigned> loop;
  unsigned unrolled = 1;  ///< iterations of the original loop per iteration of `loop`
  Polynomial invariant;   ///< byte offset of the first access in iteration 0, without `start`
  Polynomial stride;      ///< bytes per original iteration; 0 without a loop
  Polynomial inner;       ///< terms of the loops in `loop`
  /// Terms of the original loop's iterations before the first one of `loop`, as in the remainder of
  /// an unrolled loop.
  Polynomial start;
  std::vector<Piece> pieces;  ///< of an original iteration, ascending
  std::string problem;        ///< why the address is not linear in the iteration; else empty
  std::optional<Polynomial> datablock;  ///< bytes that a CTA accesses per original iteration
  Locality locality;
};

/// A pointer parameter, or a .global variable: the merged row of its groups. The groups in the
/// deepest loops decide, because their accesses are the most frequent; groups that disagree make
/// the data structure unclassified. Accesses of all CTAs to the same data decide only if there are
/// no others, because they favour no CTA.
struct DataStructure {
  PointerOrigin origin;
  std::vector<std::size_t> groups;    ///< indices of LocalityTable::groups()
  std::vector<std::size_t> deciding;  ///< of these, the ones that decide
  Locality locality;
};

/// A row for the values of one launch.
struct LaunchLocality {
  LocalityType type = LocalityType::kUnclassified;
  Sharing sharing = Sharing::kNone;
  Motion motion = Motion::kNone;
  std::optional<std::int64_t> stride_bytes;      ///< per original iteration; 0 without a loop
  std::optional<std::uint64_t> datablock_bytes;  ///< distinct bytes of CTA (0,0,0), first iteration
  /// Column motion: distance of consecutive rows of the data structure.
  std::optional<std::uint64_t> row_bytes;
  bool tile = false;  ///< the datablock's bytes do not follow each other
  std::string why;    ///< kUnclassified: the reason
};

class LocalityTable {
 public:
  explicit LocalityTable(IndexAnalysis analysis);

  const IndexAnalysis& analysis() const { return analysis_; }
  const std::vector<AccessGroup>& groups() const { return groups_; }
  /// In the order of PointsTo::origins(); only accessed ones.
  const std::vector<DataStructure>& structures() const { return structures_; }
  /// The structure of a kernel parameter of that index, byte offset 0; null if it is not accessed.
  const DataStructure* of_parameter(std::size_t parameter) const;
  /// Accesses whose data structure is not known (indices of IndexAnalysis::accesses).
  const std::vector<std::size_t>& unknown_accesses() const { return unknown_; }

  /// `launch`: a request for this kernel; grid, block and arguments are used.
  LaunchLocality evaluate(const AccessGroup& group, const LaunchRequest& launch) const;
  LaunchLocality evaluate(const DataStructure& structure, const LaunchRequest& launch) const;

 private:
  IndexAnalysis analysis_;
  std::vector<AccessGroup> groups_;
  std::vector<DataStructure> structures_;
  std::vector<std::size_t> unknown_;
};

/// Throws InputError if the module has no such entry.
LocalityTable make_locality_table(const Module& module, const std::string& entry);

}  // namespace tessera::ptx
