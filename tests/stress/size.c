// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes and windows as people write them: 4096, 64K, 1M, 2T; 2T+16M.
 */
#include <stdlib.h>
#include <string.h>

#include "stress.h"

u64 parse_size(const char *text, char **end)
{
	static const char units[] = "KMGT";
	u64 n = strtoull(text, end, 0);
	const char *unit = **end ? strchr(units, **end) : NULL;

	if (unit) {
		n <<= 10 * (unit - units + 1);
		++*end;
	}
	return n;
}

bool parse_window(const char *text, u64 window[2])
{
	char *end;

	window[0] = parse_size(text, &end);
	if (end == text || *end != '+')
		return false;
	text = end + 1;
	window[1] = parse_size(text, &end);
	return end != text && !*end;
}
