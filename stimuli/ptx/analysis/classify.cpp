// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/analysis/classify.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tessera::ptx {

namespace {

constexpr std::array<const char*, 3> kAxes = {"x", "y", "z"};

/// One classification: the group, and a launch or none.
class Classifier {
 public:
  Classifier(const IndexAnalysis& analysis, const AccessGroup& group, const LaunchView* launch)
      : analysis_(analysis), symbols_(analysis.symbols), group_(group), launch_(launch) {
    has_axis_ = {true, analysis.reads_ctaid_y || (launch != nullptr && launch->grid.y > 1),
                 launch == nullptr ? analysis.reads_ctaid_z : launch->grid.z > 1};
  }

  /// The tests of Algorithm 1, in its order.
  Locality run() {
    if (!group_.problem.empty()) return unclassified(group_.problem);
    if (const auto why = data_dependence()) return unclassified(*why);
    if (launch_ != nullptr) {
      const std::optional<std::int64_t> stride = symbols_.evaluate(group_.stride, launch_->values);
      if (!stride) return unclassified("its stride is not known before the launch");
      stride_ = *stride;
    }
    if (is_intra_thread())
      return {LocalityType::kIntraThread, Sharing::kNone, Motion::kNone, {}, {}};
    if (const auto why = find_factors()) return unclassified(*why);
    const std::size_t axes = has_axis_[1] || has_axis_[2] ? 2 : 1;
    const bool on_all =
        depends(0) && (!has_axis_[1] || depends(1)) && (!has_axis_[2] || depends(2));
    if (on_all) return {LocalityType::kNoLocality, Sharing::kNone, motion_of_stride(), {}, {}};
    if (has_axis_[2]) {
      return unclassified("it is the same for CTAs along " + missing_axes() +
                          ", and the paper's types are those of two-dimensional grids");
    }
    if (axes == 1 || (!depends(0) && !depends(1))) {
      Locality l = unclassified("all CTAs access the same data");
      l.sharing = Sharing::kGrid;
      return l;
    }
    return shared(depends(1) ? 1 : 0);
  }

 private:
  static Locality unclassified(const std::string& why) {
    Locality l;
    l.why = why;
    return l;
  }

  /// Opaque values are accepted as an invariant part of intra-thread locality, as the paper's
  /// data-dependent, irregularly-sized datablocks are.
  std::optional<std::string> data_dependence() {
    const Polynomial all = group_.invariant + group_.inner;
    std::optional<std::string> varying;
    symbols_.any(all, [&](SymbolId id, const Symbol& s) {
      if (s.kind != SymbolKind::kOpaque && s.kind != SymbolKind::kPending) return false;
      invariant_opaque_ = "it depends on " + s.why + " at line " + std::to_string(s.line);
      const Polynomial p = Polynomial::symbol(id);
      for (const unsigned l : group_.loops) {
        if (!analysis_.varies_in(p, l)) continue;
        varying = invariant_opaque_;
        return true;
      }
      return false;
    });
    return varying;
  }

  /// loopVariant(m, ...) = m, with m as the iteration of the original loop.
  bool is_intra_thread() const {
    if (!group_.loop || !group_.inner.is_zero()) return false;
    // Trips of a loop in this one vary with the iteration.
    if (analysis_.varies_in(group_.invariant, *group_.loop)) return false;
    std::optional<std::int64_t> stride = group_.stride.constant();
    if (launch_ != nullptr) stride = stride_;
    return stride && *stride != 0 && is_contiguous(std::abs(*stride));
  }

  bool is_contiguous(std::int64_t stride) const {
    std::int64_t end = 0;
    for (const Piece& p : group_.pieces) {
      if (p.offset > end) return false;
      end = std::max(end, p.offset + std::int64_t{p.bytes});
    }
    return stride <= end && is_element(stride);
  }

  /// The stride of one element, or of several that an iteration accesses.
  bool is_element(std::int64_t stride) const {
    return stride % static_cast<std::int64_t>(group_.element_bytes) == 0;
  }

