// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "common/ids.h"
#include "stimuli/warp_program.h"

namespace tessera {

/// The last warps that left an SM with stores outstanding, for messages about these stores.
class EndedWarps {
 public:
  /// `age`: of the warp in its SM (Warp::age), from 0 on. `index`: within its CTA. The kernel must
  /// outlive the warp's stores.
  void add(std::uint64_t age, CtaId cta, unsigned index, const KernelProgram& kernel) {
    warps_[added_++ % warps_.size()] = {age, cta, index, &kernel};
  }
  /// Kernel, CTA, warp and instruction, for example "kernel 'k', CTA (0,1,0), warp 2, k.ptx:12
  /// 'st.global.u32 [%rd1], %r1'". Empty if later warps have taken the warp's entry.
  std::string place_of(std::uint64_t age, std::uint32_t pc) const;

 private:
  struct EndedWarp {
    std::uint64_t age = 0;
    CtaId cta;
    unsigned index = 0;
    const KernelProgram* kernel = nullptr;  ///< null: the entry is free
  };

  std::array<EndedWarp, 256> warps_;
  std::size_t added_ = 0;
};

}  // namespace tessera
