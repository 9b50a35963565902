// SPDX-License-Identifier: Apache-2.0
// Requests and bytes that leave their node, on a strided kernel and on one whose rows are shared,
// against counts by hand: with LASP, the compulsory ones only.
#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "stimuli/ptx/module.h"
#include "stimuli/runner/module_loader.h"

namespace tessera::placement_bytes_test {

namespace {

using Sets = std::vector<std::string>;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLine = 128;
constexpr std::uint64_t kNodes = 4;  ///< of numa-4x4-small: 2 GPUs of 2 chiplets
/// Bytes between GPUs of a read of a line and of a store of a line, with both headers.
constexpr std::uint64_t kReadBytes = 12 + 4 + kLine;
constexpr std::uint64_t kStoreBytes = 12 + kLine + 4;

const Sets kKernelWide = {"system.page_placement=kernel-wide", "dispatch.scheduler=kernel-wide"};
const Sets kCoda = {"dispatch.planner=coda", "launch_planner.coda.hierarchical=true"};
const Sets kFlatCoda = {"dispatch.planner=coda"};
const Sets kLasp = {"dispatch.planner=lasp"};

/// Requests that leave their node, and the bytes between GPUs.
struct Traffic {
  std::uint64_t to_chiplets = 0;  ///< requests to the other chiplet of the GPU
  std::uint64_t to_gpus = 0;      ///< requests to another GPU
  std::uint64_t gpu_bytes = 0;
  double local_fraction = 0;  ///< of the L1 misses of loads, served in their own partition
};

Traffic run(const std::string& platform, const Sets& sets, Workload& workload) {
  Simulation simulation(resolve_config(platform, sets), {true});
  RunOptions options;
  options.values = ValueMode::kCarried;
  const RunResult r = simulation.run(workload, options);
  INFO(r.failure.value_or(""));
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  Traffic t;
  for (const auto& [name, statistics] : r.stats["modules"].items()) {
    if (name.find(".ring") != std::string::npos) {
      t.to_chiplets += statistics["request_packets"].get<std::uint64_t>();
    }
    if (name.find(".rdma") != std::string::npos) {
      t.to_gpus += statistics["requests_out"].get<std::uint64_t>();
    }
  }
  t.gpu_bytes = static_cast<std::uint64_t>(r.stats["derived"]["inter_gpu_bytes"].get<double>());
  t.local_fraction = r.stats["derived"]["l1_miss_local_fraction"].get<double>();
  return t;
}

Traffic run(const Sets& sets, Workload& workload) { return run("numa-4x4-small", sets, workload); }

/// A workload of one kernel.
class OneKernel : public Workload {
 public:
  OneKernel(std::string name, std::string ptx)
      : ptx_(std::move(ptx)), info_{std::move(name), "", "", true} {}
  const WorkloadInfo& info() const override { return info_; }

 protected:
  void launch(Device& device, Dim3 grid, Dim3 block, std::vector<KernelArgument> arguments) {
    const ptx::Module module = ptx::parse(ptx_, info_.name + ".ptx");
    const auto loader = kernels::ModuleLoader::make(device);
    LaunchRequest r;
    r.source = loader->source(module);
    r.kernel = info_.name;
    r.grid = grid;
    r.block = block;
    r.arguments = std::move(arguments);
    device.launch(r);
  }
  static Address upload(Device& device, const char* name,
                        const std::vector<std::uint32_t>& values) {
    const Address at = device.allocate(name, 4 * values.size());
    device.write(at, values.data(), 4 * values.size());
    return at;
  }
  static Verification compare(Device& device, Address at,
                              const std::vector<std::uint32_t>& expected) {
    Verification v;
    std::vector<std::uint32_t> got(expected.size());
    device.read(got.data(), at, 4 * got.size());
    for (std::size_t i = 0; i < got.size(); ++i) v.wrong += got[i] == expected[i] ? 0 : 1;
    v.compared = got.size();
    v.passed = v.wrong == 0;
    return v;
  }

 private:
  const std::string ptx_;
  const WorkloadInfo info_;
};

/// c = a + b. Each thread strides over the arrays by the size of the grid.
class Strided final : public OneKernel {
 public:
  static constexpr std::uint64_t kArrays = 3;

