// SPDX-License-Identifier: Apache-2.0
// A kernel that filters a texture on a platform: its texels come through the L1s.

#include <catch2/catch.hpp>

#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "stimuli/ptx/module.h"
#include "stimuli/runner/module_loader.h"
#include "stimuli/workload.h"

namespace tessera::texture_run_test {

namespace {

/// Thread i of 64 a CTA writes the average of texels i and i + 1 of a row of floats, texel n being
/// n, to a surface.
class FilteredRow final : public Workload {
 public:
  static constexpr std::uint32_t kThreads = 1024;

  const WorkloadInfo& info() const override { return info_; }
  void run(Device& device, Scale, std::uint64_t) override {
    const Address image = device.allocate("image", 4 * (kThreads + 1));
    out_ = device.allocate("out", 4 * kThreads);
    std::vector<float> texels(kThreads + 1);
    for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i);
    device.write(image, texels.data(), 4 * texels.size());
    TextureDescriptor t;
    t.name = "row";
    t.dimensions = 1;
    t.base = image;
    t.width = kThreads + 1;
    t.row_bytes = t.slice_bytes = t.layer_bytes = 4 * (kThreads + 1);
    t.filter = TextureFilter::kLinear;
    const std::uint64_t texture = device.textures().add(t);
    t.base = out_;
    t.width = kThreads;
    const std::uint64_t surface = device.textures().add(t);
    LaunchRequest request;
    request.source = kernels::ModuleLoader::make(device)->source(module_);
    request.kernel = "k";
    request.grid = {kThreads / 64, 1, 1};
    request.block = {64, 1, 1};
    request.arguments = {KernelArgument::of(texture), KernelArgument::of(surface)};
    device.launch(request);
  }
  std::optional<Verification> verify(Device& device) override {
    std::vector<float> got(kThreads);
    device.read(got.data(), out_, 4 * kThreads);
    Verification v;
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      ++v.compared;
      if (got[i] != static_cast<float>(i) + 0.5f) ++v.wrong;
    }
    v.passed = v.wrong == 0;
    return v;
  }

 private:
  const ptx::Module module_ = ptx::parse(
      ".version 7.0\n.target sm_75\n.address_size 64\n"
      ".visible .entry k(.param .u64 texture, .param .u64 surface)\n{\n"
      ".reg .b32 %r<9>;\n.reg .b64 %rd<3>;\n.reg .f32 %f<9>;\n"
      "ld.param.u64 %rd1, [texture];\nld.param.u64 %rd2, [surface];\n"
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r3, %r2, 64, %r1;\n"
      "cvt.rn.f32.u32 %f1, %r3;\nadd.f32 %f1, %f1, 0f3F800000;\n"
      "tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd1, {%f1}];\n"
      "shl.b32 %r4, %r3, 2;\nmov.b32 %r5, %f2;\n"
      "sust.b.1d.b32.trap [%rd2, {%r4}], {%r5};\nret;\n}\n",
      "k.ptx");
  WorkloadInfo info_{"filtered-row", "", "", true};
  Address out_ = 0;
};

/// A counter of the L1s, summed over the SMs.
std::uint64_t l1_sum(const RunResult& r, const char* counter) {
  std::uint64_t sum = 0;
  for (const auto& [name, module] : r.stats["modules"].items()) {
    if (name.find("l1") != std::string::npos && module.contains(counter)) {
      sum += module[counter].get<std::uint64_t>();
    }
  }
  return sum;
}

/// SystemC elaborates once per process: one run a case.
void check_run(ValueMode values) {
  Simulation simulation(resolve_config("uba-mem-small", {}));
  FilteredRow workload;
  RunOptions options;
  options.values = values;
  const RunResult r = simulation.run(workload, options);
  INFO(r.failure.value_or(""));
  REQUIRE_FALSE(r.failure.has_value());
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  CHECK(r.verification->compared == FilteredRow::kThreads);
  // 32 warps of two loads: texels i are one line of 128 bytes, texels i + 1 two.
  CHECK(l1_sum(r, "loads") == 32 * 3);
  CHECK(l1_sum(r, "stores") == 32);
}

}  // namespace

TEST_CASE("texels of a filtered texture are loaded through the L1s, values carried") {
  check_run(ValueMode::kCarried);
}

TEST_CASE("texels of a filtered texture are loaded through the L1s, values functional") {
  check_run(ValueMode::kFunctional);
}

}  // namespace tessera::texture_run_test
