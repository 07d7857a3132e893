/* SPDX-License-Identifier: GPL-2.0 */
/* What the fuzz targets share: claims, and numbers out of the input. */
#ifndef MQR_FUZZ_H
#define MQR_FUZZ_H

#include <stdlib.h>

#include "core/platform.h"

/* Called by libFuzzer. */
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define claim(condition)                                                   \
	do {                                                               \
		if (!(condition)) {                                        \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, \
				#condition);                               \
			abort();                                           \
		}                                                          \
	} while (0)

struct input {
	const u8 *data;
	size_t size;
};

/* The next @bytes bytes of the input as a number; 0 where it has ended. */
static inline u64 input_take(struct input *in, size_t bytes)
{
	u64 value = 0;
	size_t i;

	for (i = 0; i < bytes && in->size; i++) {
		value |= (u64)*in->data++ << (8 * i);
		in->size--;
	}
	return value;
}

#endif
