// SPDX-License-Identifier: Apache-2.0
#include "stimuli/paper_workloads.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/error.h"
#include "stimuli/runner/functional_device.h"
#include "stimuli/workload.h"

namespace tessera::paper_workloads_test {

TEST_CASE("the five papers run 99 workloads of 59 kernels") {
  std::map<std::string, int> of_paper;
  std::set<std::string> kernels;
  for (const PaperWorkload& w : paper_workloads()) {
    ++of_paper[w.paper];
    if (!w.kernel.empty()) kernels.insert(w.kernel);
    CHECK_FALSE(w.workload_class.empty());
  }
  CHECK(of_paper ==
        std::map<std::string, int>{
            {"nuba", 29}, {"umh", 14}, {"ladm", 27}, {"dualopt", 13}, {"remote-core", 16}});
  CHECK(kernels.size() == 59);
}

TEST_CASE("every workload that a paper names is one of the suite") {
  const std::vector<std::string> suite = workload_names();
  for (const PaperWorkload& w : paper_workloads()) {
    if (w.kernel.empty()) continue;
    CAPTURE(w.paper, w.name, w.workload);
    CHECK(std::find(suite.begin(), suite.end(), w.workload) != suite.end());
  }
}

TEST_CASE("sizes of a paper's own are sizes of the workload, and its result is right") {
  unsigned with_sizes = 0;
  for (const PaperWorkload& w : paper_workloads()) {
    if (w.paper_sizes.empty()) continue;
    ++with_sizes;
    CAPTURE(w.paper, w.name, w.paper_sizes);
    kernels::FunctionalDevice device;
    const auto workload = make_workload(w.workload + ":" + w.paper_sizes);
    workload->run(device, Scale::kPaper, 1);
    CHECK(workload->verify(device)->passed);
  }
  CHECK(with_sizes == 2);
}

TEST_CASE("rows of one paper") {
  const std::vector<PaperWorkload> rows = paper_workloads("nuba");
  REQUIRE(rows.size() == 29);
  CHECK(rows[0].name == "LAVAMD");
  CHECK(rows[0].workload_class == "low-sharing");
  CHECK(rows[0].footprint_mb == 7.0);
  CHECK(rows[0].read_only_shared_mb == 0.9);
  CHECK_FALSE(rows[0].misses_per_kilo_instr);
  CHECK_THROWS_WITH(paper_workloads("nubba"),
                    Catch::StartsWith("unknown paper 'nubba'; did you mean 'nuba'?"));
}

}  // namespace tessera::paper_workloads_test