  Strided(std::uint32_t ctas, std::uint32_t threads, std::uint32_t strides)
      : OneKernel("strided", R"(
.version 6.0
.target sm_70
.address_size 64
.visible .entry strided(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<12>;
  .reg .b64 %d<8>;
  ld.param.u64 %d0, [a];
  ld.param.u64 %d1, [b];
  ld.param.u64 %d2, [c];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mov.u32 %r5, %nctaid.x;
  mul.lo.s32 %r6, %r5, %r2;
LOOP:
  setp.ge.s32 %p, %r4, %r0;
  @%p bra DONE;
  mul.wide.s32 %d3, %r4, 4;
  add.s64 %d4, %d0, %d3;
  add.s64 %d5, %d1, %d3;
  add.s64 %d6, %d2, %d3;
  ld.global.u32 %r7, [%d4];
  ld.global.u32 %r8, [%d5];
  add.s32 %r9, %r7, %r8;
  st.global.u32 [%d6], %r9;
  add.s32 %r4, %r4, %r6;
  bra LOOP;
DONE:
  ret;
}
)"),
        ctas_(ctas),
        threads_(threads),
        elements_(ctas * threads * strides) {}

  void run(Device& device, Scale, std::uint64_t) override {
    std::vector<std::uint32_t> a(elements_);
    std::iota(a.begin(), a.end(), 1);
    const std::vector<std::uint32_t> b(elements_, 7);
    const Address in_a = upload(device, "a", a);
    const Address in_b = upload(device, "b", b);
    out_ = device.allocate("c", 4 * std::uint64_t{elements_});
    launch(device, {ctas_, 1, 1}, {threads_, 1, 1},
           {KernelArgument::of(in_a), KernelArgument::of(in_b), KernelArgument::of(out_),
            KernelArgument::of(elements_)});
  }
  std::optional<Verification> verify(Device& device) override {
    std::vector<std::uint32_t> sum(elements_);
    std::iota(sum.begin(), sum.end(), 8);
    return compare(device, out_, sum);
  }

