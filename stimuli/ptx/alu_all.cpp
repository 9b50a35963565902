// SPDX-License-Identifier: Apache-2.0
// The handler files of one instruction set.

#include "stimuli/ptx/lanes.h"

// Rare instructions, whose handlers are compiled once.
namespace tessera::ptx::portable {

void add_narrow(AluTable& table);
void add_rounding(AluTable& table);
void add_small(AluTable& table);
void add_video(AluTable& table);

}  // namespace tessera::ptx::portable

namespace tessera::ptx::TESSERA_PTX_SIMD {

void add_integer(AluTable& table);
void add_bits(AluTable& table);
void add_float(AluTable& table);
void add_compare(AluTable& table);
void add_convert(AluTable& table);
void add_half(AluTable& table);
void add_matrix(AluTable& table);
void add_memory(AluTable& table);
void add_mma(AluTable& table);
void add_warp(AluTable& table);

void add_all(AluTable& table);
void add_all(AluTable& table) {
  add_integer(table);
  add_bits(table);
  add_float(table);
  add_compare(table);
  add_convert(table);
  add_half(table);
  add_matrix(table);
  add_memory(table);
  add_mma(table);
  add_warp(table);
  ptx::portable::add_narrow(table);
  ptx::portable::add_rounding(table);
  ptx::portable::add_small(table);
  ptx::portable::add_video(table);
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
