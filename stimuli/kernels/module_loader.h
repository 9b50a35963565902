// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every Device that executes PTX does with modules: their variables get addresses and contents
// once, their kernels are decoded once, and launches become KernelPrograms.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "stimuli/ptx/device_heap.h"
#include "stimuli/ptx/program.h"
#include "stimuli/workload.h"

namespace tessera::kernels {

class ModuleLoader {
 public:
  /// Module variables are allocated and written through `device`, which must outlive the loader.
  explicit ModuleLoader(Device& device) : device_(device) {}

  /// Allocates the module's .global and .const variables as "<file's stem>::<symbol>" and writes
  /// their initial contents, and the device heap ("device heap", 8 MiB) for the first module that
  /// declares malloc or free; does nothing when it was loaded before. The module is known by its
  /// address and must outlive the loader. Variables of ptx::undefined_variables() get no place.
  void load(const ptx::Module& module);

  /// Launches made from now on check their accesses (ptx::MemoryView::race). `found` is called at
  /// most twice for an instruction.
  void check_races(std::function<void(const std::string&)> found) { race_ = std::move(found); }

  /// The address of a variable; loads the module if need be. Throws InputError when it has none.
  Address symbol(const ptx::Module& module, const std::string& name);

  /// Checks the request (kernel, its variables, grid and block, arguments) and makes the launch;
  /// loads the module if need be. `flat` is null in carried mode. Allocations and loader must
  /// outlive the program.
  std::unique_ptr<KernelProgram> make(const LaunchRequest& request, const Allocations& allocations,
                                      FlatMemory* flat);

 private:
  struct Loaded {
    std::map<std::string, Address> symbols;
    std::map<std::string, std::shared_ptr<const ptx::Kernel>> kernels;
  };

  Loaded& loaded(const ptx::Module& module);
  void place(const ptx::Module& module, Loaded& into);
  void make_heap(const ptx::Module& module);
  Address cleared_workspace();

  Device& device_;
  std::set<std::string> warned_;  ///< places that a warning has named
  std::function<void(const std::string&)> race_;
  std::set<std::string> raced_;  ///< places of races that have been told
  /// Made for the first module that declares malloc or free.
  std::unique_ptr<ptx::DeviceHeap> heap_;
  Address grid_workspace_ = 0;  ///< of cooperative launches, which follow one another
  std::map<const ptx::Module*, std::unique_ptr<Loaded>> modules_;
};

}  // namespace tessera::kernels
