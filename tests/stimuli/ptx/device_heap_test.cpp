// SPDX-License-Identifier: Apache-2.0
// malloc and free in device code, called as nvcc 13 calls them, and the heap behind them.

#include "stimuli/ptx/device_heap.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "common/error.h"
#include "stimuli/ptx/read_only.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::device_heap_test {

using tessera::ptx::DeviceHeap;
using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

constexpr const char* kDeclarations =
    ".extern .func (.param .b64 func_retval0) malloc\n(\n.param .b64 malloc_param_0\n)\n;\n"
    ".extern .func free\n(\n.param .b64 free_param_0\n)\n;\n";

/// %rd`to` = malloc(%rd`bytes`)
std::string malloc_text(int to, int bytes) {
  return "{\n.reg .b32 temp_param_reg;\n.param .b64 param0;\nst.param.b64 [param0+0], %rd" +
         std::to_string(bytes) +
         ";\n.param .b64 retval0;\ncall.uni (retval0),\nmalloc,\n(\nparam0\n);\n"
         "ld.param.b64 %rd" +
         std::to_string(to) + ", [retval0+0];\n}\n";
}
std::string free_text(int what) {
  return "{\n.reg .b32 temp_param_reg;\n.param .b64 param0;\nst.param.b64 [param0+0], %rd" +
         std::to_string(what) + ";\ncall.uni\nfree,\n(\nparam0\n);\n}\n";
}

/// A runner with a heap of that many bytes.
struct HeapRunner {
  explicit HeapRunner(const std::string& body, std::uint64_t bytes = 4096)
      : runner(kernel_text(body, kDeclarations)),
        begin(runner.allocations.allocate(DeviceHeap::kName, bytes).begin),
        heap(begin, bytes) {
    runner.heap = &heap;
  }
  KernelRunner runner;
  Address begin;
  DeviceHeap heap;
};

}  // namespace

TEST_CASE("each thread has a block of its own, which it can write and read") {
  // 4 * (tid + 1) bytes, filled with the thread's index, read back through the pointer.
  HeapRunner h("add.u32 %r1, %r0, 1;\nmul.wide.u32 %rd3, %r1, 4;\n" + malloc_text(4, 3) +
                   "cvta.to.global.u64 %rd5, %rd4;\nmul.wide.u32 %rd6, %r0, 4;\n"
                   "add.u64 %rd5, %rd5, %rd6;\nst.global.u32 [%rd5], %r0;\nld.u32 %r2, [%rd5];\n"
                   "cvt.u64.u32 %rd7, %r2;\nshl.b64 %rd7, %rd7, 32;\nsub.u64 %rd8, %rd4, " +
                   std::to_string(Address{1} << 32) +
                   ";\nor.b64 %rd7, %rd7, %rd8;\nst.global.u64 [%rd1], %rd7;\n",
               65536);
  h.runner.run({64, 1, 1});
  Address expected = h.begin;
  for (unsigned i = 0; i < 64; ++i) {
    const auto v = h.runner.result<std::uint64_t>(i);
    CHECK(v >> 32 == i);
    const Address at = (v & 0xffffffff) + (Address{1} << 32);
    CHECK(at % 16 == 0);
    // First fit in the order of lanes, each rounded up to 16 bytes.
    CHECK(at == expected);
    expected += (4 * (i + 1) + 15) / 16 * 16;
  }
  CHECK(h.heap.used() == expected - h.begin);
}

TEST_CASE("an exhausted heap gives NULL, and free gives the bytes back") {
  HeapRunner h("mov.u64 %rd3, 1024;\n" + malloc_text(4, 3) + "st.global.u64 [%rd1], %rd4;\n");
  h.runner.run({8, 1, 1});
  for (unsigned i = 0; i < 8; ++i) {
    CHECK(h.runner.result<std::uint64_t>(i) == (i < 4 ? h.begin + 1024 * i : 0));
  }
  // The heap lasts over launches.
  h.runner.run({1, 1, 1});
  CHECK(h.runner.result<std::uint64_t>(0) == 0);
  CHECK(h.heap.release(h.begin + 2048));
  h.runner.run({1, 1, 1});
  CHECK(h.runner.result<std::uint64_t>(0) == h.begin + 2048);
}