  /// Finds the factors of ctaid in the invariant part. Returns why there are none.
  std::optional<std::string> find_factors() {
    if (!invariant_opaque_.empty()) return invariant_opaque_;
    const Polynomial& invariant = group_.invariant;
    for (const SymbolId id : invariant.symbols()) {
      const Symbol& s = symbols_[id];
      if (s.kind == SymbolKind::kTrips) {
        return "it depends on the number of iterations of the loop at line " +
               std::to_string(analysis_.loops[s.loop].line);
      }
      if (s.kind != SymbolKind::kFunction) continue;
      if (auto why = problem_of_function(id)) return why;
    }
    for (unsigned axis = 0; axis < 3; ++axis) {
      for (const SymbolId id : invariant.symbols()) {
        const Symbol& s = symbols_[id];
        if (s.kind != SymbolKind::kCtaid || s.axis != axis) continue;
        factor_[axis] = invariant.factor(id);
        if (invariant.degree(id) > 1 || !is_uniform(symbols_, factor_[axis])) {
          return "it is not linear in ctaid." + std::string(kAxes[axis]);
        }
      }
      if (launch_ == nullptr) continue;
      const std::optional<std::int64_t> value = symbols_.evaluate(factor_[axis], launch_->values);
      if (!value) return "its distance between CTAs is not known before the launch";
      distance_[axis] = *value;
    }
    return std::nullopt;
  }

  std::optional<std::string> problem_of_function(SymbolId id) const {
    std::optional<std::string> why;
    symbols_.any(Polynomial::symbol(id), [&](SymbolId, const Symbol& s) {
      if (s.kind == SymbolKind::kCtaid) {
        why = "it depends on ctaid." + std::string(kAxes[s.axis]) + " through " + symbols_.text(id);
      } else if (s.kind == SymbolKind::kTrips || s.kind == SymbolKind::kIteration) {
        why = "it depends on the loop at line " + std::to_string(analysis_.loops[s.loop].line) +
              " through " + symbols_.text(id);
      }
      return why.has_value();
    });
    return why;
  }

  bool depends(unsigned axis) const {
    return launch_ == nullptr ? !factor_[axis].is_zero() : distance_[axis] != 0;
  }

  std::string missing_axes() const {
    std::string text;
    for (unsigned axis = 0; axis < 3; ++axis) {
      if (!has_axis_[axis] || depends(axis)) continue;
      text += (text.empty() ? "ctaid." : ", ctaid.") + std::string(kAxes[axis]);
    }
    return text;
  }

  static bool has_nctaid_x(const SymbolTable& symbols, const Polynomial& p) {
    return symbols.any(
        p, [](SymbolId, const Symbol& s) { return s.kind == SymbolKind::kNctaid && s.axis == 0; });
  }

  bool has_launch_factor(const Polynomial& p) const {
    return symbols_.any(p, [](SymbolId, const Symbol& s) {
      return s.kind == SymbolKind::kParameter || s.kind == SymbolKind::kNctaid;
    });
  }

  bool moves() const { return launch_ == nullptr ? !group_.stride.is_zero() : stride_ != 0; }

  /// Of accesses without locality: across a row, or, with gDimx in the stride of a two-dimensional
  /// grid or a stride beyond the grid's row, down the columns.
  Motion motion_of_stride() const {
    if (!moves()) return Motion::kNone;
    if (!has_axis_[1]) return Motion::kRow;
    if (has_nctaid_x(symbols_, group_.stride)) return Motion::kColumn;
    if (launch_ == nullptr)
      return has_launch_factor(group_.stride) ? Motion::kColumn : Motion::kRow;
    const std::int64_t row = std::abs(distance_[0]) * std::int64_t{launch_->grid.x};
    return std::abs(stride_) >= row ? Motion::kColumn : Motion::kRow;
  }

  /// Rows 2 to 5 of Table II. `axis`: the CTA index on which the access depends.
  Locality shared(unsigned axis) {
    Locality l;
    l.sharing = axis == 1 ? Sharing::kGridRow : Sharing::kGridColumn;
    if (!moves()) {
      l.why = std::string("the CTAs of a ") + (axis == 1 ? "grid row" : "grid column") +
              " share it, but not in a loop, and the paper's Table II has no such type";
      return l;
    }
    if (launch_ == nullptr) {
      static_motion(axis, l);
    } else {
      motion_at_launch(axis, l);
    }
    if (l.motion == Motion::kNone) return l;
    const bool row = l.motion == Motion::kRow;
    if (axis == 1) {
      l.type = row ? LocalityType::kRowHorizontal : LocalityType::kColumnHorizontal;
    } else {
      l.type = row ? LocalityType::kRowVertical : LocalityType::kColumnVertical;
    }
    return l;
  }

