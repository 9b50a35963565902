// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/roles/home.h"

#include "modules/llc/slice_pipeline.h"

namespace tessera::roles::home {

namespace {

const PolicyRegistration<LlcSlice> kRegistered("home", "home of the lines of its address range",
                                               make_slice<HomeRole>);

}  // namespace

}  // namespace tessera::roles::home
