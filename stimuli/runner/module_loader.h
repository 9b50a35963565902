// SPDX-License-Identifier: Apache-2.0
#pragma once

// PTX modules of one device: allocates and initialises their variables once, decodes their kernels
// once, and converts launches to KernelPrograms.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stimuli/ptx/analysis/locality_table.h"
#include "stimuli/ptx/device_heap.h"
#include "stimuli/ptx/program.h"
#include "stimuli/workload.h"

namespace tessera::kernels {

class ModuleLoader : public std::enable_shared_from_this<ModuleLoader> {
 public:
  /// Module variables are allocated and written through `device`, which must outlive the loader.
  static std::shared_ptr<ModuleLoader> make(Device& device) {
    return std::shared_ptr<ModuleLoader>(new ModuleLoader(device));
  }

  /// The module's kernels, for launches. The module must outlive the use of the source; the source
  /// keeps the loader alive. A launch checks the request (kernel, its variables, grid and block,
  /// arguments) and loads the module if necessary. LaunchEnvironment::on_race is called at most
  /// twice per instruction.
  std::shared_ptr<KernelSource> source(const ptx::Module& module);

  /// Allocates the module's .global and .const variables as "<file's stem>::<symbol>" and writes
  /// their initial contents, and the device heap ("device heap", 8 MiB) for the first module that
  /// declares malloc or free. Does nothing if the module is already loaded. The address identifies
  /// the module, which must outlive the loader. Variables of ptx::undefined_variables() are not
  /// allocated.
  void load(const ptx::Module& module);

  /// Bytes of stack of a thread in later launches (ptx::MemoryView::stack_bytes).
  void set_stack_bytes(std::uint32_t bytes) { stack_bytes_ = bytes; }

  /// The address of a variable; loads the module if necessary. Throws InputError if it has none.
  Address symbol(const ptx::Module& module, const std::string& name);

 private:
  class Source;
  struct LoadedKernel {
    std::shared_ptr<const ptx::Kernel> decoded;
    KernelFacts facts;
  };
  struct Loaded {
    std::map<std::string, Address> symbols;
    std::map<std::string, LoadedKernel> kernels;
    std::map<std::string, ptx::LocalityTable> tables;  ///< by kernel
  };

  explicit ModuleLoader(Device& device) : device_(device) {}

  const LoadedKernel& kernel(const ptx::Module& module, const std::string& name);
  std::unique_ptr<KernelProgram> program(const ptx::Module& module, const LaunchRequest& request,
                                         const LaunchEnvironment& environment);

  std::vector<std::optional<ArrayLocality>> locality(const ptx::Module& module,
                                                     const LaunchRequest& request);

  Loaded& loaded(const ptx::Module& module);
  void place(const ptx::Module& module, Loaded& into);
  void make_heap(const ptx::Module& module);
  ptx::LocalMemory local_memory(std::uint64_t thread_bytes, const DeviceSlots& slots);
  /// Kept from other launches until the result is released.
  std::shared_ptr<const Address> cleared_workspace();

  Device& device_;
  std::set<std::string> warned_;  ///< places with a reported warning
  std::set<std::string> raced_;   ///< places with a reported race
  /// Created for the first module that declares malloc or free.
  std::unique_ptr<ptx::DeviceHeap> heap_;
  std::map<std::uint64_t, Address> local_memories_;  ///< by bytes of a warp
  std::uint32_t stack_bytes_ = ptx::kDefaultStackBytes;
  /// Of cooperative launches, and those that no launch uses.
  std::uint64_t grid_workspaces_ = 0;
  std::vector<Address> free_workspaces_;
  std::map<const ptx::Module*, std::unique_ptr<Loaded>> modules_;
};

}  // namespace tessera::kernels
