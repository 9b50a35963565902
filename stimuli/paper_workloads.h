// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the papers ran, and which workloads of the suite stand for it
// (stimuli/kernels/papers.json).

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// A workload as a paper names it. Figures as the paper prints them; empty where it does not.
struct PaperWorkload {
  std::string paper;           ///< "nuba", "umh", "ladm", "dualopt", "remote-core"
  std::string name;            ///< the paper's abbreviation, unique within the paper
  std::string workload_class;  ///< the paper's own ("low-sharing", "NL-Xstride")
  /// One name for what several papers run; empty where the paper counts a workload without naming
  /// it.
  std::string kernel;
  std::string workload;  ///< of the suite; empty where `kernel` is
  /// Sizes at scale `paper` other than the suite's, which another paper's are: "n=262144".
  std::string paper_sizes;
  std::optional<double> footprint_mb;           ///< 10^6 bytes, or 2^20: it does not say
  std::optional<double> read_only_shared_mb;    ///< read by several SMs, written by none; NUBA only
  std::optional<double> misses_per_kilo_instr;  ///< of the L2, per thousand instructions; LADM only
};

/// All of them, in the file's order. Throws InputError.
std::vector<PaperWorkload> paper_workloads();
/// Those of one paper. Throws InputError with the nearest name when there is no such paper.
std::vector<PaperWorkload> paper_workloads(const std::string& paper);

}  // namespace tessera
