// SPDX-License-Identifier: Apache-2.0
// The claims of the papers' studies against the project's ledger of claims, which is a file outside
// of the repository: shared/claims.json beside it, or the file that TESSERA_LEDGER names.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "common/json.h"
#include "studies/study.h"

namespace tessera::ledger_test {

using namespace tessera::studies;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

using Claims = std::map<std::string, json>;

fs::path ledger_path() {
  if (const char* file = std::getenv("TESSERA_LEDGER")) return file;
  return fs::path(TESSERA_SOURCE_DIR).parent_path() / "shared" / "claims.json";
}

json document(const fs::path& file) {
  CAPTURE(file);
  std::ifstream in(file);
  REQUIRE(in);
  return json::parse(in);
}

Claims by_id(const json& list, const std::string& paper) {
  Claims all;
  for (const json& c : list) {
    if (c.value("paper", paper) == paper) all[c["id"]] = c;
  }
  return all;
}

/// The value of a key; empty lists and objects count as none.
json value_of(const json& claim, const char* key) {
  const json v = claim.value(key, json());
  return v.empty() ? json() : v;
}

/// The ledger's numbers by the names and in the form of claims.json.
json numbers_of(const json& claim) {
  json out;
  for (const auto& [key, v] : claim["per_workload"].items()) {
    if (v == ">1" || v == "<1.01") continue;  // a condition, not a number
    out[key == "__max__" ? "largest" : key] = v == "~1" ? json(1) : v;
  }
  return out;
}

/// The ledger's sweep; remarks in the place of values ("chosen") are none of claims.json.
json sweep_of(const json& claim) {
  if (claim["sweep"].is_null()) return {};
  json points = claim["sweep"]["points"];
  for (json& p : points) {
    if (p["value"].is_string()) p["value"] = nullptr;
  }
  return points;
}

/// The ledger's condition; conditions in words are orderings of the study's figures.
json minimum_of(const json& claim) {
  static const std::map<std::string, json> kInWords = {{"ladm-5a-strided-nl", "fraction > 0.5"},
                                                       {"ladm-f11b-sqgemm", json()},
                                                       {"rc-f3-volume", "fraction >= 0.3"}};
  const auto it = kInWords.find(claim["id"]);
  return it == kInWords.end() ? value_of(claim, "minimum_check") : it->second;
}

/// The scopes that differ on purpose. The platform of l2fine does not exist here. Tests of the
/// index analysis check LADM's types; its toy kernel and its counters are no study's. The
/// bandwidths of bw-gap are read from the configuration, as arithmetic. Imperfect or software-given
/// predictions, and counts by supplier, by PC and by CTA distance do not exist. Tests check UMH's
/// table of transitions and the copies of its figure 3.
std::string expected_scope(const json& claim) {
  static const std::map<std::string, std::string> kOurs = {
      {"dualopt-4.1.3-l2fine", "not-modelled"},
      {"dualopt-2-bw-gap", "analytic"},
      {"ladm-f3-kernelwide-stride", "not-modelled"},
      {"ladm-4b-classified", "not-modelled"},
      {"ladm-t4-decisions", "not-modelled"},
      {"ladm-5b-identity", "not-modelled"},
      {"umh-t2-nmoesi", "not-modelled"},
      {"umh-3-swum-redundant", "not-modelled"},
      {"rc-f5-heat", "not-modelled"},
      {"rc-f10-pc", "not-modelled"},
      {"rc-f14b-precision-sens", "not-modelled"},
      {"rc-4b-swpc", "not-modelled"},
      {"rc-f15a-cta", "not-modelled"}};
  const auto it = kOurs.find(claim["id"]);
  return it == kOurs.end() ? claim["scope"].get<std::string>() : it->second;
}

std::set<std::string> names_of(const Study& study, const Selection& workloads) {
  std::set<std::string> names;
  for (const std::size_t w : workloads) names.insert(study.workloads[w].name);
  return names;
}

/// The ledger gives "all", a class or a list of names. The remote-core paper's classes have longer
/// names in papers.json.
std::set<std::string> names_of(const Study& study, const json& workloads) {
  static const std::map<std::string, std::string> kClasses = {
      {"high-locality-11", "high inter-core locality (>30%)"},
      {"low-locality-5", "low inter-core locality (<10%)"}};
  if (workloads.is_array()) return workloads.get<std::set<std::string>>();
  const auto it = kClasses.find(workloads);
  const std::string group = it == kClasses.end() ? workloads.get<std::string>() : it->second;
  std::set<std::string> names;
  for (const StudyWorkload& w : study.workloads) {
    if (group == "all" || group == w.group) names.insert(w.name);
  }
  return names;
}

void check_same_claims(const std::string& paper) {
  if (std::getenv("TESSERA_LEDGER") == nullptr && !fs::exists(ledger_path())) {
    // ctest counts it as skipped.
    WARN("skipped: no ledger, nothing to check: " << ledger_path() << " does not exist");
    return;
  }
  const fs::path folder = fs::path(TESSERA_SOURCE_DIR) / "studies" / paper;
  const Claims ledger = by_id(document(ledger_path()), paper);
  const Claims ours = by_id(document(folder / "claims.json")["claims"], paper);
  const Study study = load_study(folder.string());
  REQUIRE(ours.size() == ledger.size());
  REQUIRE(study.claims.size() == ledger.size());
  for (const Claim& loaded : study.claims) {
    INFO(loaded.id);
    REQUIRE(ledger.count(loaded.id) == 1);
    const json& theirs = ledger.at(loaded.id);
    const json& mine = ours.at(loaded.id);
    for (const char* key : {"where", "value", "value_kind", "accept_range", "effect_floor",
                            "tolerance", "direction"}) {
      INFO(key);
      CHECK(value_of(mine, key) == value_of(theirs, key));
    }
    CHECK(value_of(mine, "minimum_check") == minimum_of(theirs));
    CHECK(value_of(mine, "per_workload") == numbers_of(theirs));
    CHECK(value_of(mine, "sweep") == sweep_of(theirs));
    CHECK(loaded.scope == expected_scope(theirs));
    // Their toy kernels are not workloads of the study.
    if (loaded.id == "ladm-f3-kernelwide-stride" || loaded.id == "umh-3-swum-redundant") continue;
    CHECK(names_of(study, loaded.workloads) == names_of(study, theirs["workloads"]));
  }
}

}  // namespace

TEST_CASE("NUBA's claims are those of the ledger") { check_same_claims("nuba"); }

TEST_CASE("LADM's claims are those of the ledger") { check_same_claims("ladm"); }

TEST_CASE("DualOpt's claims are those of the ledger") { check_same_claims("dualopt"); }

TEST_CASE("The remote-core paper's claims are those of the ledger") {
  check_same_claims("remote-core");
}

TEST_CASE("UMH's claims are those of the ledger") { check_same_claims("umh"); }

}  // namespace tessera::ledger_test
