// SPDX-License-Identifier: Apache-2.0
// Streams of a manifest: what a device gets, and mistakes in names and dependencies.
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/stimuli/runner/manifest_folder.h"

namespace tessera::manifest_streams_test {

namespace {

using tessera::test::ManifestFolder;
using Orders = std::vector<std::string>;

/// A device that keeps the order of each launch: "STREAM PRIORITY after NUMBERS".
class OrderedDevice final : public tessera::Device {
 public:
  tessera::Address allocate(const std::string& name, std::uint64_t bytes) override {
    return memory_.allocate(name, bytes);
  }
  void write(tessera::Address to, const void* from, std::uint64_t bytes) override {
    memory_.write(to, from, bytes);
  }
  void defer(tessera::Address to, std::uint64_t bytes, tessera::Contents contents) override {
    memory_.defer(to, bytes, std::move(contents));
  }
  void read(void* to, tessera::Address from, std::uint64_t bytes) override {
    memory_.read(to, from, bytes);
  }
  void launch(const tessera::LaunchRequest& request) override {
    orders.emplace_back("launch");
    memory_.launch(request);
  }
  tessera::LaunchId enqueue(const tessera::LaunchRequest& request,
                            const LaunchOrder& order) override {
    std::string text = order.stream.empty() ? "default" : order.stream;
    text += " " + std::to_string(order.priority) + " after";
    for (const tessera::LaunchId id : order.after) text += " " + std::to_string(id);
    orders.push_back(text);
    memory_.launch(request);
    return orders.size();
  }
  const tessera::Allocations& allocations() const override { return memory_.allocations(); }

  Orders orders;

 private:
  tessera::kernels::FunctionalDevice memory_;
};

// add: to[0] = from[0] + v.
constexpr const char* kPtx = R"(.version 6.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 from, .param .u64 to, .param .u32 v)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  ld.param.u32 %r1, [v];
  ld.global.u32 %r2, [%rd1];
  add.s32 %r3, %r1, %r2;
  st.global.u32 [%rd2], %r3;
  ret;
}
)";

std::string launch(const std::string& order) {
  return R"({"kernel": "add", "grid": 1, "block": 1,
             "arguments": ["a", "a", {"type": "i32", "value": 1}])" +
         (order.empty() ? "" : ", " + order) + "}";
}

struct Run {
  ManifestFolder folder;
  OrderedDevice device;
  std::string error;

  explicit Run(const std::string& launches, const std::string& streams = R"(["left", "right"])") {
    folder.put("k.ptx", kPtx);
    const std::string file = folder.put("m.json", R"({
  "name": "m", "ptx": "k.ptx", "sizes": {"small": {"n": 4}},
  "arrays": [{"name": "a", "type": "i32", "count": "n", "init": "zero"}],
  )" + (streams.empty() ? "" : "\"streams\": " + streams + ",") +
                                                      R"(
  "launches": [)" + launches + "]}");
    try {
      tessera::make_workload(file)->run(device, tessera::Scale::kSmall, 1);
    } catch (const tessera::InputError& e) {
      error = e.what();
    }
  }
};

}  // namespace

TEST_CASE("a launch carries its stream, the stream's priority and the launches it waits for") {
  const Run r(launch(R"("name": "first", "stream": "left")") + "," +
                  launch(R"("name": "second", "stream": "right", "after": ["first"])") + "," +
                  launch("") + "," + launch(R"("stream": "left", "after": ["first", "second"])"),
              R"(["left", {"name": "right", "priority": -3}])");
  REQUIRE(r.error.empty());
  CHECK(r.device.orders ==
        Orders{"left 0 after", "right -3 after 1", "default 0 after", "left 0 after 1 2"});
}

TEST_CASE("without streams the host waits for each launch") {
  const Run r(launch(R"("name": "first")") + "," + launch(R"("after": ["first"])"), "");
  REQUIRE(r.error.empty());
  CHECK(r.device.orders == Orders{"launch", "launch"});
}

