// SPDX-License-Identifier: Apache-2.0
// "lasp": locality-aware scheduling and placement (LADM section III-D), with compiler-assisted
// remote request bypassing (section III-E).
#include <algorithm>
#include <memory>

#include "policies/cta_scheduler/batched.h"
#include "policies/launch/array_placement.h"
#include "policies/node_binding.h"

namespace tessera::launch::lasp {

namespace {

struct LaspParameters {
  bool remote_bypassing = true;
};

void describe(ParameterVisitor& v, LaspParameters& p) {
  v.flag("remote_bypassing", p.remote_bypassing,
         "arrays with intra-thread locality are cached at their requesters only (CRB, LADM section "
         "III-E); otherwise all arrays follow system.remote_caching");
}

/// Units of CTAs that a scheduler binds to nodes: batches, grid rows, grid columns, or the parts of
/// the whole grid.
struct Units {
  enum class Kind : std::uint8_t { kBatches, kRows, kColumns, kParts } kind = Kind::kParts;
  std::uint64_t count = 1;
  std::uint32_t batch = 1;  ///< kBatches: CTAs of a unit
  /// A GPU's units are dealt to its nodes in turn. Otherwise they are contiguous parts. Rows and
  /// columns that share pages would be dealt to different nodes (ours; the paper deals them in any
  /// case).
  bool dealt = true;
};

Units::Kind kind_of(LocalityType type) {
  switch (type) {
    case LocalityType::kNoLocality:
      return Units::Kind::kBatches;
    case LocalityType::kRowHorizontal:
    case LocalityType::kColumnHorizontal:
      return Units::Kind::kRows;
    case LocalityType::kRowVertical:
    case LocalityType::kColumnVertical:
      return Units::Kind::kColumns;
    case LocalityType::kIntraThread:
    case LocalityType::kUnclassified:
      break;
  }
  return Units::Kind::kParts;
}

bool moves_by_columns(LocalityType type) {
  return type == LocalityType::kColumnHorizontal || type == LocalityType::kColumnVertical;
}

class Lasp final : public LaunchPlanner {
 public:
  Lasp(const PolicyContext& context, const LaspParameters& p)
      : page_bytes_(context.memory.page_bytes), nodes_(context.tree), p_(p), placement_(context) {}

  bool uses_locality() const override { return true; }

  LaunchPlan plan(const LaunchView& launch) override {
    LaunchPlan plan;
    const LaunchArgument* largest = nullptr;
    for (const LaunchArgument& a : launch.arguments) {
      if (!a.array || !a.locality) continue;
      // Data structure locality disagreements: the larger array's scheduler.
      if (largest == nullptr || bytes_of(launch, a) > bytes_of(launch, *largest)) largest = &a;
    }
    if (largest == nullptr) return plan;
    const Units running = units_of(launch, *largest);
    plan.scheduler = scheduler_of(running);
    for (const LaunchArgument& a : launch.arguments) {
      if (!a.array || !a.locality) continue;
      place(launch, a, placed_units(launch, a, running), plan);
      if (p_.remote_bypassing && a.locality->type == LocalityType::kIntraThread) {
        plan.caching.push_back({launch.arrays[*a.array].address, {true, false}});
      }
    }
    return plan;
  }

 private:
  static std::uint64_t bytes_of(const LaunchView& launch, const LaunchArgument& a) {
    return launch.arrays[*a.array].bytes - begin_of(launch, a);
  }

  /// Where in its array the argument points.
  static std::uint64_t begin_of(const LaunchView& launch, const LaunchArgument& a) {
    const LaunchArray& array = launch.arrays[*a.array];
    const bool is_inside = a.value >= array.address && a.value - array.address < array.bytes;
    return is_inside ? a.value - array.address : 0;
  }

  /// Bytes that the grid's rows or columns divide among them: of the array, or of each of its rows.
  static std::uint64_t divided_bytes(const LaunchView& launch, const LaunchArgument& a) {
    return moves_by_columns(a.locality->type) ? a.locality->row_bytes : bytes_of(launch, a);
  }

