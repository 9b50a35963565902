// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/module_loader.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/suggest.h"
#include "common/text.h"
#include "stimuli/ptx/kernel.h"
#include "stimuli/ptx/link.h"

namespace tessera::kernels {
namespace {

constexpr std::uint64_t kMaxBlockThreads = 1024;

bool has_memory(const ptx::Variable& v) {
  const bool placed = v.space == ptx::StateSpace::kGlobal || v.space == ptx::StateSpace::kConst;
  // Texture, sampler and surface references are opaque: no bytes.
  return placed && ptx::type_bytes(v.type) != 0;
}

void check_shape(const LaunchRequest& request) {
  const auto text = [](const Dim3& d) {
    return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
  };
  const Dim3& block = request.block;
  // Each dimension is checked first, because the product of three can overflow.
  if (block.x > kMaxBlockThreads || block.y > kMaxBlockThreads || block.z > kMaxBlockThreads ||
      block.count() < 1 || block.count() > kMaxBlockThreads) {
    throw InputError("kernel '" + request.kernel + "': a block has 1 to 1024 threads, not " +
                     text(request.block));
  }
  if (request.grid.count() < 1 || request.grid.y > 65535 || request.grid.z > 65535 ||
      request.grid.count() > 0xffffffffu) {
    throw InputError(
        "kernel '" + request.kernel +
        "': a grid has at least one CTA, at most 65535 in y and z and 2^32 - 1 in all, "
        "not " +
        text(request.grid));
  }
}

KernelFacts facts_of(const ptx::Kernel& kernel) {
  KernelFacts facts{kernel.parameters, kernel.parameter_bytes};
  // A structure can hold several pointers: it is read-only if none of them is written.
  std::vector<bool> loaded(facts.parameters.size());
  std::vector<bool> written(facts.parameters.size(), kernel.writes_anywhere);
  for (const ptx::KernelPointer& p : kernel.pointers) {
    if (p.origin.is_variable || p.use == ptx::PointerUse::kUnused) continue;
    (p.use == ptx::PointerUse::kReadOnly ? loaded : written)[p.origin.parameter] = true;
  }
  for (std::size_t i = 0; i < facts.parameters.size(); ++i) {
    facts.parameters[i].read_only = loaded[i] && !written[i];
  }
  return facts;
}

}  // namespace

ModuleLoader::Loaded& ModuleLoader::loaded(const ptx::Module& module) {
  std::unique_ptr<Loaded>& entry = modules_[&module];
  if (!entry) {
    auto fresh = std::make_unique<Loaded>();
    place(module, *fresh);
    make_heap(module);
    entry = std::move(fresh);
  }
  return *entry;
}

void ModuleLoader::place(const ptx::Module& module, Loaded& into) {
  std::string prefix = std::filesystem::path(module.file).stem().string();
  // Files in different folders can have the same name.
  const auto taken = [&](const std::string& name) {
    const auto& all = device_.allocations().all();
    return std::any_of(all.begin(), all.end(),
                       [&](const Allocation& a) { return begins_with(a.name, name + "::"); });
  };
  for (unsigned n = 2; taken(prefix); ++n) {
    prefix = std::filesystem::path(module.file).stem().string() + "#" + std::to_string(n);
  }

  const std::map<std::string, std::string> undefined = ptx::undefined_variables(module);
  for (const ptx::Variable& v : module.variables) {
    if (!has_memory(v) || undefined.count(v.name) != 0) continue;
    into.symbols[v.name] = device_.allocate(prefix + "::" + v.name, v.bytes());
  }
  for (const ptx::Variable& v : module.variables) {
    if (into.symbols.count(v.name) == 0) continue;
    const std::vector<std::byte> contents = ptx::initial_contents(module, v, into.symbols);
    device_.write(into.symbols.at(v.name), contents.data(), contents.size());
  }
}

void ModuleLoader::make_heap(const ptx::Module& module) {
  const auto declares = [&](const char* name) {
    const ptx::Function* f = module.function(name);
    return f != nullptr && f->is_declaration;
  };
  if (heap_ || (!declares("malloc") && !declares("free"))) return;
  using Heap = ptx::DeviceHeap;
  heap_ = std::make_unique<Heap>(device_.allocate(Heap::kName, Heap::kDefaultBytes),
                                 Heap::kDefaultBytes);
}

std::shared_ptr<const Address> ModuleLoader::cleared_workspace() {
  constexpr std::uint64_t bytes = ptx::kGridWorkspaceBytes;
  if (free_workspaces_.empty()) {
    ++grid_workspaces_;
    const std::string number = grid_workspaces_ == 1 ? "" : " " + std::to_string(grid_workspaces_);
    free_workspaces_.push_back(device_.allocate("grid workspace" + number, bytes));
  }
  const Address at = free_workspaces_.back();
  free_workspaces_.pop_back();
  const std::vector<std::byte> zeros(bytes);
  device_.poke(at, zeros.data(), bytes);
  return {new Address(at), [loader = weak_from_this()](const Address* released) {
            if (const auto l = loader.lock()) l->free_workspaces_.push_back(*released);
            delete released;
          }};
}

/// Memory for the local memory of all warp slots. Launches with as much of a thread share it,
/// because a slot belongs to one of them at a time. Others can run beside them, with other bounds
/// of slots.
ptx::LocalMemory ModuleLoader::local_memory(std::uint64_t thread_bytes, const DeviceSlots& slots) {
  // Whole elements of the widest access.
  constexpr std::uint64_t kElement = kMaxLaneBytes;
  const std::uint64_t warp_bytes = (thread_bytes + kElement - 1) / kElement * kElement * kWarpLanes;
  const std::uint64_t page = slots.page_bytes;
  const std::uint64_t sm_bytes = (warp_bytes * slots.warps + page - 1) / page * page;
  Address& address = local_memories_[warp_bytes];
  if (address == 0) {
    std::string name = "local memory";
    for (unsigned n = 2; device_.allocations().find(name) != nullptr; ++n) {
      name = "local memory " + std::to_string(n);
    }
    address = device_.allocate(name, sm_bytes * slots.sms);
  }
  return {address, sm_bytes, warp_bytes};
}

void ModuleLoader::load(const ptx::Module& module) { loaded(module); }

Address ModuleLoader::symbol(const ptx::Module& module, const std::string& name) {
  const Loaded& all = loaded(module);
  const auto it = all.symbols.find(name);
  if (it != all.symbols.end()) return it->second;
  const auto undefined = ptx::undefined_variables(module);
  const auto why = undefined.find(name);
  if (why != undefined.end()) throw InputError(why->second);
  std::vector<std::string> known;
  for (const auto& symbol : all.symbols) known.push_back(symbol.first);
  throw InputError(module.file + ": there is no .global or .const variable '" + name + "'" +
                   did_you_mean(name, known));
}

/// A module's kernels. Keeps its loader.
class ModuleLoader::Source final : public KernelSource {
 public:
  Source(std::shared_ptr<ModuleLoader> loader, const ptx::Module& module)
      : loader_(std::move(loader)), module_(module) {}

