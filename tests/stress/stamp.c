// SPDX-License-Identifier: GPL-2.0
/*
 * Contents of blocks.
 *
 * A block says itself what it is: 40 bytes of header, then words that count
 * up from a hash of the header.  So any block that is found in a wrong place
 * or of a wrong age can be named.
 */
#include <stdio.h>
#include <string.h>

#include "stress.h"

#define STAMP_MAGIC 0x53534552545344ULL

struct stamp {
	u64 magic;
	u64 seed;
	u64 block;
	u32 version;
	u32 pad;
	/* of the fields above; the body counts up from it */
	u64 hash;
};

#define HEADER_WORDS (sizeof(struct stamp) / sizeof(u64))

static u64 stamp_hash(const struct stamp *s)
{
	return mix64(s->seed ^ mix64(s->block ^ mix64(s->version + 1)));
}

static u64 body_word(u64 hash, unsigned int i)
{
	return hash + i * 0x9e3779b97f4a7c15ULL;
}

void stamp_fill(void *buf, u64 block, u32 version)
{
	struct stamp s = {
		.magic = STAMP_MAGIC,
		.seed = config.seed,
		.block = block,
		.version = version,
	};
	u64 *word = buf;
	unsigned int i;

	if (version == CELL_ZERO) {
		memset(buf, 0, device.block_bytes);
		return;
	}
	s.hash = stamp_hash(&s);
	memcpy(buf, &s, sizeof(s));
	for (i = HEADER_WORDS; i < device.block_bytes / sizeof(u64); i++)
		word[i] = body_word(s.hash, i);
}

bool stamp_equal(const void *buf, u64 block, u32 version)
{
	u64 want[MAX_BLOCK_BYTES / sizeof(u64)];

	stamp_fill(want, block, version);
	return !memcmp(buf, want, device.block_bytes);
}

static bool all_zero(const void *buf)
{
	const u8 *byte = buf;

	return !byte[0] && !memcmp(byte, byte + 1, device.block_bytes - 1);
}

u32 stamp_version(const void *buf, u64 block)
{
	struct stamp s;

	if (all_zero(buf))
		return CELL_ZERO;
	memcpy(&s, buf, sizeof(s));
	if (s.version < FIRST_VERSION || !stamp_equal(buf, block, s.version))
		return CELL_ANY;
	return s.version;
}

static unsigned int first_bad_byte(const void *buf, const struct stamp *s)
{
	const u8 *byte = buf;
	unsigned int i, w;

	for (w = HEADER_WORDS; w < device.block_bytes / sizeof(u64); w++) {
		u64 want = body_word(s->hash, w);

		for (i = 0; i < sizeof(u64); i++)
			if (byte[w * sizeof(u64) + i] != ((u8 *)&want)[i])
				return w * sizeof(u64) + i;
	}
	return device.block_bytes;
}

void stamp_describe(const void *buf, u64 block, char *out, size_t size)
{
	const u8 *b = buf;
	struct stamp s;
	unsigned int bad;

	memcpy(&s, buf, sizeof(s));
	if (all_zero(buf)) {
		snprintf(out, size, "zeros");
		return;
	}
	if (s.magic != STAMP_MAGIC || s.hash != stamp_hash(&s)) {
		snprintf(out, size,
			 "no stamp: %02x %02x %02x %02x %02x %02x %02x %02x",
			 b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]);
		return;
	}
	bad = first_bad_byte(buf, &s);
	snprintf(out, size, "stamp of block %llu%s version %u%s%s",
		 (unsigned long long)s.block,
		 s.block == block ? "" : " (ANOTHER BLOCK)", s.version,
		 s.seed == config.seed ? "" : " of an earlier run",
		 bad == device.block_bytes ? ", intact" : ", body damaged");
	if (bad < device.block_bytes) {
		size_t n = strlen(out);

		snprintf(out + n, size - n, " from byte %u", bad);
	}
}
