// SPDX-License-Identifier: Apache-2.0
// Block diagrams of plans. Those of docs/architecture are made from the presets' plans, so that
// they cannot show another platform than the one that is built.
#include "platforms/topology/picture.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "platforms/simulation.h"
#include "platforms/topology/shape.h"

namespace tessera::picture_test {

namespace fs = std::filesystem;

namespace {

std::string picture_of_preset(const std::string& preset) {
  return picture_of(plan_of(resolve_config(preset, {}).gpu), preset);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a picture has a box for each name of block, with its count, and the number of links") {
  const std::string svg = picture_of_preset("uba-mem-small");
  const PlatformPlan plan = plan_of(resolve_config("uba-mem-small", {}).gpu);
  const auto sms = plan.of_kind("sm").size();
  const auto slices = plan.of_kind("llc").size();
  CHECK(contains(svg, ">sm (" + std::to_string(sms) + ")<"));
  CHECK(contains(svg, ">llc (" + std::to_string(slices) + ")<"));
  CHECK(contains(svg, ">noc<"));
  CHECK(contains(svg, ">" + std::to_string(sms) + "</text>"));
  CHECK_FALSE(contains(svg, ">p2p"));
}

TEST_CASE("a picture frames each level of the tree, with the number of its nodes") {
  const std::string svg = picture_of_preset("dualopt-small");
  CHECK(contains(svg, ">gpu (4)<"));
  CHECK_FALSE(contains(svg, ">partition"));
  CHECK(contains(picture_of_preset("nuba-small"), ">partition ("));
}

TEST_CASE("pictures in docs/architecture are those of the presets' plans") {
  const char* mode = std::getenv("TESSERA_PICTURES");
  const bool write = mode != nullptr && std::string(mode) == "write";
  std::size_t seen = 0;
  for (const auto& file : fs::directory_iterator(TESSERA_SOURCE_DIR "/docs/architecture")) {
    if (file.path().extension() != ".svg") continue;
    INFO(file.path().string() << " (TESSERA_PICTURES=write makes it anew)");
    const std::string now = picture_of_preset(file.path().stem().string());
    ++seen;
    if (write) std::ofstream(file.path()) << now;
    std::ifstream in(file.path());
    const std::string was{std::istreambuf_iterator<char>(in), {}};
    CHECK(was == now);
  }
  CHECK(seen >= 5);
  CHECK_FALSE(write);
}

}  // namespace tessera::picture_test