  const KernelFacts& facts(const std::string& kernel) override {
    return loader_->kernel(module_, kernel).facts;
  }
  std::vector<std::optional<ArrayLocality>> locality(const LaunchRequest& request) override {
    return loader_->locality(module_, request);
  }
  std::unique_ptr<KernelProgram> make(const LaunchRequest& request,
                                      const LaunchEnvironment& environment) override {
    return loader_->program(module_, request, environment);
  }

 private:
  std::shared_ptr<ModuleLoader> loader_;
  const ptx::Module& module_;
};

std::shared_ptr<KernelSource> ModuleLoader::source(const ptx::Module& module) {
  return std::make_shared<Source>(shared_from_this(), module);
}

const ModuleLoader::LoadedKernel& ModuleLoader::kernel(const ptx::Module& module,
                                                       const std::string& name) {
  const std::vector<std::string> entries = module.entries();
  if (std::find(entries.begin(), entries.end(), name) == entries.end()) {
    throw InputError(module.file + ": there is no kernel '" + name + "'" +
                     did_you_mean(name, entries));
  }
  Loaded& all = loaded(module);
  const auto known = all.kernels.find(name);
  if (known != all.kernels.end()) return known->second;
  LoadedKernel fresh;
  fresh.decoded = ptx::decode(module, name);
  ptx::check_symbols(module, *fresh.decoded);
  fresh.facts = facts_of(*fresh.decoded);
  return all.kernels.emplace(name, std::move(fresh)).first->second;
}

std::vector<std::optional<ArrayLocality>> ModuleLoader::locality(const ptx::Module& module,
                                                                 const LaunchRequest& request) {
  const std::size_t parameters = kernel(module, request.kernel).facts.parameters.size();
  auto& tables = loaded(module).tables;
  const auto known = tables.find(request.kernel);
  const ptx::LocalityTable& table =
      known != tables.end()
          ? known->second
          : tables.emplace(request.kernel, ptx::make_locality_table(module, request.kernel))
                .first->second;
  std::vector<std::optional<ArrayLocality>> of_parameter(parameters);
  for (std::size_t i = 0; i < parameters; ++i) {
    const ptx::DataStructure* const structure = table.of_parameter(i);
    if (structure == nullptr) continue;
    const ptx::LaunchLocality l = table.evaluate(*structure, request);
    ArrayLocality& array = of_parameter[i].emplace();
    array.type = l.type;
    array.stride_bytes =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, l.stride_bytes.value_or(0)));
    array.datablock_bytes = l.datablock_bytes.value_or(0);
    array.row_bytes = l.row_bytes.value_or(0);
    array.tile = l.tile;
  }
  return of_parameter;
}

std::unique_ptr<KernelProgram> ModuleLoader::program(const ptx::Module& module,
                                                     const LaunchRequest& request,
                                                     const LaunchEnvironment& environment) {
  const std::shared_ptr<const ptx::Kernel>& decoded = kernel(module, request.kernel).decoded;
  check_shape(request);
  ptx::MemoryView memory;
  memory.allocations = &device_.allocations();
  memory.flat = environment.flat;
  memory.symbols = &loaded(module).symbols;
  memory.textures = &device_.textures();
  memory.heap = heap_.get();
  memory.stack_bytes = stack_bytes_;
  if (ptx::is_cooperative(*decoded)) {
    const std::shared_ptr<const Address> workspace = cleared_workspace();
    memory.grid_workspace = *workspace;
    memory.held = workspace;
  }
  const std::uint64_t local = ptx::local_bytes_per_thread(*decoded, stack_bytes_);
  if (local != 0 && environment.slots.sms != 0) {
    memory.local = local_memory(local, environment.slots);
  }
  memory.read = [this](void* to, Address from, std::uint64_t bytes) {
    device_.peek(to, from, bytes);
  };
  memory.warn = [this](const std::string& place, const std::string& text) {
    if (warned_.insert(place).second) std::cerr << "tessera: warning: " << text << std::endl;
  };
  if (environment.on_race) {
    memory.race = [this, report = environment.on_race](const std::string& place,
                                                       const std::string& text) {
      if (raced_.insert(place).second) report(text);
    };
  }
  return ptx::make_program(decoded, request, memory);
}

}  // namespace tessera::kernels
