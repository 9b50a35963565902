# SPDX-License-Identifier: Apache-2.0
# The host of RISC-V's public tests, on hart 1. Hart 0 enters the test. A test writes the word
# "tohost" (HTIF of Spike); hart 1 polls it:
#
#   odd                     the end; bits 31 to 1 are the failed test, 0 is success
#   0x0101 in bits 63 to 48 a character in bits 7 to 0
#
# At the end, hart 1 sends the signature over the UART (SIGNATURE: words of 32 bits in hex, a line
# each) and writes the test finisher. ENTRY is the test's first instruction.
    .equ kFinisher, 0x100000
    .equ kUart, 0x10000000
    .equ kPass, 0x5555
    .equ kFail, 0x3333

    .section .host_interface, "ax", @progbits
    .option norvc
    .globl host_interface
host_interface:
    csrr t0, mhartid
    bnez t0, poll
    la t0, ENTRY
    jr t0

poll:
    la s0, tohost
    li s1, kUart
1:  ld a0, 0(s0)
    beqz a0, 1b
    andi t0, a0, 1
    srli t1, a0, 48
    beqz t1, 2f
    li t2, 0x0101
    bne t1, t2, unknown
    sd zero, 0(s0)
    sb a0, 0(s1)
    j 1b
2:  beqz t0, unknown
    slli s2, a0, 32            # of a word of 32 bits
    srli s2, s2, 33

#ifdef SIGNATURE
    la s3, begin_signature
    la s4, end_signature
    la s5, digits
3:  bgeu s3, s4, 5f
    lwu t0, 0(s3)
    li t1, 28
4:  srl t2, t0, t1
    andi t2, t2, 15
    add t2, t2, s5
    lbu t2, 0(t2)
    sb t2, 0(s1)
    addi t1, t1, -4
    bgez t1, 4b
    li t2, 10
    sb t2, 0(s1)
    addi s3, s3, 4
    j 3b
5:
#endif

finish:
    li t0, kFinisher
    li t1, kPass
    beqz s2, 1f
    li t1, kFail
    slli s2, s2, 16
    or t1, t1, s2
1:  sw t1, 0(t0)
2:  j 2b

unknown:
    li s2, 0xffff              # the test asks for another service of the host
    j finish

#ifdef SIGNATURE
digits:
    .ascii "0123456789abcdef"

    .section .tohost, "aw", @progbits
    .balign 64
    .globl tohost
tohost: .dword 0
    .balign 64
    .globl fromhost
fromhost: .dword 0
#endif
