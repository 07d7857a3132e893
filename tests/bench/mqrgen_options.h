/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MQRGEN_OPTIONS_H
#define MQRGEN_OPTIONS_H

#include "mqrgen_pure.h"

#define MQRGEN_MAX_DEVS 64
#define MQRGEN_MAX_BS (16u << 20)

enum mqrgen_op {
	MQRGEN_READ,
	MQRGEN_WRITE,
	MQRGEN_MIX,
};

enum mqrgen_pattern {
	MQRGEN_SEQ,
	MQRGEN_RAND,
};

/* A load, as a line of "key=value" words describes it. */
struct mqrgen_options {
	/* paths; they are in the text that was parsed */
	const char *dev[MQRGEN_MAX_DEVS];
	u32 nr_devs;
	/* enum mqrgen_op, enum mqrgen_pattern */
	u64 op;
	u64 pattern;
	/* percent of reads, of a mix */
	u64 rwmix;
	/* bytes of an I/O, I/Os in flight of each thread */
	u64 bs;
	u64 qd;
	u64 threads;
	/* how long; 0: until it is stopped */
	u64 ms;
	/* booleans: submit in batches; measure latency; FUA writes */
	u64 plug;
	u64 lat;
	u64 fua;
	/* of each device only so much; 0: all */
	u64 span_mb;
	u64 seed;
};

/* The word that isn't understood, and what would be. */
struct mqrgen_refusal {
	char word[64];
	char accepted[128];
};

/* 0 or -EINVAL; @text is cut to pieces, which @opt points to */
int mqrgen_options_parse(char *text, struct mqrgen_options *opt,
			 struct mqrgen_refusal *why);

#endif
