// SPDX-License-Identifier: GPL-2.0
/*
 * superblocks save|restore DIRECTORY DEVICE...
 *
 * Copy the md superblocks (version 1.2, 4 KiB into each device) to files of
 * the devices' names in DIRECTORY, or back.  One process for all of them:
 * tests that try every loss of members do this hundreds of times.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stress.h"

enum {
	SB_AT = 4096,
	SB_BYTES = 4096
};

static char image[SB_BYTES] __attribute__((aligned(SB_BYTES)));

static int open_or_die(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0644);

	if (fd < 0)
		die(EXIT_SYSTEM, "%s: %s", path, strerror(errno));
	return fd;
}

static void copy(const char *from, off_t at, int from_flags, const char *to,
		 off_t to_at, int to_flags)
{
	int in = open_or_die(from, O_RDONLY | from_flags);
	int out = open_or_die(to, O_WRONLY | to_flags);

	if (pread(in, image, SB_BYTES, at) != SB_BYTES)
		die(EXIT_SYSTEM, "%s: no whole superblock was read", from);
	if (pwrite(out, image, SB_BYTES, to_at) != SB_BYTES || close(out))
		die(EXIT_SYSTEM, "%s: not written: %s", to, strerror(errno));
	close(in);
}

int main(int argc, char **argv)
{
	bool save = argc > 3 && !strcmp(argv[1], "save");
	char file[4096];

	if (argc < 4 || (!save && strcmp(argv[1], "restore")))
		die(EXIT_USAGE, "usage: superblocks save|restore DIRECTORY "
				"DEVICE...");
	for (char **path = argv + 3; *path; path++) {
		const char *slash = strrchr(*path, '/');

		snprintf(file, sizeof(file), "%s/sb.%s", argv[2],
			 slash ? slash + 1 : *path);
		if (save)
			copy(*path, SB_AT, O_DIRECT, file, 0,
			     O_CREAT | O_TRUNC);
		else
			copy(file, 0, 0, *path, SB_AT, O_DIRECT);
	}
	return 0;
}