 private:
  const std::uint32_t ctas_;
  const std::uint32_t threads_;
  const std::uint32_t elements_;
  Address out_ = 0;
};

// 72 CTAs whose datablocks of 512 bytes are an eighth of a page: a stride is 9 pages, no multiple
// of the nodes. 4 strides.
constexpr std::uint64_t kCtas = 72;
constexpr std::uint64_t kStrides = 4;
constexpr std::uint64_t kDatablockLines = 4;
constexpr std::uint64_t kCtasOfPage = 8;

Strided strided() { return {kCtas, 128, kStrides}; }

/// Datablocks of one array that are not on their CTA's node: on its GPU, and on another.
struct Displaced {
  std::uint64_t on_gpu = 0;
  std::uint64_t elsewhere = 0;
};

/// `node_of_cta(cta)`, `node_of_page(page)`: of 36 pages.
template <class NodeOfCta, class NodeOfPage>
Displaced displaced(NodeOfCta node_of_cta, NodeOfPage node_of_page) {
  Displaced d;
  for (std::uint64_t i = 0; i < kCtas * kStrides; ++i) {
    const std::uint64_t runs = node_of_cta(i % kCtas);
    const std::uint64_t lies = node_of_page(i / kCtasOfPage);
    if (runs == lies) continue;
    ++(runs / 2 == lies / 2 ? d.on_gpu : d.elsewhere);
  }
  return d;
}

/// Two loads and a store of each displaced line; nothing is used twice.
void check_strided(const Traffic& t, const Displaced& d) {
  CHECK(t.to_chiplets == d.on_gpu * kDatablockLines * Strided::kArrays);
  CHECK(t.to_gpus == d.elsewhere * kDatablockLines * Strided::kArrays);
  CHECK(t.gpu_bytes == d.elsewhere * kDatablockLines * (2 * kReadBytes + kStoreBytes));
}

}  // namespace

TEST_CASE("strided kernel: no request leaves its node with lasp, the analytic minimum") {
  Strided workload = strided();
  const Traffic t = run(kLasp, workload);
  CHECK(t.to_chiplets == 0);
  CHECK(t.to_gpus == 0);
  CHECK(t.gpu_bytes == 0);
  CHECK(t.local_fraction == 1.0);
}

TEST_CASE("strided kernel: kernel-wide has a stride's data on one node, 3 of 4 accesses leave") {
  // Each node has 18 CTAs and 9 pages, which are one stride of all CTAs.
  const Displaced d = displaced([](std::uint64_t cta) { return cta / 18; },
                                [](std::uint64_t page) { return page / 9; });
  CHECK(d.on_gpu == kCtas * kStrides / 4);
  CHECK(d.elsewhere == kCtas * kStrides / 2);
  Strided workload = strided();
  check_strided(run(kKernelWide, workload), d);
}

TEST_CASE("strided kernel: coda aligns the first stride only, 3 of 4 accesses leave") {
  // A batch fills a page. Page 9 s + b belongs to batch b, and is dealt to node (s + b) % 4.
  const Displaced d = displaced([](std::uint64_t cta) { return cta / kCtasOfPage % kNodes; },
                                [](std::uint64_t page) { return page % kNodes; });
  CHECK(d.on_gpu + d.elsewhere == kCtas * kStrides * 3 / 4);
  Strided workload = strided();
  check_strided(run(kFlatCoda, workload), d);
}

TEST_CASE("strided kernel: with coda in the hierarchy, accesses of displaced pages leave") {
  // GPU 0 has batches 0 to 4 and pages 0 to 17, dealt to its chiplets in turn.
  const Displaced d = displaced(
      [](std::uint64_t cta) {
        const std::uint64_t batch = cta / kCtasOfPage;
        return batch < 5 ? batch % 2 : 2 + (batch - 5) % 2;
      },
      [](std::uint64_t page) { return page < 18 ? page % 2 : 2 + (page - 18) % 2; });
  Strided workload = strided();
  check_strided(run(kCoda, workload), d);
}

namespace {

/// Figure 3: 2 nodes, 2 CTAs and 4 datablocks of a page. Each CTA strides over 2 datablocks.
double local_fraction_of_figure_3(const Sets& sets) {
  Sets all = {"system.channels=2", "system.sms=4"};
  all.insert(all.end(), sets.begin(), sets.end());
  Strided workload(2, kPage / 4, 2);
  return run("nuba-norep-small", all, workload).local_fraction;
}

}  // namespace

TEST_CASE("figure 3: kernel-wide serves half of the accesses in their node") {
  CHECK(local_fraction_of_figure_3(kKernelWide) == 0.5);
}

TEST_CASE("figure 3: lasp serves all accesses in their node") {
  CHECK(local_fraction_of_figure_3(kLasp) == 1.0);
}

namespace {

constexpr std::uint32_t kGridX = 32;
constexpr std::uint32_t kGridY = 8;
constexpr std::uint32_t kWidth = 2048;  ///< words of a row of a, two pages; and of x

/// Row by row of the grid, the sums of a[row][i] * x[i]: each CTA of a grid row computes the same
/// sums by lanes, and stores them to a line of its own. x is read by all CTAs.
class SharedRows final : public OneKernel {
 public:
  SharedRows()
      : OneKernel("rows", R"(
.version 6.0
.target sm_70
.address_size 64
.visible .entry rows(.param .u64 a, .param .u64 x, .param .u64 y, .param .u32 width)
{
  .reg .pred %p;
  .reg .b32 %r<20>;
  .reg .b64 %d<10>;
  ld.param.u64 %d0, [a];
  ld.param.u64 %d1, [x];
  ld.param.u64 %d2, [y];
  ld.param.u32 %r0, [width];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ctaid.y;
  mov.u32 %r3, %tid.x;
  shl.b32 %r4, %r3, 2;
  mul.lo.s32 %r5, %r2, %r0;
  mov.u32 %r6, 0;
LOOP:
  add.s32 %r7, %r5, %r4;
  mul.wide.s32 %d3, %r7, 4;
  add.s64 %d4, %d0, %d3;
  mul.wide.s32 %d5, %r4, 4;
  add.s64 %d6, %d1, %d5;
  ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%d4];
  ld.global.v4.u32 {%r12, %r13, %r14, %r15}, [%d6];
  mad.lo.s32 %r6, %r8, %r12, %r6;
  mad.lo.s32 %r6, %r9, %r13, %r6;
  mad.lo.s32 %r6, %r10, %r14, %r6;
  mad.lo.s32 %r6, %r11, %r15, %r6;
  add.s32 %r4, %r4, 128;
  setp.lt.s32 %p, %r4, %r0;
  @%p bra LOOP;
  mov.u32 %r16, %nctaid.x;
  mad.lo.s32 %r17, %r2, %r16, %r1;
  shl.b32 %r17, %r17, 5;
  add.s32 %r17, %r17, %r3;
  mul.wide.s32 %d7, %r17, 4;
  add.s64 %d8, %d2, %d7;
  st.global.u32 [%d8], %r6;
  ret;
}
)") {}

