// SPDX-License-Identifier: Apache-2.0
// A preset's tree: what it means, what it is refused for, and that flat parameters mean the same.
#include "platforms/topology/tree.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "common/json.h"
#include "platforms/simulation.h"
#include "platforms/topology/shape.h"
#include "tests/support/temporary_file.h"

namespace tessera::tree_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

const std::string kGpus = R"({"level": "gpu", "count": 4, "network": "switch", "gateway": "rdma"})";
const std::string kModules = R"({"level": "module", "count": 4, "network": "switch"})";

std::string shape(const std::string& name) {
  return R"({"level": "partition", "shape": ")" + name + "\"}";
}

std::string file_of(const std::string& base, const std::vector<std::string>& levels,
                    const std::string& more = {}) {
  std::string list;
  for (const std::string& l : levels) list += (list.empty() ? "" : ",\n") + l;
  return "{\"base\": \"" + base + "\",\n\"tree\": [\n" + list + "]" + more + "}";
}

std::string plan_text(const std::string& platform, const std::vector<std::string>& sets = {}) {
  return plan_of(resolve_config(platform, sets).gpu).to_json().dump();
}

/// What it is refused with; empty where it is not.
std::string refusal(const std::string& text, const std::vector<std::string>& sets = {}) {
  const TemporaryFile file(text);
  try {
    resolve_config(file.path(), sets);
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("flat parameters and a tree that says the same give the same plan") {
  const TemporaryFile uba(file_of("uba-mem-small", {shape("uba-mem")}));
  CHECK(plan_text(uba.path()) == plan_text("uba-mem-small"));
  const TemporaryFile nuba(file_of("nuba-small", {shape("nuba")}));
  CHECK(plan_text(nuba.path()) == plan_text("nuba-small"));
  const TemporaryFile mcm(file_of("mcm-nuba-small", {kModules, shape("nuba")}));
  CHECK(plan_text(mcm.path()) == plan_text("mcm-nuba-small"));
  const TemporaryFile dca(file_of("dca-small", {kGpus, shape("uba-mem")}));
  CHECK(plan_text(dca.path()) == plan_text("dca-small"));
  const TemporaryFile both(file_of("dca-small", {kGpus, kModules, shape("uba-mem")},
                                   R"(, "system": {"channels": 16, "rdma_ports": 4})"));
  CHECK(plan_text(both.path()) ==
        plan_text("dca-small", {"system.modules=4", "system.channels=16", "system.rdma_ports=4"}));
}

TEST_CASE("a tree replaces what the file's base says of the tree, and is printed and read back") {
  const ResolvedConfig a = resolve_config("dualopt-nuba-small", {});
  CHECK(a.gpu.system.topology == "nuba");
  CHECK(a.gpu.system.gpus == 4);
  const TemporaryFile file(a.to_json().dump(1));
  CHECK(resolve_config(file.path(), {}).to_json() == a.to_json());
}

TEST_CASE("flat parameters that contradict the tree are refused, and both are named") {
  const std::string text = file_of("dca-small", {kGpus, shape("uba-mem")});
  CHECK_THAT(refusal(text, {"system.gpus=2"}),
             Catch::Contains("system.gpus (2) contradicts the tree of ") &&
                 Catch::Contains(":2 (") && Catch::Contains(R"("level":"gpu","count":4)"));
  CHECK_THAT(refusal(text, {"system.modules=2"}),
             Catch::Contains("system.modules (2) contradicts"));
  CHECK_THAT(refusal(text, {"system.topology=nuba"}),
             Catch::Contains("system.topology (\"nuba\") contradicts"));
  CHECK(refusal(text, {"system.topology=multi-gpu", "system.gpus=4", "system.modules=1"}).empty());
  CHECK(refusal(text, {"system.topology=uba-mem"}).empty());
}

TEST_CASE("levels, keys and orders that there are not are refused with their line") {
  CHECK_THAT(
      refusal(file_of("dca-small", {R"({"level": "gpus"})"})),
      Catch::Contains(":3: level 'gpus' must be one of: gpu, module, partition; did you mean "
                      "'gpu'?"));
  CHECK_THAT(refusal(file_of("dca-small", {kGpus})),
             Catch::Contains("the innermost level of a tree must be a partition"));
  CHECK_THAT(refusal(file_of("dca-small", {kModules, kGpus, shape("nuba")})),
             Catch::Contains("in the order gpu, module, partition"));
  CHECK_THAT(refusal(file_of("dca-small", {shape("nubs")})),
             Catch::Contains("did you mean 'nuba'?"));
  CHECK_THAT(refusal(file_of("dca-small", {R"({"level": "module", "count": 2, "network": "rnig"})",
                                           shape("nuba")})),
             Catch::Contains("network 'rnig' must be one of: switch, ring; did you mean 'ring'?"));
  CHECK_THAT(refusal(file_of("dca-small", {R"({"level": "module", "count": 1, "network": "ring"})",
                                           shape("nuba")})),
             Catch::Contains("count must be a number from 2 to 64"));
  CHECK_THAT(
      refusal(file_of("dca-small", {R"({"level": "partition", "shape": "nuba", "size": 2})"})),
      Catch::Contains("a level 'partition' has no key 'size'"));
  CHECK_THAT(refusal(R"({"base": "dca-small", "tree": 4})"),
             Catch::Contains("tree must be a list of levels"));
}

TEST_CASE("counts that do not divide over a tree's levels are refused with the tree's line") {
  CHECK_THAT(refusal("{\n\"base\": \"mcm-nuba-small\",\n\"tree\": [\n"
                     R"({"level": "module", "count": 3, "network": "switch"}, )" +
                     shape("nuba") + "]}"),
             Catch::Contains(":3: system.channels (") &&
                 Catch::Contains("must be a multiple of system.modules (3)"));
}

TEST_CASE("what cannot nest is refused with its reason") {
  CHECK_THAT(refusal(file_of("uba-sm-small", {kModules, shape("uba-sm")},
                             R"(, "system": {"channels": 8})")),
             Catch::Contains("system.modules must be 1 where topology is uba-sm: its two sides"));
  CHECK_THAT(refusal(file_of("dca-small", {kGpus, shape("uba-sm")})),
             Catch::Contains("system.gpus must be 1 where topology is uba-sm: its two sides"));
  CHECK_THAT(
      refusal(file_of("griffin-small", {kGpus, shape("nuba")})),
      Catch::Contains("migration.policy needs GPUs without modules (system.modules of 1) and "
                      "partitions"));
  CHECK_THAT(refusal(file_of("dca-small", {kGpus, kModules, shape("uba-mem")})),
             Catch::Contains("channels of a GPU (2) must be a multiple of system.modules (4)"));
}

}  // namespace tessera::tree_test
