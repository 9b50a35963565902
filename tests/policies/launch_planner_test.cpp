// SPDX-License-Identifier: Apache-2.0
#include "policies/launch_planner.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/policy_settings.h"

namespace tessera::launch_planner_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

TEST_CASE("the immediate planner changes nothing of a launch") {
  LaunchView view;
  view.arrays = {{"a", std::uint64_t{1} << 32, 1 << 20}};
  const LaunchPlan plan = make_policy<LaunchPlanner>("immediate")->plan(view);
  CHECK(plan.pages.empty());
  CHECK_FALSE(plan.scheduler.has_value());
  CHECK(plan.caching.empty());
}

TEST_CASE("launch planners are found by name") {
  CHECK(policy_names<LaunchPlanner>() == std::vector<std::string>{"coda", "immediate", "lasp"});
  CHECK_THROWS_WITH(
      make_policy<LaunchPlanner>("imediate"),
      "unknown launch_planner policy 'imediate' (known: coda, immediate, lasp); did you mean "
      "'immediate'?");
}

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kBase = std::uint64_t{1} << 32;

/// 2 GPUs of 2 chiplets, one memory each.
PolicyContext four_chiplets() {
  PolicyContext c;
  c.tree.gpus = 2;
  c.tree.modules = c.tree.partitions = c.tree.channels = 4;
  c.tree.sms = 8;
  c.memory.page_bytes = kPage;
  return c;
}

/// A launch with arrays of these pages and localities, as arguments in this order.
LaunchView launch_of(CtaGrid grid,
                     const std::vector<std::pair<std::uint64_t, ArrayLocality>>& arrays) {
  LaunchView view;
  view.kernel = "k";
  view.grid = grid;
  view.platform = four_chiplets();
  view.memories = 4;
  std::uint64_t address = kBase;
  for (const auto& [pages, locality] : arrays) {
    const std::string name(1, static_cast<char>('a' + view.arrays.size()));
    LaunchArgument argument;
    argument.name = name;
    argument.bytes = 8;
    argument.value = address;
    argument.array = view.arrays.size();
    argument.locality = locality;
    view.arguments.push_back(argument);
    view.arrays.push_back({name, address, pages * kPage});
    address += pages * kPage;
  }
  return view;
}

std::vector<unsigned> memories_of(const LaunchPlan& plan) {
  std::vector<unsigned> memories;
  for (std::size_t i = 0; i < plan.pages.size(); ++i) {
    CHECK(plan.pages[i].virtual_page == kBase / kPage + i);
    memories.push_back(plan.pages[i].memory.value);
  }
  return memories;
}

/// The node of each CTA under the plan's scheduler, on 2 SMs of each chiplet.
std::vector<unsigned> nodes_of(const LaunchPlan& plan, const CtaGrid& grid) {
  const auto scheduler = plan.scheduler->parameters.make(plan.scheduler->name, four_chiplets());
  scheduler->begin(grid, 8);
  std::vector<unsigned> nodes(grid.count(), 99);
  for (std::uint32_t sm = 0; sm < 8; ++sm) {
    while (const auto cta = scheduler->next(SmId(sm))) nodes[cta->value] = sm / 2;
  }
  return nodes;
}

using Nodes = std::vector<unsigned>;

}  // namespace

