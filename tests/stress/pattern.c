// SPDX-License-Identifier: GPL-2.0
/*
 * pattern write|scatter|check DEVICE SEED [START+SIZE]...
 *
 * Stamps every block (of all of the device, or of windows of whole pages), or
 * checks that it holds its stamp.  "scatter" writes each block once, too, but
 * in pieces of random size and order, so that parity is made in all ways.
 * Exit code 1: the first wrong blocks are named.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stress.h"

#define VERSION 2u
#define PIECE_BYTES (1u << 20)
#define NAMED_BLOCKS 8
#define SCATTERERS 4

struct piece {
	u64 block;
	u32 blocks;
};

struct pieces {
	struct piece *piece;
	size_t count;
	_Atomic size_t next;
};

static void *memory_for(u32 bytes)
{
	void *memory;

	if (posix_memalign(&memory, PAGE_BYTES, bytes))
		die(EXIT_SYSTEM, "no memory");
	return memory;
}

static void write_piece(const struct piece *p, u8 *memory)
{
	size_t bytes = (size_t)p->blocks * device.block_bytes;
	ssize_t done;
	u32 i;

	for (i = 0; i < p->blocks; i++)
		stamp_fill(memory + (size_t)i * device.block_bytes,
			   p->block + i, VERSION);
	done = pwrite(device.direct, memory, bytes,
		      p->block * device.block_bytes);
	if (done != (ssize_t)bytes)
		die(EXIT_WRONG, "%s: write of %zu bytes at block %llu: %s",
		    config.path, bytes, (unsigned long long)p->block,
		    done < 0 ? strerror(errno) : "short");
}

static u64 check_piece(const struct piece *p, u8 *memory, u64 wrong)
{
	size_t bytes = (size_t)p->blocks * device.block_bytes;
	ssize_t done = pread(device.direct, memory, bytes,
			     p->block * device.block_bytes);
	char text[160];
	u32 i;

	if (done != (ssize_t)bytes)
		die(EXIT_WRONG, "%s: read of %zu bytes at block %llu: %s",
		    config.path, bytes, (unsigned long long)p->block,
		    done < 0 ? strerror(errno) : "short");
	for (i = 0; i < p->blocks; i++, memory += device.block_bytes) {
		if (stamp_equal(memory, p->block + i, VERSION))
			continue;
		if (++wrong > NAMED_BLOCKS)
			continue;
		stamp_describe(memory, p->block + i, text, sizeof(text));
		fprintf(stderr, "%s: block %llu holds %s\n", config.path,
			(unsigned long long)p->block + i, text);
	}
	return wrong;
}

/* Mostly a few blocks, some up to 1 MiB. */
static u32 random_blocks(struct rng *rng)
{
	static const u32 limit[] = {4096, 16384, 131072, PIECE_BYTES};
	u32 most = limit[rng_below(rng, 4)] / device.block_bytes;

	return 1 + rng_below(rng, most ? most : 1);
}

static void pieces_add(struct pieces *p, u64 block, u32 blocks)
{
	if (p->count % 1024 == 0)
		p->piece = reallocarray(p->piece, p->count + 1024,
					sizeof(*p->piece));
	if (!p->piece)
		die(EXIT_SYSTEM, "no memory");
	p->piece[p->count++] = (struct piece){block, blocks};
}

static void cut(struct pieces *p, const struct window *w, struct rng *rng)
{
	u64 at = 0, n;

	while (at < w->blocks) {
		n = rng ? random_blocks(rng) : PIECE_BYTES / device.block_bytes;
		if (n > w->blocks - at)
			n = w->blocks - at;
		pieces_add(p, w->start + at, n);
		at += n;
	}
}

static void shuffle(struct pieces *p, struct rng *rng)
{
	struct piece swap;
	size_t i, other;

	for (i = 0; i < p->count; i++) {
		other = i + rng_below(rng, p->count - i);
		swap = p->piece[i];
		p->piece[i] = p->piece[other];
		p->piece[other] = swap;
	}
}

static void *scatter_thread(void *arg)
{
	struct pieces *p = arg;
	u8 *memory = memory_for(PIECE_BYTES);
	size_t i;

	while ((i = atomic_fetch_add(&p->next, 1)) < p->count)
		write_piece(&p->piece[i], memory);
	free(memory);
	return NULL;
}

static void scatter(struct pieces *p)
{
	pthread_t thread[SCATTERERS];
	unsigned int i;

	for (i = 0; i < SCATTERERS; i++)
		if (pthread_create(&thread[i], NULL, scatter_thread, p))
			die(EXIT_SYSTEM, "cannot create a thread");
	for (i = 0; i < SCATTERERS; i++)
		pthread_join(thread[i], NULL);
}

static u64 check(const struct pieces *p)
{
	u8 *memory = memory_for(PIECE_BYTES);
	u64 wrong = 0;
	size_t i;

	for (i = 0; i < p->count; i++)
		wrong = check_piece(&p->piece[i], memory, wrong);
	return wrong;
}

static void parse_windows(int argc, char **argv)
{
	u64 *window;
	int i;

	for (i = 4; i < argc && config.windows < MAX_WINDOWS; i++) {
		window = config.window[config.windows++];
		if (!parse_window(argv[i], window))
			die(EXIT_USAGE, "%s: START+SIZE is accepted", argv[i]);
	}
}

int main(int argc, char **argv)
{
	struct pieces p = {.count = 0};
	struct rng rng;
	bool scattered;
	unsigned int i;
	u64 wrong = 0;

	if (argc < 4)
		die(EXIT_USAGE, "pattern write|scatter|check DEVICE SEED "
				"[START+SIZE]...");
	config.path = argv[2];
	config.seed = strtoull(argv[3], NULL, 0);
	parse_windows(argc, argv);
	device_open(config.path);
	shadow_create();
	rng.state = config.seed;
	scattered = !strcmp(argv[1], "scatter");
	for (i = 0; i < shadow_windows(); i++)
		cut(&p, shadow_window(i), scattered ? &rng : NULL);
	if (!strcmp(argv[1], "check")) {
		wrong = check(&p);
	} else {
		if (scattered)
			shuffle(&p, &rng);
		scatter(&p);
		fsync(device.direct);
	}
	if (wrong)
		die(EXIT_WRONG, "%s: %llu blocks of %u bytes are wrong",
		    config.path, (unsigned long long)wrong, device.block_bytes);
	return 0;
}
