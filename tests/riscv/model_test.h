/* SPDX-License-Identifier: Apache-2.0 */
/* The target of riscv-arch-test (its "model"): the end of a test writes tohost, and hart 1 sends
   the signature (host_interface.S). Assertions of single registers are left out: the signature has
   all results. */
#ifndef TESSERA_MODEL_TEST_H
#define TESSERA_MODEL_TEST_H

#define RVMODEL_BOOT

#define RVMODEL_HALT \
  la t0, tohost;     \
  li t1, 1;          \
  sd t1, 0(t0);      \
  1 : wfi;           \
  j 1b;

#define RVMODEL_DATA_BEGIN \
  .balign 16;              \
  .globl begin_signature;  \
  begin_signature:

#define RVMODEL_DATA_END \
  .balign 16;            \
  .globl end_signature;  \
  end_signature:

#define RVMODEL_IO_INIT
#define RVMODEL_IO_WRITE_STR(scratch, text)
#define RVMODEL_IO_CHECK()
#define RVMODEL_IO_ASSERT_GPR_EQ(scratch, reg, value)
#define RVMODEL_IO_ASSERT_SFPR_EQ(scratch, reg, value)
#define RVMODEL_IO_ASSERT_DFPR_EQ(scratch, reg, value)

/* Software interrupts of hart 0: msip of the CLINT. The tests use no timer and no device. */
#define RVMODEL_SET_MSW_INT \
  li t1, 1;                 \
  li t2, 0x2000000;         \
  sw t1, 0(t2);
#define RVMODEL_CLEAR_MSW_INT \
  li t2, 0x2000000;           \
  sw x0, 0(t2);
#define RVMODEL_CLR_MSW_INT RVMODEL_CLEAR_MSW_INT
#define RVMODEL_CLEAR_MTIMER_INT
#define RVMODEL_CLEAR_MEXT_INT

#endif
