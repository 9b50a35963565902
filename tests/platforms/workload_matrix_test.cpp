// SPDX-License-Identifier: Apache-2.0
// Every workload, carried, with a protocol checker on every socket; and the two value modes beside
// each other.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "platforms/simulation.h"
#include "stimuli/workload.h"

using namespace tessera;  // NOLINT(google-build-using-namespace)

namespace {

RunResult run(const std::string& platform, const std::string& workload, ValueMode values,
              bool check_protocol, const std::vector<std::string>& sets = {}) {
  Simulation simulation(resolve_config(platform, sets), check_protocol);
  const auto w = make_workload(workload);
  RunOptions options;
  options.values = values;
  return simulation.run(*w, options);
}

void verify(const std::string& workload, const std::vector<std::string>& sets = {}) {
  const RunResult r = run("uba-mem-small", workload, ValueMode::kCarried, true, sets);
  INFO(r.failure.value_or(""));
  CHECK_FALSE(r.failure.has_value());
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  CHECK(r.verification->compared > 0);
}

/// stats.json without `host`, from a child process of its own (SystemC elaborates once).
std::string document(const std::string& workload, ValueMode values) {
  int fd[2];
  REQUIRE(pipe(fd) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    close(fd[0]);
    RunResult r = run("uba-mem-small", workload, values, false);
    r.stats.erase("host");
    r.stats.erase("values");
    const std::string text = r.stats.dump();
    const bool all = write(fd[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(all ? 0 : 1);
  }
  close(fd[1]);
  std::string text;
  char buffer[65536];
  for (ssize_t n; (n = read(fd[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  close(fd[0]);
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(status == 0);
  return text;
}

}  // namespace

#define TESSERA_VERIFIES(NAME) \
  TEST_CASE("carried on uba-mem-small: " NAME) { verify(NAME); }
TESSERA_VERIFIES("2dconv")
TESSERA_VERIFIES("atax")
TESSERA_VERIFIES("bfs")
TESSERA_VERIFIES("bicg")
TESSERA_VERIFIES("histogram")
TESSERA_VERIFIES("kmeans")
TESSERA_VERIFIES("mm")
TESSERA_VERIFIES("reduction")
TESSERA_VERIFIES("saxpy")
TESSERA_VERIFIES("spmv")
TESSERA_VERIFIES("transpose")
TESSERA_VERIFIES("vecadd")

TEST_CASE("every workload of the suite is in this matrix") {
  CHECK(workload_names() == std::vector<std::string>{"2dconv", "atax", "bfs", "bicg", "histogram",
                                                     "kmeans", "mm", "reduction", "saxpy", "spmv",
                                                     "transpose", "vecadd"});
}

TEST_CASE("values survive page faults, which copy what the host wrote") {
  verify("saxpy", {"uvm.mode=fault"});
}

TEST_CASE("values survive first-touch placement") {
  verify("spmv", {"system.page_placement=first-touch"});
}

TEST_CASE("values survive the PAE address map") { verify("transpose", {"system.address_map=pae"}); }

TEST_CASE("values survive loose round-robin and round-robin CTAs") {
  verify("mm", {"sm.scheduling=lrr", "dispatch.scheduler=round-robin"});
}

TEST_CASE("values survive tiny caches, queues and TLBs") {
  verify("histogram", {"llc.sets=1", "llc.ways=2", "llc.mshr_entries=2", "llc.mshr_targets=1",
                       "llc.queue_depth=1", "llc.reply_queue_depth=1", "llc.memory_queue_depth=1",
                       "l1.sets=1", "l1.ways=1", "l1.mshr_entries=1", "l1.mshr_targets=1",
                       "l1.input_depth=1", "l1.miss_queue_depth=1", "sm.tlb_entries=1",
                       "sm.tlb_misses=1", "sm.lsu_queue_depth=1", "sm.lsu_outstanding=2"});
}

TEST_CASE("values survive a slice of another shape than its siblings") {
  verify("vecadd", {"system.gpu0.llc3.sets=7", "system.gpu0.l1_2.mshr_entries=3"});
}

TEST_CASE("one seed gives one document, byte for byte") {
  CHECK(document("bfs", ValueMode::kCarried) == document("bfs", ValueMode::kCarried));
}

TEST_CASE("carried and functional give the same statistics on race-free kernels") {
  for (const WorkloadInfo& w : workload_catalogue()) {
    if (!w.race_free) continue;
    INFO(w.name);
    CHECK(document(w.name, ValueMode::kCarried) == document(w.name, ValueMode::kFunctional));
  }
}
