// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/roles/partition.h"

#include "modules/kernel/report.h"
#include "modules/llc/slice_pipeline.h"

namespace tessera {

namespace {

const SliceSite& checked(const SliceStages& slice, const SliceSite& site) {
  if (site.caching == nullptr) {
    SC_REPORT_FATAL(report::kConfiguration,
                    (std::string(slice.name()) + ": SliceSite::caching must be set").c_str());
  }
  return site;
}

}  // namespace

PartitionRole::PartitionRole(SliceStages& slice, const SliceSite& site)
    : SliceRole(slice, site), caching_(checked(slice, site)) {}

namespace {

const PolicyRegistration<LlcSlice> kPartitionRole(
    "partition", "home of its partition's lines, and the way of its SMs to all others",
    make_slice<PartitionRole>);

}  // namespace

}  // namespace tessera
