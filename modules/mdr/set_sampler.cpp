// SPDX-License-Identifier: Apache-2.0
#include "modules/mdr/set_sampler.h"

namespace tessera {

SetSampler::SetSampler(const Shape& shape)
    : keeps_arriving_(shape.keeps_arriving),
      slot_of_set_(shape.sets, kNotSampled),
      // Tags only, so that the line size has no effect.
      no_replication_(shape.sampled_sets, shape.ways, 1, CacheArray::Bytes::kPerLine),
      full_replication_(shape.sampled_sets, shape.ways, 1, CacheArray::Bytes::kPerLine),
      is_copy_(full_replication_.all_ways(), false) {
  for (std::uint64_t slot = 0; slot < shape.sampled_sets; ++slot) {
    slot_of_set_[slot * shape.sets / shape.sampled_sets] = static_cast<std::uint32_t>(slot);
  }
}

void SetSampler::observe(std::uint64_t set_index, std::uint64_t line, AccessOrigin origin,
                         bool read_only, bool replicating) {
  const std::uint32_t slot = slot_of_set_[set_index % slot_of_set_.size()];
  switch (origin) {
    case AccessOrigin::kLocal:
      ++counts_.local;
      local(slot, line);
      break;
    case AccessOrigin::kRemoteLeaving:
      ++counts_.leaving;
      // Writable lines are never cached here: under both policies, only their home looks them up.
      if (read_only) leaving(slot, line, replicating);
      break;
    case AccessOrigin::kRemoteArriving:
      ++counts_.arriving;
      arriving(slot, line, read_only, replicating);
      break;
  }
}

void SetSampler::local(std::uint32_t slot, std::uint64_t line) {
  count(counts_.no_replication, look_up(no_replication_, slot, line, true));
  count(counts_.full_replication, look_up_replicating(slot, line, true, false));
}

void SetSampler::leaving(std::uint32_t slot, std::uint64_t line, bool replicating) {
  const bool hit = look_up_replicating(slot, line, true, true);
  count(counts_.full_replication, hit);
  if (replicating) {
    // Counted for a replica hit of another slice, which does not arrive here: without replication,
    // that access would arrive and hit.
    if (hit) count(counts_.no_replication, true);
  } else if (!hit) {
    ++expected_arrivals_;
  }
}

void SetSampler::arriving(std::uint32_t slot, std::uint64_t line, bool read_only,
                          bool replicating) {
  count(counts_.no_replication, look_up(no_replication_, slot, line, keeps_arriving_));
  if (!read_only) {
    count(counts_.full_replication, look_up_replicating(slot, line, keeps_arriving_, false));
    return;
  }
  // Under full replication, an access arrives only after a miss in the requester's slice. This
  // second lookup allocates a way, but is not counted because it is not another L1 miss.
  if (!replicating) {
    if (expected_arrivals_ == 0) return;
    --expected_arrivals_;
  }
  look_up_replicating(slot, line, keeps_arriving_, false);
}

bool SetSampler::look_up(CacheArray& tags, std::uint32_t slot, std::uint64_t line, bool keep) {
  const CacheArray::Way f = tags.find(slot, line);
  if (f != CacheArray::kNone) {
    tags.touch(f);
    return true;
  }
  if (keep) tags.install(tags.victim(slot), line);
  return false;
}

bool SetSampler::look_up_replicating(std::uint32_t slot, std::uint64_t line, bool keep, bool copy) {
  const bool hit = look_up(full_replication_, slot, line, keep);
  if (!hit && keep) is_copy_[full_replication_.find(slot, line)] = copy;
  return hit;
}

void SetSampler::start_counting() {
  counts_ = SampleCounts{};
  expected_arrivals_ = 0;
}

void SetSampler::forget_lines() {
  no_replication_.invalidate_all();
  forget_replicating();
}

void SetSampler::forget_copies() {
  for (CacheArray::Way f = 0; f < full_replication_.all_ways(); ++f) {
    if (is_copy_[f] && full_replication_.occupied(f)) full_replication_.invalidate(f);
  }
}

void SetSampler::forget_replicating() {
  full_replication_.invalidate_all();
  expected_arrivals_ = 0;
}

}  // namespace tessera
