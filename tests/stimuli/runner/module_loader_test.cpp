// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/module_loader.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "common/error.h"
#include "stimuli/ptx/module.h"
#include "stimuli/runner/functional_device.h"

namespace tessera::module_loader_test {

namespace {

using kernels::FunctionalDevice;
using kernels::ModuleLoader;

constexpr const char* kPtx = R"(.version 6.0
.target sm_70
.address_size 64
.global .align 4 .u32 counter = 5;
.const .align 4 .b32 table[4] = {10, 20, 30};
.global .align 8 .u64 pointer = counter;
.visible .entry bump(.param .u64 out)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.u64 %rd3, [pointer];
  ld.global.u32 %r1, [%rd3];
  ld.const.u32 %r2, [table+8];
  add.s32 %r3, %r1, %r2;
  st.global.u32 [%rd2], %r3;
  add.s32 %r4, %r1, 1;
  st.global.u32 [counter], %r4;
  ret;
}
)";

template <class T>
T read(Device& device, Address at) {
  T out{};
  device.read(&out, at, sizeof out);
  return out;
}

LaunchRequest request_for(const std::shared_ptr<KernelSource>& source, Address out) {
  LaunchRequest request;
  request.source = source;
  request.kernel = "bump";
  request.arguments = {KernelArgument::of(out)};
  return request;
}

}  // namespace

TEST_CASE("module variables are placed once, initialised, and kept between launches") {
  FunctionalDevice device;
  const ptx::Module module = ptx::parse(kPtx, "dir/vars.ptx");
  const auto source = ModuleLoader::make(device)->source(module);
  const Address out = device.allocate("out", 4);
  device.launch(request_for(source, out));
  CHECK(read<std::uint32_t>(device, out) == 5 + 30);
  device.launch(request_for(source, out));
  CHECK(read<std::uint32_t>(device, out) == 6 + 30);

  const Allocation* counter = device.allocations().find("vars::counter");
  REQUIRE(counter != nullptr);
  CHECK(read<std::uint32_t>(device, counter->begin) == 7);
  const Allocation* pointer = device.allocations().find("vars::pointer");
  REQUIRE(pointer != nullptr);
  CHECK(read<std::uint64_t>(device, pointer->begin) == counter->begin);
  const Allocation* table = device.allocations().find("vars::table");
  REQUIRE(table != nullptr);
  CHECK(table->bytes == 16);
  CHECK(read<std::uint32_t>(device, table->begin + 12) == 0);
}

TEST_CASE("two modules from files of one name get variables of their own") {
  FunctionalDevice device;
  const ptx::Module one = ptx::parse(kPtx, "a/vars.ptx");
  const ptx::Module two = ptx::parse(kPtx, "b/vars.ptx");
  const auto loader = ModuleLoader::make(device);
  const Address out = device.allocate("out", 4);
  device.launch(request_for(loader->source(one), out));
  device.launch(request_for(loader->source(two), out));
  CHECK(read<std::uint32_t>(device, out) == 5 + 30);
  CHECK(device.allocations().find("vars#2::counter") != nullptr);
}

TEST_CASE("launches that cannot be are refused") {
  FunctionalDevice device;
  const ptx::Module module = ptx::parse(kPtx, "vars.ptx");
  const auto source = ModuleLoader::make(device)->source(module);
  const Address out = device.allocate("out", 4);
  LaunchRequest request = request_for(source, out);
  request.kernel = "bumb";
  CHECK_THROWS_WITH(device.launch(request),
                    "vars.ptx: there is no kernel 'bumb'; did you mean 'bump'?");
  request = request_for(source, out);
  request.block = {1025, 1, 1};
  CHECK_THROWS_AS(device.launch(request), InputError);
  request = request_for(source, out);
  request.grid = {0, 1, 1};
  CHECK_THROWS_AS(device.launch(request), InputError);
  request = request_for(source, out);
  request.arguments.clear();
  CHECK_THROWS_AS(device.launch(request), InputError);
  request = request_for(source, out);
  request.source = nullptr;
  CHECK_THROWS_WITH(device.launch(request), "kernel 'bump': the launch names no kernel source");
}

TEST_CASE("an extern variable without a definition refuses only the kernels that use it") {
  FunctionalDevice device;
  const ptx::Module module = ptx::parse(
      ".version 6.0\n.target sm_70\n.address_size 64\n.extern .global .align 4 .u32 other;\n"
      ".global .align 8 .u64 to = other;\n.global .align 4 .u32 mine = 3;\n"
      ".visible .entry k()\n{\n  ret;\n}\n"
      ".visible .entry user()\n{\n  .reg .b32 %r<2>;\n  ld.global.u32 %r1, [other];\n  ret;\n}\n"
      ".visible .entry through()\n{\n  .reg .b64 %r<2>;\n  ld.global.u64 %r1, [to];\n  ret;\n}\n",
      "x.ptx");
  const auto loader = ModuleLoader::make(device);
  LaunchRequest request;
  request.source = loader->source(module);
  request.kernel = "k";
  CHECK_NOTHROW(device.launch(request));
  for (const char* kernel : {"user", "through"}) {
    request.kernel = kernel;
    CHECK_THROWS_WITH(device.launch(request),
                      Catch::StartsWith("x.ptx:4: the variable 'other' is .extern") &&
                          Catch::EndsWith("(used by the kernel '" + std::string(kernel) + "')"));
  }
  CHECK(read<std::uint32_t>(device, loader->symbol(module, "mine")) == 3);
  CHECK_THROWS_WITH(loader->symbol(module, "other"), Catch::StartsWith("x.ptx:4: the variable"));
  CHECK_THROWS_WITH(loader->symbol(module, "min"), Catch::EndsWith("did you mean 'mine'?"));
}

TEST_CASE("host accesses stay inside allocations") {
  FunctionalDevice device;
  const Address a = device.allocate("a", 16);
  std::vector<std::byte> bytes(17);
  CHECK_NOTHROW(device.write(a, bytes.data(), 16));
  CHECK_THROWS_AS(device.write(a, bytes.data(), 17), RunError);
  CHECK_THROWS_AS(device.read(bytes.data(), a + 16, 1), RunError);
}

}  // namespace tessera::module_loader_test
