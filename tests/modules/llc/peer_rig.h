// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "modules/noc/link.h"
#include "tests/modules/llc/slice_rig.h"

namespace tessera::test {

/// The two slices of an SM-side UBA that hold the same lines, joined by a link each way: slice 0
/// ("near") is home below kOtherHome, slice 1 ("far") from there on. Two initiator ports on each
/// side: 0 and 1 near, 2 and 3 far; a memory port each.
struct PeerRig final : CacheRig, Block {
  std::unique_ptr<LlcSlice> made_near;
  std::unique_ptr<LlcSlice> made_far;
  LlcSlice& near;
  LlcSlice& far;
  Link from_near;
  Link from_far;

  static LinkConfig link() {
    LinkConfig c;
    c.clock_hz = 1'000'000'000;
    c.link_bytes = 8;
    c.latency = 8;
    return c;
  }

  explicit PeerRig(const LlcSliceConfig& config = plain(),
                   RequestStyle style = RequestStyle::kEarlyEndReq)
      : CacheRig(config.clock_hz, {4, 2, style}),
        made_near(make_llc_slice("near", config, map, pool, site(0))),
        made_far(make_llc_slice("far", config, map, pool, site(1))),
        near(*made_near),
        far(*made_far),
        from_near("from_near", link()),
        from_far("from_far", link()) {
    block = this;
    prepare = [this](Transaction& t) { t.request().decode_home(map, t.get_address()); };
    for (unsigned i = 0; i < 2; ++i) join(sm.socket(i), near.in[i]);
    for (unsigned i = 0; i < 2; ++i) join(sm.socket(2 + i), far.in[i]);
    join(near.memory, memory.socket(0));
    join(far.memory, memory.socket(1));
    join(near.remote, from_near.in);
    join(from_near.out, far.in[2]);
    join(far.remote, from_far.in);
    join(from_far.out, near.in[2]);
  }

  // The four blocks as one.
  bool idle() const override {
    return near.idle() && far.idle() && from_near.idle() && from_far.idle();
  }
  void describe_waiting(std::vector<Waiting>& out) const override {
    for (const Block* b : parts()) b->describe_waiting(out);
  }
  void reset() override {
    near.reset();
    far.reset();
    from_near.reset();
    from_far.reset();
  }
  void register_statistics(StatisticsRegistry& registry) const override {
    for (const Block* b : parts()) b->register_statistics(registry);
  }

 private:
  std::vector<const Block*> parts() const { return {&near, &far, &from_near, &from_far}; }
  static SliceSite site(std::uint32_t self) {
    SliceSite s;
    s.role = "peer";
    s.self = SliceId(self);
    s.local_inputs = 2;
    s.remote_inputs = 1;
    return s;
  }
};

}  // namespace tessera::test
