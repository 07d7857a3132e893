/* SPDX-License-Identifier: GPL-2.0 */
/* Superblocks that the real mdadm made; see golden/make.sh. */
#ifndef MQR_UNIT_GOLDEN_H
#define MQR_UNIT_GOLDEN_H

#include "unit.h"

#include "core/superblock.h"

struct golden {
	u64 sectors;
	/* the union is there for its alignment */
	union {
		u8 image[MQR_SB_BYTES];
		u64 words[MQR_SB_BYTES / sizeof(u64)];
	};
};

/* Read golden/@name.sb; fails the test if there is none. */
void golden_read(struct golden *g, const char *name);

/* Bytes of @image at @at, little-endian. */
void golden_put(void *image, size_t at, size_t bytes, u64 value);
u64 golden_get(const void *image, size_t at, size_t bytes);

/* Make the checksum right again after a change. */
void golden_sum(void *image);

#endif
