/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The second part of compat.h, for calc_kernel.c alone: 7.x's interface to
 * the kernel's xor and RAID 6 library, on kernels that have the older one.
 */
#ifndef MQR_COMPAT_RAID_H
#define MQR_COMPAT_RAID_H

#include <linux/minmax.h>
#include <linux/raid/pq.h>
#include <linux/raid/xor.h>

/* Drop with 6.12: one call took a few sources only. */
#ifndef HAVE_XOR_GEN
static inline void xor_gen(void *dest, void **srcs, unsigned int src_cnt,
			   unsigned int bytes)
{
	unsigned int n;

	for (; src_cnt; srcs += n, src_cnt -= n) {
		n = min_t(unsigned int, src_cnt, MAX_XOR_BLOCKS);
		xor_blocks(n, bytes, dest, srcs);
	}
}
#endif

/* Drop with 6.12: the choice of algorithm was open to the public. */
#ifndef HAVE_RAID6_RECOV_2DATA
#define raid6_gen_syndrome(disks, bytes, ptrs) \
	raid6_call.gen_syndrome(disks, bytes, ptrs)
#define raid6_can_xor_syndrome() (!!raid6_call.xor_syndrome)
#define raid6_xor_syndrome(disks, start, stop, bytes, ptrs) \
	raid6_call.xor_syndrome(disks, start, stop, bytes, ptrs)
#define raid6_recov_2data(disks, bytes, a, b, ptrs) \
	raid6_2data_recov(disks, bytes, a, b, ptrs)
#define raid6_recov_datap(disks, bytes, a, ptrs) \
	raid6_datap_recov(disks, bytes, a, ptrs)
#endif

#endif
