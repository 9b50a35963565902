// SPDX-License-Identifier: Apache-2.0
#include "tests/platforms/gpu_rig.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

#include "common/json.h"
#include "modules/host/cta_dispatcher.h"
#include "modules/sm/sm_cluster.h"

namespace tessera::test {

class ListKernel::Cta final : public CtaProgram, private WarpProgram {
 public:
  Cta(ListKernel& kernel, const std::vector<ListAccess>& list) : kernel_(kernel), list_(list) {}

  unsigned warp_count() const override { return 1; }
  WarpProgram& warp(unsigned) override { return *this; }
  unsigned warp_threads(unsigned) const override { return kWarpLanes; }

 private:
  const OpInfo& next() const override {
    if (at_ == list_.size()) return kernel_.exit_;
    if (list_[at_].kind == AccessKind::kStore) return kernel_.store_;
    return kernel_.loads_[at_ % kernel_.loads_.size()];
  }
  void issue(const IssueContext& context, IssueResult& result) override {
    if (at_ == list_.size()) {
      result.active = ~std::uint32_t{0};
      result.kind = IssueResult::Kind::kExit;
      result.warp_done = true;
      return;
    }
    result.kind = IssueResult::Kind::kMemory;
    MemoryOp& m = result.memory;
    const ListAccess& access = list_[at_];
    m.kind = access.kind;
    m.space = Space::kGlobal;
    m.scope = CacheScope::kL1;
    m.read_only = kernel_.read_only_;
    m.lane_bytes = 4;
    m.values_done = true;
    m.active = result.active = ~std::uint32_t{0} >> (kWarpLanes - access.lanes);
    for (unsigned lane = 0; lane < access.lanes; ++lane) {
      m.address[lane] = access.address + lane * 4;
    }
    kernel_.last_issue_ = context.cycle;
    ++at_;
  }
  void complete(const AccessEnd&, const std::byte*) override {}

  ListKernel& kernel_;
  const std::vector<ListAccess>& list_;
  std::size_t at_ = 0;
};

namespace {

std::vector<std::vector<ListAccess>> as_loads(const std::vector<std::vector<Address>>& lists) {
  std::vector<std::vector<ListAccess>> all(lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (const Address a : lists[i]) all[i].push_back({a});
  }
  return all;
}

}  // namespace

ListKernel::ListKernel(const std::vector<std::vector<Address>>& lists, bool dependent,
                       bool read_only)
    : ListKernel(as_loads(lists), dependent, read_only) {}

ListKernel::ListKernel(std::vector<std::vector<ListAccess>> lists, bool dependent, bool read_only)
    : lists_(std::move(lists)), read_only_(read_only) {
  // A load waits for the one before it that writes the same register.
  loads_.resize(dependent ? 1 : kIndependent);
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    loads_[i].unit = Unit::kMemory;
    loads_[i].write_count = 1;
    loads_[i].registers[0] = static_cast<std::uint16_t>(i);
  }
  store_.unit = Unit::kMemory;
  exit_.unit = Unit::kExit;
}

std::unique_ptr<CtaProgram> ListKernel::start_cta(CtaId cta) {
  return std::make_unique<Cta>(*this, lists_[cta.value]);
}

GpuRig::GpuRig(const std::string& preset, const std::vector<std::string>& sets,
               const BuildOptions& build)
    : config_(resolve_config(preset, sets)) {
  SystemOptions options;
  options.check_protocol = build.check_protocol;
  options.keep_replicas = build.keep_replicas;
  options.allocated = [](std::uint64_t) { return true; };
  system_ = std::make_unique<System>(config_.gpu, pool_, options);
  system_->register_statistics(registry_);
}

std::uint64_t GpuRig::run(KernelProgram& kernel) {
  const std::uint64_t before = system_->dispatcher().stats().busy_cycles;
  bool done = false;
  std::exception_ptr error;
  system_->dispatcher().launch({kernel, [&](const KernelEnd& e) {
                                  done = true;
                                  error = e.error;
                                  sc_core::sc_pause();
                                }});
  while (!done) sc_core::sc_start();
  if (error) std::rethrow_exception(error);
  return system_->dispatcher().stats().busy_cycles - before;
}

std::uint64_t GpuRig::load_cycles() const {
  std::uint64_t sum = 0;
  for (const Block* b : system_->blocks()) {
    const auto* sm = dynamic_cast<const SmCluster*>(b);
    if (sm != nullptr) sum += sm->memory_stats().load_latency.sum();
  }
  return sum;
}

std::uint64_t GpuRig::loads() const {
  std::uint64_t sum = 0;
  for (const Block* b : system_->blocks()) {
    const auto* sm = dynamic_cast<const SmCluster*>(b);
    if (sm != nullptr) sum += sm->memory_stats().load_latency.count();
  }
  return sum;
}

double GpuRig::value(const std::string& module, const std::string& statistic,
                     const char* field) const {
  const auto value =
      registry_.to_json().at(system_->plan().shared_scope().name + "." + module).at(statistic);
  return (field == nullptr ? value : value.at(field)).get<double>();
}

std::uint64_t GpuRig::cycles_of(const std::vector<ListAccess>& accesses, std::uint32_t sm,
                                bool read_only) {
  const std::uint64_t before = load_cycles();
  const std::uint64_t count = loads();
  // One CTA an SM; the others have nothing to do.
  std::vector<std::vector<ListAccess>> lists(config().system.sms);
  lists[sm] = accesses;
  ListKernel kernel(std::move(lists), true, read_only);
  run(kernel);
  const auto wanted = std::count_if(accesses.begin(), accesses.end(), [](const ListAccess& a) {
    return a.kind == AccessKind::kLoad;
  });
  if (loads() != count + static_cast<std::uint64_t>(wanted)) {
    throw std::logic_error("other loads than those of the list");
  }
  return load_cycles() - before;
}

}  // namespace tessera::test