TEST_CASE("in a loop a launch waits for the last launch so far of each name") {
  const Run r(R"({"repeat": 2, "launches": [)" +
              launch(R"("name": "ping", "stream": "left", "after": ["pong"])") + "," +
              launch(R"("name": "pong", "stream": "right", "after": ["ping"])") + "]}");
  REQUIRE(r.error.empty());
  CHECK(r.device.orders ==
        Orders{"left 0 after", "right 0 after 1", "left 0 after 2", "right 0 after 3"});
}

TEST_CASE("a launch that repeats waits for its own repeat before") {
  const Run r(launch(R"("name": "again", "stream": "left", "after": ["again"], "repeat": 3)"));
  REQUIRE(r.error.empty());
  CHECK(r.device.orders == Orders{"left 0 after", "left 0 after 1", "left 0 after 2"});
}

TEST_CASE("mistakes in streams are named") {
  const auto error = [](const std::string& launches, const std::string& streams) {
    return Run(launches, streams).error;
  };
  CHECK_THAT(error(launch(R"("stream": "lefd")"), R"(["left", "right"])"),
             Catch::Contains("m.json:6: /launches/0/stream: unknown stream \"lefd\"; did you mean "
                             "'left'?"));
  CHECK_THAT(error(launch(R"("stream": "left")"), ""),
             Catch::Contains("/launches/0/stream: the manifest has no streams: list their names in "
                             "\"streams\""));
  CHECK_THAT(error(launch(""), R"(["left", "left"])"),
             Catch::Contains("m.json:4: /streams/1: the name \"left\" is taken"));
  CHECK_THAT(error(launch(""), R"([""])"), Catch::Contains("/streams/0: expected a name"));
  CHECK_THAT(error(launch(""), R"([{"name": "left", "prio": 1}])"),
             Catch::Contains("/streams/0/prio: unknown key \"prio\""));
  CHECK_THAT(error(launch(""), R"([{"name": "left", "priority": 32768}])"),
             Catch::Contains("/streams/0/priority: expected an integer from -32768 to 32767"));
}

TEST_CASE("mistakes in dependencies are named") {
  const auto error = [](const std::string& launches) { return Run(launches).error; };
  const auto named = [](const std::string& name, const std::string& after) {
    return launch("\"name\": \"" + name + "\", \"stream\": \"left\", \"after\": [\"" + after +
                  "\"]");
  };
  CHECK_THAT(error(launch(R"("name": "first")") + "," + launch(R"("after": ["fist"])")),
             Catch::Contains("/launches/1/after/0: unknown launch \"fist\"; did you mean "
                             "'first'?"));
  CHECK_THAT(error(launch(R"("after": ["first"])")),
             Catch::Contains("/launches/0/after/0: unknown launch \"first\"; no launch has a "
                             "\"name\""));
  CHECK_THAT(error(launch(R"("name": "a")") + "," + launch(R"("name": "a")")),
             Catch::Contains("/launches/1/name: the name \"a\" is taken"));
  CHECK_THAT(error(named("a", "a")),
             Catch::Contains("/launches/0/after/0: \"a\" waits for itself"));
  CHECK_THAT(error(named("a", "b") + "," + named("b", "c") + "," + named("c", "a")),
             Catch::Contains("/launches/0/after/0: launches wait for each other: \"a\" for \"b\" "
                             "for \"c\" for \"a\""));
  CHECK_THAT(error(named("a", "b") + "," + launch(R"("name": "b")")),
             Catch::Contains("/launches/0/after/0: \"a\" waits for \"b\", which is launched after "
                             "it and is in no loop with it"));
  // Two loops are not one.
  CHECK_THAT(error(R"({"repeat": 2, "launches": [)" + named("a", "b") +
                   R"(]}, {"repeat": 2, "launches": [)" + launch(R"("name": "b")") + "]}"),
             Catch::Contains("/launches/0/launches/0/after/0: \"a\" waits for \"b\", which is "
                             "launched after it"));
}

}  // namespace tessera::manifest_streams_test
