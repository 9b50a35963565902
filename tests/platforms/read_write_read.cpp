// SPDX-License-Identifier: Apache-2.0
#include "tests/platforms/read_write_read.h"

#include "stimuli/runner/module_loader.h"

namespace tessera::test {

/// gather: out[gid] = in[tid], of which `in` is only read; raise: in[tid] += 1000.
const char* const ReadWriteRead::kPtx = R"(.version 6.0
.target sm_70
.address_size 64
.visible .entry gather(.param .u64 p0, .param .u64 p1)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p1];
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd5, %r3, 4;
  add.s64 %rd6, %rd3, %rd5;
  mul.wide.u32 %rd7, %r4, 4;
  add.s64 %rd8, %rd4, %rd7;
  ld.global.u32 %r5, [%rd6];
  st.global.u32 [%rd8], %r5;
  ret;
}
.visible .entry raise(.param .u64 p0)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [p0];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r2, [%rd4];
  add.s32 %r3, %r2, 1000;
  st.global.u32 [%rd4], %r3;
  ret;
}
)";

void ReadWriteRead::run(Device& device, Scale, std::uint64_t) {
  constexpr std::uint64_t kPage = 4096;
  in_ = device.allocate("in", pages_ * kPage) + page_ * kPage;
  before_ = device.allocate("before", ctas_ * kThreads * 4);
  after_ = device.allocate("after", ctas_ * kThreads * 4);
  std::vector<std::uint32_t> values;
  for (std::uint32_t i = 0; i < kThreads; ++i) values.push_back(i);
  device.write(in_, values.data(), kThreads * 4);
  launch(device, "gather", ctas_, {in_, before_});
  launch(device, "raise", 1, {in_});
  launch(device, "gather", ctas_, {in_, after_});
}

std::optional<Verification> ReadWriteRead::verify(Device& device) {
  Verification v;
  std::vector<std::uint32_t> before(ctas_ * kThreads);
  std::vector<std::uint32_t> after(ctas_ * kThreads);
  device.read(before.data(), before_, before.size() * 4);
  device.read(after.data(), after_, after.size() * 4);
  for (std::uint32_t i = 0; i < before.size(); ++i) {
    v.compared += 2;
    if (before[i] != i % kThreads) ++v.wrong;
    if (after[i] != i % kThreads + 1000) ++v.wrong;
    if (after[i] == i % kThreads) ++stale_;
  }
  std::vector<std::uint32_t> in(kThreads);
  device.read(in.data(), in_, in.size() * 4);
  host_sees_old_ = in[1] == 1;
  v.passed = v.wrong == 0;
  return v;
}

void ReadWriteRead::launch(Device& device, const char* kernel, std::uint32_t ctas,
                           const std::vector<Address>& arguments) {
  LaunchRequest r;
  if (!source_) source_ = kernels::ModuleLoader::make(device)->source(module_);
  r.source = source_;
  r.kernel = kernel;
  r.grid = {ctas, 1, 1};
  r.block = {kThreads, 1, 1};
  for (const Address a : arguments) r.arguments.push_back(KernelArgument::of(a));
  device.launch(r);
}

}  // namespace tessera::test
