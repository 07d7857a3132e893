// SPDX-License-Identifier: GPL-2.0
/*
 * fixed DEVICE SHIFT [START]
 *
 * Write 64 KiB from a buffer registered with io_uring that begins SHIFT bytes
 * into a page, at START (default 0), and read them back.  Exit status: 0 if
 * they are there, 1 if the write was refused with EINVAL, 2 for all else.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stress.h"

enum {
	BYTES = 65536,
	PAGE = 4096
};

enum {
	FIXED_WRITTEN = 0,
	FIXED_REFUSED = 1,
	FIXED_WRONG = 2
};

int main(int argc, char **argv)
{
	char *end, *buffer, *back;
	u64 start = 0;
	size_t shift;
	int n;

	if (argc < 3)
		die(EXIT_USAGE, "usage: fixed DEVICE SHIFT [START]");
	shift = strtoul(argv[2], &end, 0);
	if (*end || shift >= PAGE)
		die(EXIT_USAGE, "%s: a shift of 0 to %d", argv[2], PAGE - 1);
	if (argc > 3)
		start = parse_size(argv[3], &end);
	if (*end)
		die(EXIT_USAGE, "%s: not a position", argv[3]);
	config.uring = true;
	device_open(argv[1]);
	buffer = aligned_alloc(PAGE, BYTES + PAGE);
	back = aligned_alloc(PAGE, BYTES);
	if (!buffer || !back)
		die(EXIT_SYSTEM, "no memory");
	for (size_t i = 0; i < BYTES; i++)
		buffer[shift + i] = (char)(i * 7 + i / 509 + shift);

	n = uring_write_fixed(uring_create(2), buffer + shift, BYTES, start);
	if (n == -EINVAL) {
		printf("refused: %s\n", strerror(EINVAL));
		return FIXED_REFUSED;
	}
	if (n != BYTES) {
		printf("written: %s\n", n < 0 ? strerror(-n) : "too little");
		return FIXED_WRONG;
	}
	if (pread(device.direct, back, BYTES, start) != BYTES ||
	    memcmp(back, buffer + shift, BYTES)) {
		printf("read back: something else\n");
		return FIXED_WRONG;
	}
	printf("written\n");
	return FIXED_WRITTEN;
}
