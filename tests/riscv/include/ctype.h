/* SPDX-License-Identifier: Apache-2.0 */
/* env/v of riscv-tests includes this header and uses nothing of it. */
