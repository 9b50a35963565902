// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/roles/home.h"

#include "modules/llc/slice_pipeline.h"

namespace tessera {

extern "C" {
extern const bool tessera_slice_role_home;
const bool tessera_slice_role_home = register_slice_role("home", make_slice<HomeRole>);
}

}  // namespace tessera