TEST_CASE("malloc and free again and again take no more than one block a thread") {
  HeapRunner h("mov.u64 %rd3, 100;\nmov.u32 %r1, 0;\nLOOP:\n" + malloc_text(4, 3) +
               "st.u32 [%rd4+96], %r1;\n" + free_text(4) +
               "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 50;\n@%p1 bra LOOP;\n"
               "mov.u64 %rd4, 0;\n" +
               free_text(4) + "st.global.u64 [%rd1], %rd4;\n");
  h.runner.run({32, 1, 1}, {3, 1, 1});
  CHECK(h.heap.used() == 0);
  CHECK(h.heap.allocate(4096) == h.begin);  // one piece again
}

TEST_CASE("free of what malloc did not give, or twice, is an error") {
  HeapRunner wrong("add.u64 %rd4, %rd2, 8;\n" + free_text(4));
  CHECK_THROWS_WITH(wrong.runner.run(), Catch::Contains("malloc gave no block that begins there") &&
                                            Catch::Contains("test.ptx:"));
  HeapRunner twice("mov.u64 %rd3, 8;\n" + malloc_text(4, 3) + free_text(4) + free_text(4));
  CHECK_THROWS_WITH(twice.runner.run(), Catch::Contains("or it has been freed already"));
  HeapRunner over("mov.u64 %rd3, 8;\n" + malloc_text(4, 3) + "ld.global.u32 %r1, [%rd4+4096];\n");
  CHECK_THROWS_WITH(over.runner.run(), Catch::Contains("device heap"));
  KernelRunner none(kernel_text("mov.u64 %rd3, 8;\n" + malloc_text(4, 3), kDeclarations));
  CHECK_THROWS_WITH(none.run(), Catch::Contains("this device has no heap"));
}

TEST_CASE("a store through a block of malloc may be to anything, for the read-only pass") {
  const auto module =
      tessera::ptx::parse(kernel_text("ld.global.u32 %r1, [%rd2];\nmov.u64 %rd3, 8;\n" +
                                          malloc_text(4, 3) + "st.global.u32 [%rd4], %r1;\n",
                                      kDeclarations),
                          "test.ptx");
  const auto report = tessera::ptx::find_read_only(module, "k");
  CHECK(report.marked_loads == 0);
}

TEST_CASE("the heap never hands out a byte twice") {
  constexpr std::uint64_t kBytes = 8192;
  DeviceHeap heap(1 << 20, kBytes);
  std::vector<bool> used(kBytes);
  std::map<Address, std::uint64_t> live;
  std::mt19937 random(3);
  for (unsigned step = 0; step < 20000; ++step) {
    if (random() % 2 == 0) {
      const std::uint64_t bytes = random() % 600;
      const Address a = heap.allocate(bytes);
      const std::uint64_t rounded = std::max<std::uint64_t>(16, (bytes + 15) / 16 * 16);
      if (a == 0) {
        // There is really no gap of that size.
        std::uint64_t run = 0;
        std::uint64_t longest = 0;
        for (std::uint64_t i = 0; i < kBytes; ++i) {
          run = used[i] ? 0 : run + 1;
          longest = std::max(longest, run);
        }
        REQUIRE(longest < rounded);
        continue;
      }
      REQUIRE(a % 16 == 0);
      bool twice = false;
      for (std::uint64_t i = 0; i < rounded; ++i) {
        twice = twice || used[a - (1 << 20) + i];
        used[a - (1 << 20) + i] = true;
      }
      REQUIRE_FALSE(twice);
      live[a] = rounded;
    } else if (!live.empty()) {
      const auto it = std::next(live.begin(), static_cast<long>(random() % live.size()));
      REQUIRE_FALSE(heap.release(it->first + 1));
      REQUIRE(heap.release(it->first));
      for (std::uint64_t i = 0; i < it->second; ++i) used[it->first - (1 << 20) + i] = false;
      live.erase(it);
    }
  }
  CHECK(heap.allocate(~std::uint64_t{0}) == 0);
}

}  // namespace tessera::device_heap_test