  /// The units of the scheduler that an array favours.
  Units units_of(const LaunchView& launch, const LaunchArgument& a) const {
    Units u;
    u.kind = kind_of(a.locality->type);
    switch (u.kind) {
      case Units::Kind::kBatches:
        u.batch = batch_of(launch, a);
        u.count = (launch.grid.count() + u.batch - 1) / u.batch;
        break;
      case Units::Kind::kRows:
        u.count = std::uint64_t{launch.grid.y} * launch.grid.z;
        u.dealt = divided_bytes(launch, a) >= u.count * page_bytes_;
        break;
      case Units::Kind::kColumns:
        u.count = launch.grid.x;
        u.dealt = divided_bytes(launch, a) >= u.count * page_bytes_;
        break;
      case Units::Kind::kParts:
        u.count = nodes_.count;
        break;
    }
    return u;
  }

  /// The units by which an array's pages are placed if the CTAs of `running` are scheduled: its
  /// own, unless both are of a kind. The kernel-wide scheduler's batches have the largest possible
  /// multiple of equation 2, so that arrays without a stride are divided in the same way.
  Units placed_units(const LaunchView& launch, const LaunchArgument& a,
                     const Units& running) const {
    Units own = units_of(launch, a);
    if (own.kind == running.kind) return running;
    if (own.kind == Units::Kind::kBatches && running.kind == Units::Kind::kParts &&
        stride_of(*a.locality) == 0) {
      own.batch = 1;
      own.count = launch.grid.count();
      own.dealt = false;
    }
    return own;
  }

  /// Bytes of a step in which all CTAs together stride over an array. 0: there is none, or each CTA
  /// steps through a part of its own.
  static std::uint64_t stride_of(const ArrayLocality& l) {
    return l.stride_bytes <= l.datablock_bytes ? 0 : l.stride_bytes;
  }

  /// Bytes of consecutive CTAs that follow each other in an array. The CTAs divide the array if
  /// each steps through a part of its own (ours). 0: unknown.
  static std::uint64_t bytes_of_cta(const LaunchView& launch, const LaunchArgument& a) {
    const ArrayLocality& l = *a.locality;
    if (l.stride_bytes == 0 || stride_of(l) != 0) return datablock_of(launch, l);
    return bytes_of(launch, a) / launch.grid.count();
  }

  /// CTAs of a batch: those of a page (equation 2), or of the pages of equation 1 if the CTAs
  /// stride over the array. Tiles fill pages by whole rows of the grid, if there are enough for all
  /// nodes: a batch can be any multiple of equation 2.
  std::uint32_t batch_of(const LaunchView& launch, const LaunchArgument& a) const {
    const std::uint64_t bytes = bytes_of_cta(launch, a);
    if (bytes == 0) return 1;
    const std::uint64_t stride = stride_of(*a.locality);
    const std::uint64_t pages = stride == 0 ? 1 : granularity(stride);
    const std::uint64_t ctas = launch.grid.count();
    const std::uint64_t batch =
        std::min(ctas, std::max<std::uint64_t>(1, pages * page_bytes_ / bytes));
    const std::uint64_t rows = (batch + launch.grid.x - 1) / launch.grid.x;
    const bool by_rows = a.locality->tile && ctas / launch.grid.x >= rows * nodes_.count;
    return static_cast<std::uint32_t>(by_rows ? rows * launch.grid.x : batch);
  }

  /// Pages that are interleaved over the nodes as one (equation 1).
  std::uint64_t granularity(std::uint64_t stride_bytes) const {
    const std::uint64_t bytes = nodes_.count * page_bytes_;
    return std::max<std::uint64_t>(1, (stride_bytes + bytes - 1) / bytes);
  }

  static CtaSchedulerChoice scheduler_of(const Units& u) {
    switch (u.kind) {
      case Units::Kind::kBatches: {
        CtaSchedulerChoice choice{"batched"};
        choice.parameters.set("batched", BatchedParameters{u.batch, true});
        return choice;
      }
      case Units::Kind::kRows:
      case Units::Kind::kColumns: {
        CtaSchedulerChoice choice{u.kind == Units::Kind::kRows ? "row-binding" : "column-binding"};
        choice.parameters.set(choice.name, BindingParameters{u.dealt});
        return choice;
      }
      case Units::Kind::kParts:
        break;
    }
    return {"kernel-wide"};
  }

