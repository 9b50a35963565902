// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a file of a captured run (.ttrace) says beside the records of its warps: host program,
// launches and static instructions (docs/guide/captured-traces.md).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/json_fwd.h"
#include "common/locality.h"
#include "stimuli/kernel_source.h"
#include "stimuli/warp_program.h"

namespace tessera::traces {

/// The static part of a record: what an SM reads of WarpProgram::next(), and what an issue returns
/// beside lanes and addresses. An instruction whose accesses are in several spaces has several.
struct CapturedOperation {
  OpInfo info;
  IssueResult::Kind kind = IssueResult::Kind::kCompute;
  // Of kMemory.
  AccessKind access = AccessKind::kLoad;
  Space space = Space::kGlobal;
  CacheScope scope = CacheScope::kL1;
  bool read_only = false;
  bool asynchronous = false;
  std::uint8_t lane_bytes = 4;
  AtomicOp atomic = AtomicOp::kAdd;
  AtomicType atomic_type = AtomicType::kU32;
  // Of kBarrier.
  std::uint8_t barrier = 0;
  std::uint32_t barrier_threads = 0;  ///< 0: all
  bool arrive_only = false;
  /// Of kExit: all lanes of the warp have ended.
  bool ends_warp = false;
  std::string text;  ///< KernelProgram::instruction_text()

  /// Whether its records have addresses.
  bool has_addresses() const {
    return kind == IssueResult::Kind::kMemory && space != Space::kConst && space != Space::kParam;
  }
};

/// An operation of the host program. Addresses are the captured run's.
struct HostOperation {
  enum class Kind : std::uint8_t {
    kAllocate,
    kAllocateSlots,  ///< local memory of all warp slots: its size depends on the platform
    kWrite,
    kDefer,  ///< a write before the first launch that the device performs when it is touched
    kRead,
    kLaunch,   ///< and waits for its end
    kEnqueue,  ///< in a stream
    kSynchronise,
  };

  Kind kind = Kind::kSynchronise;
  std::string name;  ///< of the allocation, or of the stream
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  /// kAllocateSlots: bytes of a warp.
  std::uint64_t warp_bytes = 0;
  std::uint64_t launch = 0;          ///< index of CapturedRun::launches
  std::vector<std::uint64_t> after;  ///< indices of launches
  std::int32_t priority = 0;
};

using HostKind = HostOperation::Kind;

struct CapturedLaunch {
  std::string kernel;
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  CtaResources resources;
  std::uint32_t register_names = 0;
  bool cooperative = false;
  /// Bytes of local memory of a warp; 0: none.
  std::uint64_t local_warp_bytes = 0;
  KernelFacts facts;
  std::vector<KernelArgument> arguments;
  std::vector<std::optional<ArrayLocality>> locality;
  /// What the kernel's source did on the device when it was asked for facts and for the program.
  std::vector<HostOperation> at_facts;
  std::vector<HostOperation> at_make;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
};

struct CapturedRun {
  // Of the capture, for messages.
  std::string platform;
  std::string workload;
  std::string scale;
  std::string version;  ///< of the program
  std::uint64_t seed = 0;

  std::vector<HostOperation> host;    ///< Workload::run()
  std::vector<HostOperation> verify;  ///< Workload::verify()
  std::vector<CapturedLaunch> launches;
  std::vector<CapturedOperation> operations;
};

/// The metadata that a file begins with, and all else.
nlohmann::ordered_json header_of(const CapturedRun& run);
nlohmann::ordered_json contents_of(const CapturedRun& run);
/// The inverses. Throw nlohmann's exceptions or InputError (without the file's name) for documents
/// that are not of this form.
void read_header(const nlohmann::ordered_json& document, CapturedRun& run);
void read_contents(const nlohmann::ordered_json& document, CapturedRun& run);

}  // namespace tessera::traces
