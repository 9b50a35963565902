// SPDX-License-Identifier: Apache-2.0
#pragma once

// PTX modules of one device: their variables get addresses and contents once, their kernels are
// decoded once, and launches become KernelPrograms.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

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

  /// The module's kernels, for launches. The module must outlive the source's use; the source keeps
  /// the loader. Its launches check the request (kernel, its variables, grid and block, arguments)
  /// and load the module if need be. LaunchEnvironment::on_race is called at most twice for an
  /// instruction.
  std::shared_ptr<KernelSource> source(const ptx::Module& module);

  /// Allocates the module's .global and .const variables as "<file's stem>::<symbol>" and writes
  /// their initial contents, and the device heap ("device heap", 8 MiB) for the first module that
  /// declares malloc or free; does nothing when it was loaded before. The module is known by its
  /// address and must outlive the loader. Variables of ptx::undefined_variables() get no place.
  void load(const ptx::Module& module);

  /// The address of a variable; loads the module if need be. Throws InputError when it has none.
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
  };

  explicit ModuleLoader(Device& device) : device_(device) {}

  const LoadedKernel& kernel(const ptx::Module& module, const std::string& name);
  std::unique_ptr<KernelProgram> program(const ptx::Module& module, const LaunchRequest& request,
                                         const LaunchEnvironment& environment);

  Loaded& loaded(const ptx::Module& module);
  void place(const ptx::Module& module, Loaded& into);
  void make_heap(const ptx::Module& module);
  Address cleared_workspace();

  Device& device_;
  std::set<std::string> warned_;  ///< places that a warning has named
  std::set<std::string> raced_;   ///< places of races that have been told
  /// Made for the first module that declares malloc or free.
  std::unique_ptr<ptx::DeviceHeap> heap_;
  Address grid_workspace_ = 0;  ///< of cooperative launches, which follow one another
  std::map<const ptx::Module*, std::unique_ptr<Loaded>> modules_;
};

}  // namespace tessera::kernels