  void run(Device& device, Scale, std::uint64_t) override {
    std::vector<std::uint32_t> a(std::size_t{kGridY} * kWidth);
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] = static_cast<std::uint32_t>(i % 13 + i / kWidth);
    std::vector<std::uint32_t> x(kWidth);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint32_t>(i % 5);
    for (std::size_t cta = 0; cta < std::size_t{kGridX} * kGridY; ++cta) {
      for (std::size_t lane = 0; lane < 32; ++lane) {
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < kWidth; ++i) {
          if (i / 4 % 32 == lane) sum += a[cta / kGridX * kWidth + i] * x[i];
        }
        sums_.push_back(sum);
      }
    }
    const Address in_a = upload(device, "a", a);
    const Address in_x = upload(device, "x", x);
    out_ = device.allocate("y", 4 * sums_.size());
    launch(device, {kGridX, kGridY, 1}, {32, 1, 1},
           {KernelArgument::of(in_a), KernelArgument::of(in_x), KernelArgument::of(out_),
            KernelArgument::of(kWidth)});
  }
  std::optional<Verification> verify(Device& device) override {
    return compare(device, out_, sums_);
  }

 private:
  std::vector<std::uint32_t> sums_;
  Address out_ = 0;
};

constexpr std::uint64_t kLinesOfX = kWidth * 4 / kLine;
constexpr std::uint64_t kLinesOfA = kGridY * kLinesOfX;
constexpr std::uint64_t kLinesOfY = kGridX * kGridY;

/// x is used by all CTAs, and each of its lines has one home: each of the other nodes fetches it
/// once, one on the home's GPU and two on the other. No placement has less.
constexpr std::uint64_t kCompulsoryToChiplets = kLinesOfX;
constexpr std::uint64_t kCompulsoryToGpus = 2 * kLinesOfX;

}  // namespace

TEST_CASE("shared rows: with lasp, each chiplet fetches the vector once and nothing else") {
  // A grid row's two pages of a and its page of y are where the row runs.
  SharedRows workload;
  const Traffic t = run(kLasp, workload);
  CHECK(t.to_chiplets == kCompulsoryToChiplets);
  CHECK(t.to_gpus == kCompulsoryToGpus);
  CHECK(t.gpu_bytes == kCompulsoryToGpus * kReadBytes);
}

TEST_CASE("shared rows: kernel-wide is as good, because rows and grid are cut alike") {
  SharedRows workload;
  const Traffic t = run(kKernelWide, workload);
  CHECK(t.to_chiplets == kCompulsoryToChiplets);
  CHECK(t.gpu_bytes == kCompulsoryToGpus * kReadBytes);
}

TEST_CASE("shared rows: coda deals a row's CTAs and pages to all nodes, which fetch it too") {
  // Batches of 8 CTAs fill a page of a: a grid row runs on all four nodes, which all read the
  // row's two pages. Each line has three other readers. Page r of y has the line of each CTA of
  // row r; batch q of the row runs on node q: 24 of its 32 CTAs store elsewhere.
  SharedRows workload;
  const Traffic t = run(kFlatCoda, workload);
  CHECK(t.to_chiplets == kCompulsoryToChiplets + kLinesOfA + kLinesOfY / 4);
  CHECK(t.to_gpus == kCompulsoryToGpus + 2 * kLinesOfA + kLinesOfY / 2);
  CHECK(t.gpu_bytes ==
        (kCompulsoryToGpus + 2 * kLinesOfA) * kReadBytes + kLinesOfY / 2 * kStoreBytes);
}

TEST_CASE("shared rows: with coda in the hierarchy, a row's readers are on one GPU") {
  // Batches and pages of a row are on one GPU; its two chiplets read both pages.
  SharedRows workload;
  const Traffic t = run(kCoda, workload);
  CHECK(t.to_chiplets == kCompulsoryToChiplets + kLinesOfA + kLinesOfY / 2);
  CHECK(t.gpu_bytes == kCompulsoryToGpus * kReadBytes);
}

}  // namespace tessera::placement_bytes_test
