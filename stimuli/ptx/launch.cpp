// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/launch.h"

#include <algorithm>
#include <cstring>

#include "common/error.h"
#include "common/suggest.h"
#include "stimuli/ptx/warp.h"

namespace tessera::ptx {

namespace {

constexpr std::uint32_t kMostThreads = 1024;

void fill32(std::byte* to, std::uint32_t value) {
  for (unsigned i = 0; i < kWarpLanes; ++i) std::memcpy(to + 4 * i, &value, 4);
}

void fill64(std::byte* to, std::uint64_t value) {
  for (unsigned i = 0; i < kWarpLanes; ++i) std::memcpy(to + 8 * i, &value, 8);
}

/// Distinguishes addresses from integers that are added to pointers: allocations begin at kBase.
bool may_be_address(Address a) { return a >= Allocations::kBase / 2; }

std::uint64_t align64(std::uint64_t v) { return (v + 63) & ~std::uint64_t{63}; }

std::string text_of(const std::array<std::uint32_t, 3>& d) {
  return std::to_string(d[0]) + "x" + std::to_string(d[1]) + "x" + std::to_string(d[2]);
}

}  // namespace

Launch::Launch(std::shared_ptr<const Kernel> kernel, const LaunchRequest& request,
               const MemoryView& memory)
    : kernel_(std::move(kernel)), memory_(memory), grid_(request.grid), block_(request.block) {
  const std::string where = "kernel '" + kernel_->name + "': ";
  if (memory_.allocations == nullptr) throw InputError(where + "launched without device memory");
  if (block_.count() == 0 || block_.count() > kMostThreads) {
    throw InputError(where + "a block of " + std::to_string(block_.count()) +
                     " threads; expected 1 to " + std::to_string(kMostThreads));
  }
  if (grid_.count() == 0 || grid_.count() > 0xffffffffu) {
    throw InputError(where + "a grid of " + std::to_string(grid_.count()) +
                     " blocks; expected 1 to 4294967295");
  }
  const std::array<std::uint32_t, 3> block{block_.x, block_.y, block_.z};
  if (kernel_->required_threads && *kernel_->required_threads != block) {
    throw InputError(where + "blocks of " + text_of(block) + " threads; the kernel requires " +
                     text_of(*kernel_->required_threads));
  }
  if (kernel_->max_threads) {
    const auto& most = *kernel_->max_threads;
    if (block_.count() > std::uint64_t{most[0]} * most[1] * most[2]) {
      throw InputError(where + "blocks of " + text_of(block) + " threads; the kernel allows " +
                       text_of(most));
    }
  }
  threads_ = static_cast<std::uint32_t>(block_.count());
  warps_ = (threads_ + kWarpLanes - 1) / kWarpLanes;
  const std::uint64_t shared = std::uint64_t{kernel_->static_shared} + request.dynamic_shared_bytes;
  if (shared > kSharedWindowEnd - kSharedWindow) {
    throw InputError(where + "a CTA with " + std::to_string(shared) +
                     " bytes of shared memory; at most 16 MiB can be addressed");
  }
  shared_bytes_ = static_cast<std::uint32_t>(shared);
  place_stack();
  warp_bytes_ =
      align64(kernel_->register_bytes) + align64(std::uint64_t{local_bytes_} * kWarpLanes);
  for (unsigned n = 0; n < run_threads; ++n) recent_[n].resize(kernel_->code.size());
  if (memory_.race != nullptr) races_ = std::make_unique<LaunchRaces>();
  place_parameters(request);
  fill_launch_bank(request);
  mark_read_only();
  thread_bank_.resize(std::size_t{warps_} * 3 * kVector32);
  for (std::uint32_t t = 0; t < warps_ * kWarpLanes; ++t) {
    const std::uint32_t place[3] = {t % block_.x, t / block_.x % block_.y, t / block_.x / block_.y};
    for (unsigned axis = 0; axis < 3; ++axis) {
      std::memcpy(thread_bank(t / kWarpLanes) + axis * kVector32 + 4 * (t % kWarpLanes),
                  &place[axis], 4);
    }
  }
}

void Launch::place_stack() {
  const std::uint64_t bytes = local_bytes_per_thread(*kernel_, memory_.stack_bytes);
  if (bytes > kMostLocalBytes) {
    throw InputError("kernel '" + kernel_->name + "': a thread with " +
                     std::to_string(kernel_->local_bytes) + " bytes of local variables and " +
                     std::to_string(memory_.stack_bytes) + " bytes of stack; at most " +
                     std::to_string(kMostLocalBytes) + " bytes in all are supported");
  }
  local_bytes_ = static_cast<std::uint32_t>(bytes);
}

void Launch::place_parameters(const LaunchRequest& request) {
  parameters_ = argument_block(kernel_->name, kernel_->parameters,
                               std::max(kernel_->parameter_bytes, 1U), request.arguments);
}

void Launch::fill_launch_bank(const LaunchRequest& request) {
  launch_bank_.resize(kernel_->launch_bytes);
  std::byte* bank = launch_bank_.data();
  const std::uint32_t block[3] = {block_.x, block_.y, block_.z};
  const std::uint32_t grid[3] = {grid_.x, grid_.y, grid_.z};
  for (unsigned axis = 0; axis < 3; ++axis) {
    fill32(bank + LaunchBank::kNtid + axis * kVector32, block[axis]);
    fill32(bank + LaunchBank::kNctaid + axis * kVector32, grid[axis]);
  }
  fill32(bank + LaunchBank::kNwarps, kWarpLanes * 2);
  fill32(bank + LaunchBank::kDynamicShared, request.dynamic_shared_bytes);
  fill32(bank + LaunchBank::kTotalShared, shared_bytes_);
  if (kernel_->stack_top_offset != 0) fill64(bank + kernel_->stack_top_offset, local_bytes_);
  if (kernel_->workspace_offset != 0) {
    if (memory_.grid_workspace == 0) {
      throw InputError("kernel '" + kernel_->name +
                       "' synchronises its grid; it was launched without a workspace for that");
    }
    const Address at = memory_.grid_workspace;
    fill32(bank + kernel_->workspace_offset, static_cast<std::uint32_t>(at >> 32));
    fill32(bank + kernel_->workspace_offset + kVector32, static_cast<std::uint32_t>(at));
  }
  for (const SymbolUse& use : kernel_->symbols) {
    if (memory_.symbols == nullptr || memory_.symbols->count(use.name) == 0) {
      throw InputError("kernel '" + kernel_->name + "': the variable '" + use.name +
                       "' has no place in device memory");
    }
    fill64(bank + use.launch_offset,
           memory_.symbols->at(use.name) + static_cast<std::uint64_t>(use.addend));
  }
  // A reference without a texture has handle 0; its first use reports an error.
  for (const SymbolUse& use : kernel_->texture_references) {
    const TextureTable* textures = memory_.textures;
    fill64(bank + use.launch_offset, textures == nullptr ? 0 : textures->bound(use.name));
  }
}

/// Applies the read-only pass to the arguments: pointers into the same allocation alias, which only
/// the launch knows (NUBA 5.2 leaves this to the programmer). Granularity: a whole allocation.
void Launch::mark_read_only() {
  const auto& pointers = kernel_->pointers;
  read_only_.resize(kernel_->code.size());
  for (std::size_t i = 0; i < read_only_.size(); ++i) {
    read_only_[i] = kernel_->code[i].memory.read_only ? 1 : 0;
  }
  if (kernel_->read_only_loads.empty() && kernel_->textures.empty()) return;

  std::vector<Address> value(pointers.size());
  std::vector<const Allocation*> to(pointers.size());
  std::set<const Allocation*> written;
  for (std::size_t p = 0; p < pointers.size(); ++p) {
    value[p] = pointer_value(pointers[p].origin);
    to[p] = memory_.allocations->find(value[p], 1);
    const PointerUse use = pointers[p].use;
    if (use == PointerUse::kReadOnly || use == PointerUse::kUnused) continue;
    // A pointer outside all allocations, such as one past the end of an array: the array is
    // unknown, so that no load is marked.
    if (to[p] == nullptr && may_be_address(value[p])) return;
    written.insert(to[p]);
    // Also the allocation of a surface that the kernel writes by its handle.
    written.insert(allocation_of_texture(value[p]));
  }
  for (const std::string& name : kernel_->written_surfaces) {
    if (memory_.textures == nullptr) break;
    written.insert(allocation_of_texture(memory_.textures->bound(name)));
  }
  if (!kernel_->textures.empty()) mark_read_only_textures(written);
  for (const KernelLoad& load : kernel_->read_only_loads) {
    bool is_safe = true;
    for (const std::uint32_t p : load.pointers) {
      if (!may_be_address(value[p])) continue;
      if (to[p] == nullptr || written.count(to[p]) != 0) is_safe = false;
    }
    if (is_safe) read_only_[load.pc] = 1;
  }
}

/// The allocation of a texture; nullptr if the value is no handle.
const Allocation* Launch::allocation_of_texture(std::uint64_t handle) const {
  const TextureDescriptor* t =
      memory_.textures == nullptr ? nullptr : memory_.textures->find(handle);
  return t == nullptr ? nullptr : memory_.allocations->find(t->base, 1);
}

void Launch::mark_read_only_textures(std::set<const Allocation*> written) {
  if (memory_.textures == nullptr || kernel_->writes_anywhere) return;
  written.insert(nullptr);
  read_only_textures_.resize(memory_.textures->all().size());
  for (std::size_t i = 0; i < read_only_textures_.size(); ++i) {
    const bool is_written =
        written.count(allocation_of_texture(TextureTable::kFirstHandle + i)) != 0;
    read_only_textures_[i] = is_written ? 0 : 1;
  }
}

/// The value of a pointer in this launch; 0 for an undefined variable, which the kernel does not
/// use.
Address Launch::pointer_value(const PointerOrigin& origin) const {
  if (origin.is_variable) {
    if (memory_.symbols == nullptr) return 0;
    const auto it = memory_.symbols->find(origin.name);
    return it == memory_.symbols->end() ? 0 : it->second;
  }
  const KernelParameter& p = kernel_->parameters[origin.parameter];
  Address value = 0;
  std::memcpy(&value, parameters_.data() + p.offset + origin.offset,
              std::min<std::size_t>(sizeof value, p.bytes - origin.offset));
  return value;
}

CtaResources Launch::resources() const {
  return CtaResources{threads_, kernel_->registers_per_thread, shared_bytes_};
}

unsigned Launch::warp_threads(unsigned warp) const {
  return std::min(kWarpLanes, threads_ - warp * kWarpLanes);
}

std::string Launch::instruction_text(std::uint32_t pc) const {
  return place_text(kernel_->file, kernel_->linked_files, kernel_->info[pc].line) + " '" +
         kernel_->text[pc] + "'";
}

std::optional<SourcePlace> Launch::source_of(std::uint32_t pc) const {
  const SourceLine& source = kernel_->sources[pc];
  const auto file = kernel_->source_files.find(source.file);
  if (source.line == 0 || file == kernel_->source_files.end()) return std::nullopt;
  return SourcePlace{file->second, source.line};
}

std::unique_ptr<CtaProgram> Launch::start_cta(CtaId cta) {
  return std::make_unique<Cta>(*this, cta);
}

std::vector<std::byte> Launch::take_storage() {
  const std::size_t bytes = warps_ * warp_bytes_ + shared_bytes_ + 64;
  std::vector<std::byte> storage;
  {
    const auto held = lock_between_threads(mutex_);
    if (!pool_.empty()) {
      storage = std::move(pool_.back());
      pool_.pop_back();
    }
  }
  if (storage.empty()) return std::vector<std::byte>(bytes);
  // Registers and shared memory are initialised with zeros, so that CTAs do not depend on the
  // earlier contents.
  std::memset(storage.data(), 0, bytes);
  return storage;
}

void Launch::give_storage(std::vector<std::byte> storage) {
  const auto held = lock_between_threads(mutex_);
  pool_.push_back(std::move(storage));
}

Cta::Cta(Launch& launch, CtaId id) : launch_(launch), id_(id), storage_(launch.take_storage()) {
  if (launch.races() != nullptr) races_ = std::make_unique<CtaRaces>();
  const Dim3 grid = launch.grid();
  coordinates_ = Dim3{id.value % grid.x, id.value / grid.x % grid.y, id.value / grid.x / grid.y};
  fill32(bank_.data(), coordinates_.x);
  fill32(bank_.data() + kVector32, coordinates_.y);
  fill32(bank_.data() + 2 * kVector32, coordinates_.z);
  std::byte* at = storage_.data();
  at += align64(reinterpret_cast<std::uintptr_t>(at)) - reinterpret_cast<std::uintptr_t>(at);
  for (unsigned w = 0; w < launch.warps_per_cta(); ++w, at += launch.warp_bytes()) {
    warps_.emplace_back(*this, w, at);
  }
  shared_ = at;
}

Cta::~Cta() { launch_.give_storage(std::move(storage_)); }

std::shared_ptr<Reduction> Cta::reduction(unsigned barrier, std::uint32_t threads) {
  std::shared_ptr<Reduction>& r = reductions_[barrier];
  if (r == nullptr || r->is_complete()) {
    r = std::make_shared<Reduction>();
    r->expected = threads;
  }
  return r;
}

bool is_cooperative(const Kernel& kernel) { return kernel.workspace_offset != 0; }

std::uint64_t local_bytes_per_thread(const Kernel& kernel, std::uint32_t stack_bytes) {
  const std::uint64_t bytes = kernel.local_bytes;
  if (kernel.stack_top_offset == 0) return bytes;
  const std::uint64_t unit = kernel.stack_alignment;
  return (bytes + stack_bytes + unit - 1) / unit * unit;
}

std::unique_ptr<KernelProgram> make_program(std::shared_ptr<const Kernel> kernel,
                                            const LaunchRequest& request,
                                            const MemoryView& memory) {
  return std::make_unique<Launch>(std::move(kernel), request, memory);
}

}  // namespace tessera::ptx
