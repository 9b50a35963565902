// SPDX-License-Identifier: Apache-2.0
#include "tests/platforms/stream_graph.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <utility>

#include "common/error.h"
#include "common/json.h"
#include "platforms/run_result.h"
#include "stimuli/runner/module_loader.h"
#include "tests/platforms/child_process.h"

namespace tessera::test {

using nlohmann::ordered_json;

namespace {

// v = from[i * 16]; `work` times: v = v * 5 + i; to[i * 16] = v. The second kernel also has a store
// through `from` that no thread performs, so that its loads are not read-only.
std::string kernel(const std::string& name, const std::string& after_load) {
  return ".visible .entry " + name + R"(
  (.param .u64 to, .param .u64 from, .param .u32 rows, .param .u32 work)
{
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [from];
  ld.param.u32 %r1, [rows];
  ld.param.u32 %r2, [work];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r6, %r3, %r4, %r5;
  setp.ge.u32 %p1, %r6, %r1;
  @%p1 bra END;
  mul.wide.u32 %rd3, %r6, 16;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.u8 %r7, [%rd5];
)" + after_load +
         R"(LOOP:
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra STORE;
  mad.lo.s32 %r7, %r7, 5, %r6;
  sub.s32 %r2, %r2, 1;
  bra LOOP;
STORE:
  st.global.u8 [%rd4], %r7;
END:
  ret;
}
)";
}

std::string text() {
  return ".version 6.0\n.target sm_70\n.address_size 64\n" + kernel("pure", "") +
         kernel("mixed", "setp.gt.u32 %p3, %r1, 2000000000;\n@%p3 st.global.u8 [%rd5], %r6;\n");
}

}  // namespace

StreamGraph::StreamGraph(const Shape& shape)
    : shape_(shape), module_(ptx::parse(text(), "graph.ptx")), columns_(kColumns) {
  info_.name = "stream-graph";
}

void StreamGraph::run(Device& device, Scale, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](std::uint64_t n) {
    return static_cast<std::uint32_t>(random() % n);
  };
  array_ = device.allocate("columns", std::uint64_t{shape_.rows} * kColumns);
  std::vector<std::uint8_t> bytes(std::size_t{shape_.rows} * kColumns);
  for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
  device.write(array_, bytes.data(), bytes.size());
  for (std::uint32_t c = 0; c < kColumns; ++c) {
    columns_[c].values.resize(shape_.rows);
    for (std::uint32_t i = 0; i < shape_.rows; ++i) {
      columns_[c].values[i] = bytes[std::size_t{i} * kColumns + c];
    }
  }
  const auto source = kernels::ModuleLoader::make(device)->source(module_);
  for (std::uint32_t l = 0; l < shape_.launches; ++l) {
    Column& from = columns_[below(kColumns)];
    Column& to = columns_[below(kColumns)];
    // Every other launch is short, so that kernels end while others run.
    const std::uint32_t work = l % 2 == 0 ? below(4) : below(shape_.most_work);
    const auto address = [this](const Column& c) {
      return array_ + static_cast<std::uint64_t>(&c - columns_.data());
    };
    LaunchRequest request;
    request.source = source;
    request.kernel = below(2) == 0 ? "pure" : "mixed";
    request.grid = {(shape_.rows + kThreads - 1) / kThreads, 1, 1};
    request.block = {kThreads, 1, 1};
    request.arguments = {KernelArgument::of(address(to)), KernelArgument::of(address(from)),
                         KernelArgument::of(shape_.rows), KernelArgument::of(work)};
    LaunchOrder order;
    const std::uint32_t stream = below(std::uint64_t{8} * shape_.streams + 1);
    if (stream != 0) order.stream = "s" + std::to_string(stream % shape_.streams);
    order.after = to.readers;
    order.after.insert(order.after.end(), {from.writer, to.writer});
    const LaunchId launch = device.enqueue(request, order);
    from.readers.push_back(launch);
    std::vector<std::uint8_t> made(shape_.rows);
    for (std::uint32_t i = 0; i < shape_.rows; ++i) {
      std::uint32_t v = from.values[i];
      for (std::uint32_t pass = 0; pass < work; ++pass) v = v * 5 + i;
      made[i] = static_cast<std::uint8_t>(v);
    }
    to.values = std::move(made);
    to.writer = launch;
    to.readers.clear();
    // Now and then the host reads, and waits for all of them.
    if (l % 10 == 9) {
      std::uint8_t got = 0;
      device.read(&got, address(to), 1);
      CHECK(got == to.values[0]);
    }
  }
}

std::optional<Verification> StreamGraph::verify(Device& device) {
  std::vector<std::uint8_t> bytes(std::size_t{shape_.rows} * kColumns);
  device.read(bytes.data(), array_, bytes.size());
  Verification v;
  for (std::uint32_t i = 0; i < shape_.rows; ++i) {
    for (std::uint32_t c = 0; c < kColumns; ++c) {
      ++v.compared;
      if (bytes[std::size_t{i} * kColumns + c] != columns_[c].values[i]) ++v.wrong;
    }
  }
  v.passed = v.wrong == 0;
  return v;
}

std::optional<Verification> HostProgram::verify(Device& device) {
  if (!check_) return std::nullopt;
  Verification v;
  v.compared = 1;
  v.wrong = check_(device);
  v.passed = v.wrong == 0;
  return v;
}

ordered_json run_child(const ChildRun& how,
                       const std::function<std::unique_ptr<Workload>()>& make) {
  return ordered_json::parse(in_child([&] {
    ordered_json out;
    try {
      BuildOptions build = how.build;
      build.check_protocol = !build.windows;
      Simulation simulation(resolve_config(how.platform, how.sets), build);
      RunOptions options;
      options.values = how.values;
      options.seed = how.seed;
      options.window = how.window;
      const auto workload = make();
      out = simulation.run(*workload, options).stats;
      out.erase("host");
    } catch (const InputError& e) {
      out = {{"input_error", e.what()}};
    }
    return out.dump();
  }));
}

void check_verified(const ordered_json& stats) {
  INFO(stats.value("failure", stats.value("input_error", std::string())));
  CHECK(stats.value("verified", ordered_json()) == true);
}

}  // namespace tessera::test
