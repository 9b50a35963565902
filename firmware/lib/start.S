# SPDX-License-Identifier: Apache-2.0
# Hart 0 clears .bss, calls main and ends the run with its result. Other harts call hart_main.
    .section .text.start
    .globl _start
_start:
    la t0, trap_entry
    csrw mtvec, t0
    li t0, 0x6000              # FS: floating point on
    csrs mstatus, t0
    la sp, __stacks
    li t0, 0x10000
    addi t1, a0, 1
    mul t0, t0, t1
    add sp, sp, t0
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    bnez a0, 2f
    la t0, __bss_begin
    la t1, __bss_end
1:  bgeu t0, t1, 3f
    sd zero, 0(t0)
    addi t0, t0, 8
    j 1b
2:  call hart_main
    j halt
3:  mv s0, a1
    mv a1, s0
    call main
    call finish
halt:
    wfi
    j halt

    .balign 4
    .globl trap_entry
trap_entry:
    addi sp, sp, -128
    sd ra, 0(sp)
    sd t0, 8(sp)
    sd t1, 16(sp)
    sd t2, 24(sp)
    sd t3, 32(sp)
    sd t4, 40(sp)
    sd t5, 48(sp)
    sd t6, 56(sp)
    sd a0, 64(sp)
    sd a1, 72(sp)
    sd a2, 80(sp)
    sd a3, 88(sp)
    sd a4, 96(sp)
    sd a5, 104(sp)
    sd a6, 112(sp)
    sd a7, 120(sp)
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    call trap
    csrw mepc, a0
    ld ra, 0(sp)
    ld t0, 8(sp)
    ld t1, 16(sp)
    ld t2, 24(sp)
    ld t3, 32(sp)
    ld t4, 40(sp)
    ld t5, 48(sp)
    ld t6, 56(sp)
    ld a0, 64(sp)
    ld a1, 72(sp)
    ld a2, 80(sp)
    ld a3, 88(sp)
    ld a4, 96(sp)
    ld a5, 104(sp)
    ld a6, 112(sp)
    ld a7, 120(sp)
    addi sp, sp, 128
    mret

    .weak hart_main
hart_main:
    ret
