// SPDX-License-Identifier: Apache-2.0
#include "bench/stream_kernel.h"

namespace tessera::bench {

class StreamKernel::Warp final : public WarpProgram {
 public:
  Warp(const StreamKernel& kernel, Address first)
      : kernel_(kernel), address_(first), left_(kernel.config_.loads_per_warp) {}

  const OpInfo& next() const override {
    return left_ == 0 ? kernel_.exit_ : kernel_.loads_[left_ % kDestinations];
  }

  void issue(const IssueContext&, IssueResult& result) override {
    result.active = ~std::uint32_t{0};
    if (left_ == 0) {
      result.kind = IssueResult::Kind::kExit;
      result.warp_done = true;
      return;
    }
    result.kind = IssueResult::Kind::kMemory;
    MemoryOp& m = result.memory;
    m.kind = AccessKind::kLoad;
    m.space = Space::kGlobal;
    m.scope = CacheScope::kL1;
    m.read_only = true;
    m.lane_bytes = 4;
    m.values_done = true;
    m.active = ~std::uint32_t{0};
    m.pc = 0;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) m.address[lane] = address_ + lane * 4;
    address_ += kLine;
    --left_;
  }

  void complete(const AccessEnd&, const std::byte*) override {}

 private:
  const StreamKernel& kernel_;
  Address address_;
  std::uint32_t left_;
};

class StreamKernel::Cta final : public CtaProgram {
 public:
  Cta(const StreamKernel& kernel, CtaId id) {
    const StreamConfig& c = kernel.config_;
    for (std::uint32_t w = 0; w < c.warps_per_cta; ++w) {
      const std::uint64_t first =
          (std::uint64_t{id.value} * c.warps_per_cta + w) * c.loads_per_warp;
      warps_.push_back(std::make_unique<Warp>(kernel, c.base + first * kLine));
    }
  }
  unsigned warp_count() const override { return static_cast<unsigned>(warps_.size()); }
  WarpProgram& warp(unsigned index) override { return *warps_[index]; }
  unsigned warp_threads(unsigned) const override { return kWarpLanes; }

 private:
  std::vector<std::unique_ptr<Warp>> warps_;
};

StreamKernel::StreamKernel(const StreamConfig& config) : config_(config) {
  for (unsigned i = 0; i < kDestinations; ++i) {
    loads_[i].unit = Unit::kMemory;
    loads_[i].write_count = 1;
    loads_[i].registers[0] = static_cast<std::uint16_t>(i);
  }
  exit_.unit = Unit::kExit;
}

CtaResources StreamKernel::resources() const { return {config_.warps_per_cta * kWarpLanes, 16, 0}; }

std::unique_ptr<CtaProgram> StreamKernel::start_cta(CtaId cta) {
  return std::make_unique<Cta>(*this, cta);
}

}  // namespace tessera::bench
