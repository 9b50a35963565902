// SPDX-License-Identifier: Apache-2.0
// What the read-only pass must find in the suite, read off the .cu files by hand.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "stimuli/ptx/read_only.h"
#include "stimuli/runner/functional_device.h"
#include "stimuli/runner/manifest_workload.h"
#include "stimuli/runner/module_loader.h"
#include "stimuli/workload.h"

namespace tessera::read_only_suite_test {

namespace {

using ptx::PointerUse;

constexpr PointerUse kReads = PointerUse::kReadOnly;
constexpr PointerUse kWrites = PointerUse::kWritten;
constexpr PointerUse kAdds = PointerUse::kAtomic;

struct KernelUses {
  const char* workload;
  const char* kernel;
  std::vector<PointerUse> pointers;  ///< of the pointer parameters in order
};

const std::vector<KernelUses>& suite() {
  static const std::vector<KernelUses> all = {
      {"2dconv", "conv2d", {kReads, kWrites}},
      {"2mm", "mm_naive", {kReads, kReads, kWrites}},
      {"3dconv", "conv3d_plane", {kReads, kWrites}},
      {"aes", "aes", {kWrites, kReads, kReads}},
      {"alexnet", "alexnet_first", {kReads, kReads, kReads, kWrites}},
      {"alexnet", "alexnet_pool", {kReads, kWrites}},
      {"alexnet", "alexnet_second", {kReads, kReads, kReads, kWrites}},
      {"atax", "atax_rows", {kReads, kReads, kWrites}},
      {"atax", "atax_columns", {kReads, kReads, kWrites}},
      {"backprop", "backprop_forward", {kReads, kReads, kWrites}},
      {"backprop", "backprop_adjust", {kReads, kReads, kWrites, kWrites}},
      {"barneshut",
       "barneshut_force",
       {kReads, kReads, kReads, kReads, kReads, kReads, kWrites, kWrites}},
      // level is read and written, changed only written
      {"bfs", "bfs_level", {kReads, kReads, kWrites, kWrites}},
      {"bicg", "bicg_columns", {kReads, kReads, kWrites}},
      {"bicg", "bicg_rows", {kReads, kReads, kWrites}},
      {"bitonicsort", "bitonic_pass", {kWrites}},
      {"blackscholes", "blackscholes", {kReads, kReads, kReads, kWrites, kWrites}},
      {"blackscholes", "blackscholes_float4", {kReads, kWrites, kWrites}},
      {"btree", "btree_find", {kReads, kReads, kReads, kWrites}},
      {"cfd", "cfd_initialise", {kWrites}},
      {"cfd", "cfd_step_factors", {kReads, kReads, kWrites, kWrites}},
      {"cfd", "cfd_fluxes", {kReads, kReads, kReads, kWrites}},
      {"cfd", "cfd_time_step", {kReads, kReads, kReads, kWrites}},
      {"convsep", "convsep_rows", {kReads, kWrites}},
      {"convsep", "convsep_columns", {kReads, kWrites}},
      {"dct8x8", "dct8x8", {kReads, kReads, kWrites}},
      {"dwt2d", "dwt2d", {kReads, kWrites}},
      {"fdtd2d", "fdtd_ey", {kWrites, kReads, kReads}},
      {"fdtd2d", "fdtd_ex", {kWrites, kReads}},
      {"fdtd2d", "fdtd_hz", {kReads, kReads, kWrites}},
      {"fir", "fir", {kReads, kReads, kReads, kWrites}},
      {"fir", "fir_keep", {kReads, kWrites}},
      {"floydwarshall", "floyd_pass", {kWrites, kWrites}},
      {"fwt", "fwt_pass", {kWrites}},
      {"fwt", "fwt_block", {kWrites}},
      {"gemmlayer", "gemmlayer", {kReads, kReads, kWrites}},
      {"gesummv", "gesummv", {kReads, kReads, kReads, kWrites, kWrites}},
      {"gru", "gru_step", {kReads, kReads, kReads, kReads, kWrites}},
      {"haar", "haar", {kReads, kWrites, kWrites}},
      {"histo-final", "histo_final", {kReads, kReads, kWrites}},
      {"histo-main", "histo_main", {kReads, kWrites, kAdds}},
      {"histogram", "histogram", {kReads, kAdds}},
      {"histogram256", "histogram256", {kReads, kWrites}},
      {"hotspot", "hotspot", {kReads, kReads, kWrites}},
      {"hotspot3d", "hotspot3d", {kReads, kReads, kWrites}},
      {"kmeans", "kmeans_transpose", {kReads, kWrites}},
      {"kmeans", "kmeans_assign", {kReads, kReads, kWrites}},
      {"lavamd", "lavamd", {kReads, kReads, kReads, kReads, kWrites}},
      {"lbm", "lbm_step", {kReads, kWrites}},
      {"leukocyte", "leukocyte_gicov", {kReads, kReads, kWrites}},
      {"leukocyte", "leukocyte_dilate", {kReads, kWrites}},
      {"leukocyte", "leukocyte_flow", {kReads, kWrites}},
      {"mersennetwister", "mersennetwister", {kReads, kWrites}},
      {"mm", "mm", {kReads, kReads, kWrites}},
      {"mm", "mm_float4", {kReads, kReads, kWrites}},
      {"mvt", "mvt_rows", {kReads, kReads, kWrites}},
      {"mvt", "mvt_columns", {kReads, kReads, kWrites}},
      {"nw", "nw_diagonal", {kWrites, kReads}},
      {"pagerank", "pagerank_pull", {kReads, kReads, kReads, kReads, kWrites}},
      {"pageviewcount", "pageviewcount_map", {kReads, kReads, kWrites, kWrites}},
      {"pageviewcount", "pageviewcount_count", {kReads, kAdds}},
      {"radixsort", "radix_count", {kReads, kWrites}},
      {"radixsort", "radix_sum", {kWrites, kWrites}},
      {"radixsort", "radix_scatter", {kReads, kReads, kReads, kWrites}},
      {"randomloc", "randomloc", {kReads, kWrites}},
      {"reduction", "reduction", {kReads, kWrites}},
      {"reduction-uint4", "reduction_uint4", {kReads, kWrites}},
      {"resnet", "resnet_first", {kReads, kReads, kWrites}},
      {"resnet", "resnet_scale", {kWrites, kReads, kReads}},
      {"resnet", "resnet_rectify", {kWrites}},
      {"resnet", "resnet_pool", {kReads, kWrites}},
      {"resnet", "resnet_1x1", {kReads, kReads, kWrites}},
      {"saxpy", "saxpy", {kReads, kWrites}},
      {"scalarprod", "scalarprod", {kReads, kReads, kWrites}},
      {"scan", "scan_block", {kReads, kWrites, kWrites}},
      {"scan", "scan_add", {kWrites, kReads}},
      {"sgemm", "sgemm", {kReads, kReads, kWrites}},
      {"simpleconvolution", "simpleconvolution", {kReads, kReads, kWrites}},
      {"sobel", "sobel", {kReads, kWrites}},
      {"spmv", "spmv", {kReads, kReads, kReads, kReads, kWrites}},
      {"spmv-jds", "spmv_jds", {kReads, kReads, kReads, kReads, kReads, kReads, kWrites}},
      {"squeezenet", "squeezenet_first", {kReads, kReads, kReads, kReads, kWrites}},
      {"squeezenet", "squeezenet_pool", {kReads, kWrites}},
      {"squeezenet", "squeezenet_squeeze", {kReads, kReads, kWrites}},
      {"srad", "srad_coefficients", {kReads, kWrites, kWrites, kWrites, kWrites, kWrites}},
      {"srad", "srad_update", {kWrites, kReads, kReads, kReads, kReads, kReads}},
      {"stencil2d", "stencil2d", {kReads, kWrites}},
      {"sssp", "sssp_relax", {kReads, kReads, kReads, kReads, kWrites}},
      {"sssp", "sssp_settle", {kReads, kWrites, kWrites}},
      {"streamcluster",
       "streamcluster_cost",
       {kReads, kReads, kReads, kReads, kReads, kWrites, kWrites}},
      {"stringmatch", "stringmatch", {kReads, kReads, kReads, kWrites}},
      {"transpose", "transpose", {kReads, kWrites}},
      {"transpose", "transpose_float4", {kReads, kWrites}},
      {"vecadd", "vecadd", {kReads, kReads, kWrites}},
      {"wordcount", "wordcount_count", {kReads, kWrites}},
      {"wordcount", "wordcount_emit", {kReads, kReads, kWrites, kWrites}},
  };
  return all;
}

void check_suite(const std::string& folder) {
  std::map<std::string, std::size_t> kernels;
  for (const KernelUses& k : suite()) {
    INFO(k.workload << " " << k.kernel);
    const auto workload = make_workload(k.workload, folder);
    const auto& manifest = dynamic_cast<kernels::ManifestWorkload&>(*workload).manifest();
    const ptx::Module module = ptx::parse_file(manifest.ptx.front());
    const ptx::ReadOnlyReport report = ptx::find_read_only(module, k.kernel);
    REQUIRE(report.pointers.size() == k.pointers.size());
    for (std::size_t p = 0; p < k.pointers.size(); ++p) {
      const ptx::PointerReport& found = report.pointers[p];
      INFO(found.origin.name << ": " << found.why);
      CHECK(ptx::pointer_use_name(found.use) == std::string(pointer_use_name(k.pointers[p])));
      // Every load of a read-only array is marked, and none of another one.
      CHECK(found.marked_loads == (found.use == kReads ? found.loads : 0));
      CHECK((found.loads > 0 || found.use != kReads));
    }
    CHECK(module.entries().size() >= ++kernels[k.workload]);
  }
  for (const std::string& name : workload_names()) {
    INFO(name);
    const auto workload = make_workload(name, folder);
    const auto& manifest = dynamic_cast<kernels::ManifestWorkload&>(*workload).manifest();
    const std::string owner =
        std::filesystem::path(manifest.ptx.front()).stem().string();  // of a variant
    CHECK(ptx::parse_file(manifest.ptx.front()).entries().size() == kernels[owner]);
  }
}

}  // namespace

TEST_CASE("the pass finds in the suite what its CUDA says") { check_suite({}); }

TEST_CASE("the pass finds the same in the suite as this machine's clang compiles it") {
  const std::string folder = TESSERA_CLANG_SUITE_DIR;
  if (folder.empty()) {
    WARN("nothing to check: no clang with an NVPTX backend");
    return;
  }
  check_suite(folder);
}

namespace {

/// Whether the first global load of a launch carries the read-only bit.
bool first_load_is_read_only(KernelProgram& program) {
  const auto cta = program.start_cta(CtaId(0));
  IssueResult result;
  while (!result.warp_done) {
    cta->warp(0).issue(IssueContext{}, result);
    const bool is_load = result.kind == IssueResult::Kind::kMemory &&
                         result.memory.space == Space::kGlobal &&
                         result.memory.kind == AccessKind::kLoad;
    if (is_load) return result.memory.read_only;
  }
  FAIL("no load");
  return false;
}

}  // namespace

TEST_CASE("the module loader's launches see which arguments are one array") {
  kernels::FunctionalDevice device;
  const auto workload = make_workload("vecadd");
  const ptx::Module module =
      ptx::parse_file(dynamic_cast<kernels::ManifestWorkload&>(*workload).manifest().ptx.front());
  const auto source = kernels::ModuleLoader::make(device)->source(module);
  FlatMemory flat{std::uint64_t{1} << 20};
  const Address a = device.allocate("a", 4096);
  const Address b = device.allocate("b", 4096);
  const Address c = device.allocate("c", 4096);
  const auto marks = [&](Address x, Address y, Address z) {
    LaunchRequest request;
    request.kernel = "vecadd";
    request.block = {32, 1, 1};
    request.arguments = {KernelArgument::of(x), KernelArgument::of(y), KernelArgument::of(z),
                         KernelArgument::of(std::int32_t{32})};
    return first_load_is_read_only(*source->make(request, {&flat}));
  };
  CHECK(marks(a, b, c));
  CHECK(marks(a, a, c));        // both only read
  CHECK_FALSE(marks(a, b, a));  // in place
  CHECK(marks(a, b, c));        // and that is forgotten
}

}  // namespace tessera::read_only_suite_test
