// SPDX-License-Identifier: Apache-2.0
#pragma once

// A kernel that is no PTX: a KernelSource of a few lines, made from the program interfaces.

#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "common/error.h"
#include "stimuli/kernel_source.h"

namespace tessera::test {

/// Each CTA is one warp that stores to element [CTA][lane] of `out` its CTA's number and its SM's.
class WhoRanProgram final : public KernelProgram {
 public:
  WhoRanProgram(const LaunchRequest& r, FlatMemory* flat)
      : name_(r.kernel), grid_(r.grid), flat_(flat) {
    std::memcpy(&out_, r.arguments.at(0).bytes.data(), sizeof out_);
    store_.unit = Unit::kMemory;
    exit_.unit = Unit::kExit;
  }
  static std::uint32_t value(std::uint32_t cta, std::uint32_t sm) { return cta << 8 | sm; }

  const std::string& name() const override { return name_; }
  Dim3 grid() const override { return grid_; }
  Dim3 block() const override { return {kWarpLanes, 1, 1}; }
  CtaResources resources() const override { return {kWarpLanes, 16, 0}; }
  unsigned register_names() const override { return 1; }
  std::unique_ptr<CtaProgram> start_cta(CtaId cta) override {
    return std::make_unique<Cta>(*this, cta.value);
  }

 private:
  class Cta final : public CtaProgram, private WarpProgram {
   public:
    Cta(WhoRanProgram& kernel, std::uint32_t cta) : kernel_(kernel), cta_(cta) {}
    unsigned warp_count() const override { return 1; }
    WarpProgram& warp(unsigned) override { return *this; }
    unsigned warp_threads(unsigned) const override { return kWarpLanes; }

   private:
    const OpInfo& next() const override { return stored_ ? kernel_.exit_ : kernel_.store_; }
    void issue(const IssueContext& context, IssueResult& result) override {
      result.active = ~std::uint32_t{0};
      if (stored_) {
        result.kind = IssueResult::Kind::kExit;
        result.warp_done = true;
        return;
      }
      stored_ = true;
      result.kind = IssueResult::Kind::kMemory;
      MemoryOp& m = result.memory;
      m.kind = AccessKind::kStore;
      m.space = Space::kGlobal;
      m.lane_bytes = 4;
      m.active = result.active;
      m.values_done = kernel_.flat_ != nullptr;
      const std::uint32_t what = value(cta_, context.sm);
      for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
        m.address[lane] = kernel_.out_ + (std::uint64_t{cta_} * kWarpLanes + lane) * 4;
        std::memcpy(m.data.data() + lane * kMaxLaneBytes, &what, 4);
        if (kernel_.flat_ != nullptr) kernel_.flat_->write(m.address[lane], &what, 4);
      }
    }
    void complete(const AccessEnd&, const std::byte*) override {}

    WhoRanProgram& kernel_;
    std::uint32_t cta_;
    bool stored_ = false;
  };

  std::string name_;
  Dim3 grid_;
  FlatMemory* flat_;
  Address out_ = 0;
  OpInfo store_;
  OpInfo exit_;
};

/// Kernel "who_ran"(out).
class WhoRanSource final : public KernelSource {
 public:
  const KernelFacts& facts(const std::string& kernel) override {
    if (kernel != "who_ran") throw InputError("there is no kernel '" + kernel + "'");
    return facts_;
  }
  std::unique_ptr<KernelProgram> make(const LaunchRequest& request,
                                      const LaunchEnvironment& environment) override {
    return std::make_unique<WhoRanProgram>(request, environment.flat);
  }

 private:
  const KernelFacts facts_{{{"out", 0, 8}}, 8};
};

/// Of `ctas` CTAs, to one array.
inline LaunchRequest who_ran(std::shared_ptr<KernelSource> source, std::uint32_t ctas,
                             Address out) {
  LaunchRequest r;
  r.source = std::move(source);
  r.kernel = "who_ran";
  r.grid = {ctas, 1, 1};
  r.block = {kWarpLanes, 1, 1};
  r.arguments = {KernelArgument::of(out)};
  return r;
}

}  // namespace tessera::test