  /// The paper's test is whether the stride contains gDimx, after the host's expressions of scalar
  /// parameters have been substituted. A scalar parameter in the stride is a possible row width.
  void static_motion(unsigned axis, Locality& l) const {
    const Polynomial& stride = group_.stride;
    const Polynomial& distance = factor_[axis];
    const std::string s = symbols_.text(stride);
    const std::string d = symbols_.text(distance);
    const std::string count = std::string("nctaid.") + kAxes[axis];
    const std::optional<std::int64_t> ratio = integer_ratio(distance, stride);
    const std::string within = "|" + s + "| < |" + d + "|";
    const std::string beyond = "|" + s + "| > |" + d + "| * (" + count + " - 1)";
    if (!has_launch_factor(stride)) {
      l.motion = Motion::kRow;
      const bool is_short = (ratio && std::abs(*ratio) > 1) || has_launch_factor(distance);
      if (!is_short) l.condition = within;
    } else if (ratio && std::abs(*ratio) > 1) {
      l.why =
          "it moves along rows that only these CTAs share: stride " + s + ", distance of CTAs " + d;
    } else {
      l.motion = Motion::kColumn;
      if (!has_nctaid_x(symbols_, stride)) l.condition = beyond;
    }
  }

  /// Row motion stays between the first bytes of neighbouring CTAs; column motion leaves the range
  /// of all CTAs of the grid's row or column.
  void motion_at_launch(unsigned axis, Locality& l) const {
    const std::int64_t stride = std::abs(stride_);
    const std::int64_t distance = std::abs(distance_[axis]);
    const std::int64_t count = axis == 0 ? launch_->grid.x : launch_->grid.y;
    const std::int64_t grid_row =
        std::int64_t{group_.element_bytes} * launch_->block.x * launch_->grid.x;
    if (stride < distance && (stride < grid_row || launch_->grid.x == 1)) {
      l.motion = Motion::kRow;
    } else if (stride >= distance && stride > distance * (count - 1)) {
      l.motion = Motion::kColumn;
    } else {
      l.why = "its stride of " + std::to_string(stride) +
              " bytes is neither within a CTA's distance of " + std::to_string(distance) +
              " bytes nor beyond the " + std::to_string(count) + " CTAs";
    }
  }

  const IndexAnalysis& analysis_;
  const SymbolTable& symbols_;
  const AccessGroup& group_;
  const LaunchView* launch_;
  std::array<bool, 3> has_axis_{};
  std::array<Polynomial, 3> factor_;
  std::array<std::int64_t, 3> distance_{};
  std::int64_t stride_ = 0;
  std::string invariant_opaque_;
};

}  // namespace

Locality classify(const IndexAnalysis& analysis, const AccessGroup& group,
                  const LaunchView* launch) {
  return Classifier(analysis, group, launch).run();
}

Locality merged(const std::vector<Locality>& types, const std::vector<unsigned>& lines) {
  for (std::size_t i = 1; i < types.size(); ++i) {
    const bool agrees = types[i].type == types[0].type && types[i].sharing == types[0].sharing &&
                        types[i].motion == types[0].motion;
    if (agrees) continue;
    // An unclassified access is its own reason.
    for (const std::size_t k : {std::size_t{0}, i}) {
      if (types[k].type == LocalityType::kUnclassified &&
          (types[k].sharing == Sharing::kNone || types[k].sharing == Sharing::kGrid)) {
        return types[k];
      }
    }
    Locality l;
    l.why = "its accesses differ: " + std::string(locality_type_name(types[0].type)) + " at line " +
            std::to_string(lines[0]) + ", " + locality_type_name(types[i].type) + " at line " +
            std::to_string(lines[i]);
    return l;
  }
  return types[0];
}

}  // namespace tessera::ptx
