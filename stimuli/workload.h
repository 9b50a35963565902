// SPDX-License-Identifier: Apache-2.0
#pragma once

// A workload: a host program, its kernels, and a CPU reference that checks what they computed.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stimuli/device_memory.h"
#include "stimuli/kernel_source.h"
#include "stimuli/texture.h"
#include "stimuli/warp_program.h"

namespace tessera {

enum class Scale { kSmall, kMedium, kPaper };

/// Number of a launch of a device, from 1 on.
using LaunchId = std::uint64_t;

/// What a launch waits for. Launches of a stream run one after the other.
struct LaunchOrder {
  /// Name of the stream. Empty: the default stream, which orders as CUDA's legacy default stream:
  /// its launches wait for those of all streams, and those of all streams wait for them.
  std::string stream = {};
  std::vector<LaunchId> after = {};  ///< launches; those that have ended have no effect
  std::int32_t priority = 0;         ///< lower numbers first, as CUDA's stream priorities
};

/// What a host program can do with a GPU. Reads, writes and launch() wait for all launches.
class Device {
 public:
  virtual ~Device() = default;
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  virtual Address allocate(const std::string& name, std::uint64_t bytes) = 0;
  virtual void write(Address to, const void* from, std::uint64_t bytes) = 0;
  /// As write() of a whole allocation, which nobody has touched, with what `contents` makes: it is
  /// asked for the parts that are touched, when they are.
  virtual void defer(Address to, std::uint64_t bytes, Contents contents) = 0;
  /// As write() of bytes whose values nobody knows (a trace's): the time and the traffic of the
  /// host's copy, where the device has them. The contents are then undefined.
  virtual void write_without_values(Address /*to*/, std::uint64_t /*bytes*/) { synchronise(); }
  virtual void read(void* to, Address from, std::uint64_t bytes) = 0;
  /// The present contents, for the makers of kernel programs: without simulated time, also while
  /// kernels run.
  virtual void peek(void* to, Address from, std::uint64_t bytes) { read(to, from, bytes); }
  virtual void poke(Address to, const void* from, std::uint64_t bytes) { write(to, from, bytes); }
  /// Runs the kernel to its end. Throws InputError for arguments that do not fit its parameters,
  /// RunError when it fails.
  virtual void launch(const LaunchRequest& request) = 0;
  /// Enqueues a launch in a stream. Returns its number. Errors are those of launch(), thrown here
  /// or by a later call. A device without streams runs the kernel to its end; its launches have no
  /// numbers (0), because none is ever waited for.
  virtual LaunchId enqueue(const LaunchRequest& request, const LaunchOrder& /*order*/) {
    launch(request);
    return 0;
  }
  /// Waits for all launches.
  virtual void synchronise() {}
  virtual const Allocations& allocations() const = 0;
  /// The host program says what it is doing and how much of it is done (0 to 1), so that long work
  /// can be shown and interrupted. Throws what ends the run.
  virtual void working(const std::string& /*what*/, double /*done*/) {}

  /// Textures and surfaces that kernels of this device sample. Their texels are in allocations.
  TextureTable& textures() { return textures_; }

 private:
  TextureTable textures_;
};

/// Contents of an array after the run, for a file of that name.
struct OutputFile {
  std::string name;
  std::string bytes;  ///< raw little-endian elements
};

/// A launch of a run that has time.
struct LaunchTime {
  std::string kernel;
  std::uint64_t cycles = 0;
};

/// A named number that a manifest computes from the run: latency of a hop, bytes per cycle.
struct WorkloadFigure {
  std::string name;
  std::string unit;  ///< "cycle", "byte/cycle"; empty: a share
  std::string description;
  std::optional<double> value;  ///< empty: the run does not have what it needs
};

/// Outcome of comparing device memory with the CPU reference.
struct Verification {
  bool passed = false;
  /// Elements compared; 0 elements never pass, unless by_software.
  std::uint64_t compared = 0;
  std::uint64_t wrong = 0;
  double worst_error = 0;
  /// First mismatches, ready to print.
  std::vector<std::string> messages;
  /// Software has checked its result itself, and says whether it is right: nothing is compared.
  bool by_software = false;
};

struct WorkloadInfo {
  std::string name;
  std::string description;
  /// Kind of access pattern (matrix, stencil, graph, ...). What papers run it: paper_workloads.h.
  std::string family;
  /// False where lanes of different warps write the same location and the result's timing may
  /// depend on their order (bfs): carried and functional cycles may differ.
  bool race_free = true;
  /// Why nothing is compared, if verify() returns nothing.
  std::string without_reference = "the workload has no reference";
};

class Workload {
 public:
  virtual ~Workload() = default;
  Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  virtual const WorkloadInfo& info() const = 0;
  /// Allocates, initialises from `seed`, launches, loops. Called once.
  virtual void run(Device& device, Scale scale, std::uint64_t seed) = 0;
  /// Reads results back and compares. Empty when the workload has no reference (a user's manifest
  /// without expected values).
  virtual std::optional<Verification> verify(Device& device) = 0;
  /// What verify() read for the user to keep. Empty before it, and where nothing is asked for.
  virtual const std::vector<OutputFile>& output_files() const {
    static const std::vector<OutputFile> kNone;
    return kNone;
  }
  /// The manifest's figures, after verify(), which reads the arrays that they need. `launches`: all
  /// of them, in order; null: the run had no time.
  virtual std::vector<WorkloadFigure> figures(const std::vector<LaunchTime>* /*launches*/) const {
    return {};
  }
};

/// Names of the suite's workloads, sorted.
std::vector<std::string> workload_names();
/// Names of the microbenchmarks (docs/guide/microbenchmarks.md), sorted.
std::vector<std::string> micro_workload_names();
/// Names of both, sorted.
std::vector<std::string> all_workload_names();
/// All of them with their facts, sorted by name.
std::vector<WorkloadInfo> workload_catalogue();

/// `name` is a workload of the suite, or the path of a manifest (`*.json`), and can have sizes
/// (stimuli/workload_name.h), or a trace: a folder with a kernelslist.g, such a list, or a kernel's
/// file (stimuli/traces/kernel_list.h). Throws InputError with the nearest known name.
/// `kernels_dir`: where the suite's files are (empty: as installed).
std::unique_ptr<Workload> make_workload(const std::string& name,
                                        const std::string& kernels_dir = {});

/// A user's kernels: the manifest of that path, with `ptx` as its PTX files (it may name none or
/// others). Throws InputError.
std::unique_ptr<Workload> make_workload_of_ptx(const std::vector<std::string>& ptx,
                                               const std::string& manifest);

/// The files that decide what the workload of that name does, in a fixed order: its manifest, PTX
/// and data, or a trace's list and kernels. (A suite workload's C++ part is in the program.) Throws
/// as make_workload does.
std::vector<std::string> workload_files(const std::string& name,
                                        const std::string& kernels_dir = {});

}  // namespace tessera