TEST_CASE("lasp: consecutive datablocks lie where the batch of their CTAs runs") {
  // 16 CTAs of 2 KB: two a page (equation 2), eight batches.
  const auto view = launch_of({16, 1, 1}, {{8, {LocalityType::kNoLocality, 0, 2048, 0}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  CHECK(plan.scheduler->name == "batched");
  CHECK(memories_of(plan) == Nodes{0, 1, 0, 1, 2, 3, 2, 3});
  CHECK(nodes_of(plan, {16, 1, 1}) == Nodes{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3});
}

TEST_CASE("lasp: an argument that points behind its array's begin moves the datablocks") {
  auto view = launch_of({16, 1, 1}, {{10, {LocalityType::kNoLocality, 0, 2048, 0}}});
  view.arguments[0].value += 2 * kPage;
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  CHECK(memories_of(plan) == Nodes{0, 0, 0, 1, 0, 1, 2, 3, 2, 3});
}

TEST_CASE("lasp: with a stride, all datablocks of a CTA lie where it runs") {
  // Figure 3 of the paper. 16 CTAs of 2 KB stride over 8 pages: 2 pages a node (equation 1), so
  // that a batch has 4 CTAs. The array has 20 pages: two strides and a half.
  const auto view = launch_of({16, 1, 1}, {{20, {LocalityType::kNoLocality, 8 * kPage, 2048, 0}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  CHECK(memories_of(plan) == Nodes{0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1});
  CHECK(nodes_of(plan, {16, 1, 1}) == Nodes{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3});
}

TEST_CASE("lasp: CTAs divide a stride whose datablocks are not known") {
  // As scalar products: 16 CTAs of 2 pages each stride over 32 pages. 8 pages a node (equation 1)
  // are 4 CTAs. The array has one stride and a quarter.
  const auto view = launch_of({16, 1, 1}, {{40, {LocalityType::kNoLocality, 32 * kPage, 0, 0}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  Nodes expected;
  for (unsigned page = 0; page < 40; ++page) expected.push_back(page % 32 / 8);
  CHECK(memories_of(plan) == expected);
  CHECK(nodes_of(plan, {16, 1, 1}) == Nodes{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3});
}

TEST_CASE("lasp: fields that all CTAs access alike lie where the CTAs run") {
  // 16 CTAs of 2 KB cover 8 pages. The array has two fields of 8 pages and a quarter of a third, as
  // the directions of a lattice follow each other.
  const auto view = launch_of({16, 1, 1}, {{18, {LocalityType::kNoLocality, 0, 2048, 0}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  CHECK(memories_of(plan) == Nodes{0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3, 0, 1});
  CHECK(nodes_of(plan, {16, 1, 1}) == Nodes{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3});
}

TEST_CASE("lasp: what the datablocks leave of an array lies where the last batch runs") {
  // 16 CTAs of 2 KB cover 8 of 11 pages.
  const auto view = launch_of({16, 1, 1}, {{11, {LocalityType::kNoLocality, 0, 2048, 0}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  CHECK(memories_of(plan) == Nodes{0, 1, 0, 1, 2, 3, 2, 3, 3, 3, 3});
}

TEST_CASE("lasp: datablocks larger than a page are batches of one CTA") {
  // 8 CTAs of 3 pages.
  const auto view = launch_of({8, 1, 1}, {{24, {LocalityType::kNoLocality, 0, 3 * kPage, 0}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  CHECK(memories_of(plan) ==
        Nodes{0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 2, 2, 2, 3, 3, 3});
  CHECK(nodes_of(plan, {8, 1, 1}) == Nodes{0, 1, 0, 1, 2, 3, 2, 3});
}

TEST_CASE("lasp: datablocks that overlap divide the array evenly") {
  // Tiles with a halo: 16 CTAs read 2 KB each of 4 pages. Eight batches of two CTAs, half a page
  // each.
  const auto view = launch_of({4, 4, 1}, {{4, {LocalityType::kNoLocality, 0, 2048, 0}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  CHECK(memories_of(plan) == Nodes{0, 0, 2, 2});
  CHECK(nodes_of(plan, {4, 4, 1}) == Nodes{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3});
}

TEST_CASE("lasp: rows that a grid row shares lie where the row runs") {
  // 4 x 8 CTAs; each grid row has two pages.
  const auto view = launch_of({4, 8, 1}, {{16, {LocalityType::kRowHorizontal, 64, 64, 0}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  CHECK(plan.scheduler->name == "row-binding");
  CHECK(memories_of(plan) == Nodes{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3});
  const Nodes nodes = nodes_of(plan, {4, 8, 1});
  for (std::size_t row = 0; row < 8; ++row) {
    for (std::size_t x = 0; x < 4; ++x) CHECK(nodes[row * 4 + x] == memories_of(plan)[row * 2]);
  }
}

TEST_CASE("lasp: columns that a grid column shares lie where the column runs") {
  // Rows of 4 pages, 8 x 4 CTAs: two grid columns a page, so that columns are not dealt singly.
  const auto view =
      launch_of({8, 4, 1}, {{12, {LocalityType::kColumnVertical, 16 * kPage, 64, 4 * kPage}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  CHECK(plan.scheduler->name == "column-binding");
  CHECK(memories_of(plan) == Nodes{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
  CHECK(nodes_of(plan, {8, 1, 1}) == Nodes{0, 0, 1, 1, 2, 2, 3, 3});
}

TEST_CASE("lasp: rows and strides below a page a node cannot be separated: pages in turn") {
  const auto locality = GENERATE(ArrayLocality{LocalityType::kColumnVertical, 64, 64, 1024},
                                 ArrayLocality{LocalityType::kColumnHorizontal, 64, 64, kPage},
                                 ArrayLocality{LocalityType::kNoLocality, 1024, 64, 0});
  const auto view = launch_of({8, 8, 1}, {{6, locality}});
  CHECK(memories_of(make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view)) ==
        Nodes{0, 1, 2, 3, 0, 1});
}

TEST_CASE("lasp: rows of a page a GPU go to the GPU of their columns, to its chiplets in turn") {
  // Rows of 2 pages, 8 columns of CTAs: the left half runs on the first GPU.
  const auto view =
      launch_of({8, 4, 1}, {{12, {LocalityType::kColumnVertical, 8 * kPage, 64, 2 * kPage}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  CHECK(plan.scheduler->name == "column-binding");
  CHECK(nodes_of(plan, {8, 1, 1}) == Nodes{0, 0, 1, 1, 2, 2, 3, 3});
  // Row by row; the second page of a row is one turn ahead.
  CHECK(memories_of(plan) == Nodes{0, 3, 1, 2, 0, 3, 1, 2, 0, 3, 1, 2});
}

TEST_CASE("lasp: tiles are scheduled by whole rows of the grid") {
  // CTAs of 1 KB, tiles of an array whose rows have more: a row of 8 CTAs fills two pages. Equation
  // 2 alone has batches of four, which fill none.
  const ArrayLocality tiles{LocalityType::kNoLocality, 0, 1024, 0, true};
  const CtaGrid grid{8, 4, 1};
  const auto planner = make_policy<LaunchPlanner>("lasp", four_chiplets());
  const LaunchPlan plan = planner->plan(launch_of(grid, {{8, tiles}}));
  CHECK(plan.scheduler->name == "batched");
  CHECK(memories_of(plan) == Nodes{0, 0, 1, 1, 2, 2, 3, 3});
  const Nodes nodes = nodes_of(plan, grid);
  for (std::size_t cta = 0; cta < 32; ++cta) CHECK(nodes[cta] == cta / 8);
}

TEST_CASE("lasp: tiles of a grid with fewer rows than nodes are batches of equation 2") {
  const ArrayLocality tiles{LocalityType::kNoLocality, 0, 1024, 0, true};
  const CtaGrid grid{8, 3, 1};
  const auto view = launch_of(grid, {{6, tiles}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  const Nodes batches{0, 1, 0, 2, 3, 2};
  CHECK(memories_of(plan) == batches);
  const Nodes nodes = nodes_of(plan, grid);
  for (std::size_t cta = 0; cta < 24; ++cta) CHECK(nodes[cta] == batches[cta / 4]);
}

TEST_CASE("lasp: CTAs that step through parts of their own divide the array") {
  // 8 CTAs of 256 bytes a step of 256 bytes, over 8 pages: a page each.
  const auto view = launch_of({8, 1, 1}, {{8, {LocalityType::kNoLocality, 256, 256, 0}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  CHECK(memories_of(plan) == Nodes{0, 1, 0, 1, 2, 3, 2, 3});
  CHECK(nodes_of(plan, {8, 1, 1}) == Nodes{0, 1, 0, 1, 2, 3, 2, 3});
}

TEST_CASE("lasp: if the kernel-wide scheduler runs, other arrays are divided like the grid") {
  // 16 CTAs of 2 KB. The larger array decides, or the first of equal size.
  const auto view = launch_of({16, 1, 1}, {{8, {LocalityType::kUnclassified, 0, 0, 0}},
                                           {8, {LocalityType::kNoLocality, 0, 2048, 0}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  CHECK(plan.scheduler->name == "kernel-wide");
  CHECK(memories_of(plan) == Nodes{0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3});
  // With a stride, equation 1 decides.
  const auto strided =
      launch_of({16, 1, 1}, {{8, {LocalityType::kUnclassified, 0, 0, 0}},
                             {8, {LocalityType::kNoLocality, 4 * kPage, 1024, 0}}});
  CHECK(memories_of(make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(strided)) ==
        Nodes{0, 0, 1, 1, 2, 2, 3, 3, 0, 1, 2, 3, 0, 1, 2, 3});
}

TEST_CASE("lasp: threads' own streams and unclassified arrays are divided like the grid") {
  const auto type = GENERATE(LocalityType::kIntraThread, LocalityType::kUnclassified);
  const auto view = launch_of({6, 1, 1}, {{8, {type, 4, 4, 0}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  CHECK(plan.scheduler->name == "kernel-wide");
  CHECK(memories_of(plan) == Nodes{0, 0, 1, 1, 2, 2, 3, 3});
  // Compiler-assisted remote request bypassing.
  REQUIRE(plan.caching.size() == (type == LocalityType::kIntraThread ? 1 : 0));
  if (plan.caching.empty()) return;
  CHECK(plan.caching[0].address == kBase);
  CHECK(plan.caching[0].caching.at_requester);
  CHECK_FALSE(plan.caching[0].caching.at_home);
}

TEST_CASE("lasp: the larger array has its scheduler, the other only its placement") {
  const auto view = launch_of({4, 4, 1}, {{4, {LocalityType::kRowHorizontal, 64, 64, 0}},
                                          {8, {LocalityType::kColumnVertical, 64, 64, 4 * kPage}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  CHECK(plan.scheduler->name == "column-binding");
  CHECK(memories_of(plan) == Nodes{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
}

TEST_CASE("lasp: the first launch decides, and launches without a table are not planned") {
  const auto planner = make_policy<LaunchPlanner>("lasp", four_chiplets());
  const auto view = launch_of({16, 1, 1}, {{8, {LocalityType::kNoLocality, 0, 2048, 0}}});
  CHECK(planner->plan(view).pages.size() == 8);
  const LaunchPlan again = planner->plan(view);
  CHECK(again.pages.empty());
  CHECK(again.scheduler->name == "batched");
  auto untold = launch_of({16, 1, 1}, {{8, {}}});
  untold.arguments[0].locality.reset();
  const LaunchPlan none = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(untold);
  CHECK(none.pages.empty());
  CHECK_FALSE(none.scheduler.has_value());
}

TEST_CASE(
    "lasp: arrays below a page a node, and grids smaller than the tree, are placed in order") {
  const auto view = launch_of({2, 1, 1}, {{1, {LocalityType::kRowHorizontal, 64, 64, 0}},
                                          {1, {LocalityType::kNoLocality, 0, 64, 0}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("lasp", four_chiplets())->plan(view);
  CHECK(memories_of(plan) == Nodes{0, 0});
}

TEST_CASE("coda: in the hierarchy, pages and batches are contiguous per GPU and dealt in it") {
  // 16 CTAs of 2 KB that stride: the stride is not considered.
  const auto view = launch_of({16, 1, 1}, {{8, {LocalityType::kNoLocality, 8 * kPage, 2048, 0}}});
  const auto planner = make_policy<LaunchPlanner>(
      "coda", four_chiplets(), policy_settings<LaunchPlanner>({{"coda.hierarchical", 1}}));
  const LaunchPlan plan = planner->plan(view);
  CHECK(memories_of(plan) == Nodes{0, 1, 0, 1, 2, 3, 2, 3});
  CHECK(nodes_of(plan, {16, 1, 1}) == Nodes{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3});
}

TEST_CASE("coda: pages and batches that fill a page are dealt to all nodes in turn") {
  const auto view = launch_of({16, 1, 1}, {{8, {LocalityType::kNoLocality, 0, 2048, 0}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("coda", four_chiplets())->plan(view);
  CHECK(memories_of(plan) == Nodes{0, 1, 2, 3, 0, 1, 2, 3});
  CHECK(nodes_of(plan, {16, 1, 1}) == Nodes{0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3});
}

TEST_CASE("coda: a stride gives the datablock that the table does not have") {
  // 16 CTAs of 2 pages each stride over 32 pages, and store 128 bytes each in one page.
  const auto view = launch_of({16, 1, 1}, {{32, {LocalityType::kNoLocality, 32 * kPage, 0, 0}},
                                           {1, {LocalityType::kNoLocality, 0, 128, 0}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("coda", four_chiplets())->plan(view);
  CHECK(nodes_of(plan, {16, 1, 1}) == Nodes{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
}

TEST_CASE("coda: unknown arrays are dealt by pages") {
  const auto view = launch_of({8, 1, 1}, {{6, {LocalityType::kUnclassified, 0, 0, 0}}});
  const LaunchPlan plan = make_policy<LaunchPlanner>("coda", four_chiplets())->plan(view);
  CHECK(memories_of(plan) == Nodes{0, 1, 2, 3, 0, 1});
  CHECK(nodes_of(plan, {8, 1, 1}) == Nodes{0, 1, 2, 3, 0, 1, 2, 3});
}

}  // namespace tessera::launch_planner_test
