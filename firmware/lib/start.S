# SPDX-License-Identifier: Apache-2.0
# Start-up and the trap handler's entry. Hart 0 clears .bss, calls main(0, device tree) and ends the
# run with its result. The other harts wait for .bss, and call hart_main(hart).
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
    la t2, bss_is_clear
    bnez a0, 2f
    la t0, __bss_begin
    la t1, __bss_end
1:  bgeu t0, t1, 3f
    sd zero, 0(t0)
    addi t0, t0, 8
    j 1b
2:  lw t0, 0(t2)
    beqz t0, 2b
    fence r, rw
    call hart_main
    j halt
3:  la t0, device_tree
    sd a1, 0(t0)
    fence rw, w
    li t0, 1
    sw t0, 0(t2)
    call main
    call finish
halt:
    csrw mie, zero
1:  wfi
    j 1b

# Saves all registers that a C function can change, and calls trap(cause, pc, value).
    .balign 4
    .globl trap_entry
trap_entry:
    addi sp, sp, -304
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
    fsd ft0, 128(sp)
    fsd ft1, 136(sp)
    fsd ft2, 144(sp)
    fsd ft3, 152(sp)
    fsd ft4, 160(sp)
    fsd ft5, 168(sp)
    fsd ft6, 176(sp)
    fsd ft7, 184(sp)
    fsd ft8, 192(sp)
    fsd ft9, 200(sp)
    fsd ft10, 208(sp)
    fsd ft11, 216(sp)
    fsd fa0, 224(sp)
    fsd fa1, 232(sp)
    fsd fa2, 240(sp)
    fsd fa3, 248(sp)
    fsd fa4, 256(sp)
    fsd fa5, 264(sp)
    fsd fa6, 272(sp)
    fsd fa7, 280(sp)
    frcsr t0
    sd t0, 288(sp)
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    call trap
    csrw mepc, a0
    ld t0, 288(sp)
    fscsr t0
    fld ft0, 128(sp)
    fld ft1, 136(sp)
    fld ft2, 144(sp)
    fld ft3, 152(sp)
    fld ft4, 160(sp)
    fld ft5, 168(sp)
    fld ft6, 176(sp)
    fld ft7, 184(sp)
    fld ft8, 192(sp)
    fld ft9, 200(sp)
    fld ft10, 208(sp)
    fld ft11, 216(sp)
    fld fa0, 224(sp)
    fld fa1, 232(sp)
    fld fa2, 240(sp)
    fld fa3, 248(sp)
    fld fa4, 256(sp)
    fld fa5, 264(sp)
    fld fa6, 272(sp)
    fld fa7, 280(sp)
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
    addi sp, sp, 304
    mret

    .weak hart_main
hart_main:
    ret

    .section .data
    .balign 8
bss_is_clear:
    .dword 0
