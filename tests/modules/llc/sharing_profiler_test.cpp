// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/sharing_profiler.h"

#include <catch2/catch.hpp>

#include "common/json.h"
#include "modules/protocol/memory_request.h"

namespace tessera::sharing_profiler_test {

namespace {

struct Rig {
  SharingProfiler sharing{"gpu.line_sharing", 130, 128};
  StatisticsRegistry registry;

  void access(RequestKind kind, std::uint64_t line, unsigned sm, unsigned bytes = 128,
              AccessOrigin origin = AccessOrigin::kLocal) {
    MemoryRequest request;
    request.kind = kind;
    request.requester = SmId(sm);
    request.useful_bytes = static_cast<std::uint16_t>(bytes);
    sharing.on_access({origin, line * 128, request});
  }
  double value(const char* name) {
    if (registry.all().empty()) sharing.register_statistics(registry);
    return registry.to_json().at("gpu.line_sharing").at(name).get<double>();
  }
};

}  // namespace

TEST_CASE("lines that several SMs loaded and none wrote are read-only shared") {
  Rig rig;
  rig.access(RequestKind::kLoad, 1, 0);  // one SM's
  rig.access(RequestKind::kLoad, 1, 0);
  for (const unsigned sm : {0U, 64U, 129U}) rig.access(RequestKind::kLoad, 2, sm);
  for (const unsigned sm : {3U, 4U}) rig.access(RequestKind::kLoad, 3, sm);
  rig.access(RequestKind::kStore, 3, 5);  // shared, but written
  for (const unsigned sm : {3U, 4U}) rig.access(RequestKind::kLoad, 4, sm);
  rig.access(RequestKind::kAtomic, 4, 3);
  rig.access(RequestKind::kStore, 5, 3);  // never loaded
  CHECK(rig.value("read_lines") == 4);
  CHECK(rig.value("written_lines") == 3);
  CHECK(rig.value("read_only_shared_lines") == 1);
  rig.sharing.reset();
  CHECK(rig.value("read_lines") == 0);
  CHECK(rig.value("loads") == 0);
}

TEST_CASE("bytes wanted are those of loads at their home, once each") {
  Rig rig;
  rig.access(RequestKind::kLoad, 1, 0, 4);
  rig.access(RequestKind::kLoad, 1, 1, 128, AccessOrigin::kRemoteArriving);
  rig.access(RequestKind::kLoad, 1, 1, 128, AccessOrigin::kRemoteLeaving);
  rig.access(RequestKind::kStore, 1, 1, 64);
  rig.access(RequestKind::kWriteBack, 1, 1, 64);
  CHECK(rig.value("loads") == 2);
  CHECK(rig.value("bytes_wanted") == 132);
}

}  // namespace tessera::sharing_profiler_test