  /// Places an array's pages where the CTAs run that access them, if the array's favoured scheduler
  /// runs (`own`).
  void place(const LaunchView& launch, const LaunchArgument& a, const Units& own,
             LaunchPlan& plan) {
    const LaunchArray& array = launch.arrays[*a.array];
    placement_.place(array, launch.memories, plan, [&](std::uint64_t page, std::uint64_t pages) {
      return node_of(launch, page, pages, a, own);
    });
  }

  /// Whether each node's part of a stride or of a row has a page of its own. If not, equation 1
  /// gives a granularity of one page.
  bool separable(std::uint64_t bytes) const { return bytes >= nodes_.count * page_bytes_; }

  /// The batch that accesses a byte at `offset` of a stride, or of the whole array. The datablocks
  /// of all CTAs can cover a part of it only: the others are fields that the CTAs access in the
  /// same way (ours), or a rest, which belongs to the last batch. If they overlap (tiles with a
  /// halo), the batches divide the array evenly (ours).
  static std::uint64_t batch_at(const LaunchView& launch, std::uint64_t offset,
                                std::uint64_t extent, const LaunchArgument& a, const Units& own) {
    const std::uint64_t bytes = bytes_of_cta(launch, a);
    const std::uint64_t covered = launch.grid.count() * bytes;
    if (bytes == 0 || covered > extent) return offset * own.count / extent;
    if (2 * covered <= extent) offset %= covered;
    return std::min(offset / (own.batch * bytes), own.count - 1);
  }

  std::uint32_t node_of_unit(std::uint64_t unit, const Units& own) const {
    return own.dealt ? nodes_.hierarchical(unit, own.count) : nodes_.contiguous(unit, own.count);
  }

  std::uint32_t node_of(const LaunchView& launch, std::uint64_t page, std::uint64_t pages,
                        const LaunchArgument& a, const Units& own) const {
    const ArrayLocality& l = *a.locality;
    const std::uint64_t bytes = bytes_of(launch, a);
    const std::uint64_t begin = begin_of(launch, a);
    const std::uint64_t at = page * page_bytes_ - std::min(page * page_bytes_, begin);
    const auto part = [&](std::uint64_t offset, std::uint64_t whole) {
      return node_of_unit(offset * own.count / whole, own);
    };
    switch (own.kind) {
      case Units::Kind::kBatches: {
        // Datablocks of consecutive CTAs follow each other; with a stride, over and over again.
        const std::uint64_t stride = stride_of(l);
        if (stride != 0 && !separable(stride)) return nodes_.dealt(page);
        const std::uint64_t extent = stride == 0 ? bytes : stride;
        return node_of_unit(batch_at(launch, at % extent, extent, a, own), own);
      }
      case Units::Kind::kRows:
      case Units::Kind::kColumns:
        if (!moves_by_columns(l.type)) return part(at, bytes);
        if (l.row_bytes == 0) break;
        if (!separable(l.row_bytes)) return node_of_short_row(page, at, l.row_bytes);
        return part(at % l.row_bytes, l.row_bytes);
      case Units::Kind::kParts:
        break;
    }
    return nodes_.contiguous(page, pages);
  }

  /// Columns of rows that have less than a page for each node. If a row has a page for each GPU, it
  /// goes to the GPU that runs its columns, to the GPU's nodes in turn (ours). If not, pages are
  /// dealt one by one (equation 1).
  std::uint32_t node_of_short_row(std::uint64_t page, std::uint64_t at,
                                  std::uint64_t row_bytes) const {
    if (nodes_.gpus == 1 || row_bytes < nodes_.gpus * page_bytes_) return nodes_.dealt(page);
    const std::uint64_t in_row = at % row_bytes;
    return nodes_.of_gpu(in_row * nodes_.gpus / row_bytes, at / row_bytes + in_row / page_bytes_);
  }

  const std::uint64_t page_bytes_;
  const NumaNodes nodes_;
  const LaspParameters p_;
  ArrayPlacement placement_;
};

std::unique_ptr<LaunchPlanner> make(const PolicyContext& context, const LaspParameters& p) {
  return std::make_unique<Lasp>(context, p);
}

const PolicyRegistration<LaunchPlanner> kRegistered(
    "lasp",
    "pages and CTAs placed by the kernel's locality table before it starts (LADM section III-D)",
    make);

}  // namespace

}  // namespace tessera::launch::lasp
