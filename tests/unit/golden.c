// SPDX-License-Identifier: GPL-2.0
#include "golden.h"

#include <inttypes.h>

/* Offsets of the checksum and of max_dev, from md's format. */
#define SUM_AT 216
#define MAX_DEV_AT 220

static void read_hex(struct golden *g, const char *line, size_t *at)
{
	unsigned int byte;
	int used;

	while (sscanf(line, " %2x%n", &byte, &used) == 1) {
		assert_true(*at < sizeof(g->image));
		g->image[(*at)++] = (u8)byte;
		line += used;
	}
}

void golden_read(struct golden *g, const char *name)
{
	char line[512];
	char path[512];
	size_t at = 0;
	FILE *f;

	memset(g, 0, sizeof(*g));
	snprintf(path, sizeof(path), "%s/%s.sb", GOLDEN, name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("can't open %s", path);
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#')
			continue;
		if (sscanf(line, "sectors %" SCNu64, &g->sectors) != 1)
			read_hex(g, line, &at);
	}
	fclose(f);
	assert_true(at && g->sectors);
}

void golden_put(void *image, size_t at, size_t bytes, u64 value)
{
	u8 *byte = (u8 *)image + at;

	for (; bytes--; value >>= 8)
		*byte++ = (u8)value;
}

u64 golden_get(const void *image, size_t at, size_t bytes)
{
	const u8 *byte = image;
	u64 value = 0;

	while (bytes--)
		value = value << 8 | byte[at + bytes];
	return value;
}

/* All 32-bit words up to the last role, folded once. */
void golden_sum(void *image)
{
	u64 max_dev = golden_get(image, MAX_DEV_AT, 4);
	size_t end = 256 + 2 * (size_t)min(max_dev, (u64)1920);
	u64 sum = 0;
	size_t at;

	golden_put(image, SUM_AT, 4, 0);
	for (at = 0; at + 4 <= end; at += 4)
		sum += golden_get(image, at, 4);
	if (at < end)
		sum += golden_get(image, at, 2);
	golden_put(image, SUM_AT, 4, (sum & 0xffffffff) + (sum >> 32));
}
