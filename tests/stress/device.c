// SPDX-License-Identifier: GPL-2.0
/*
 * The block device under test, and what it can do.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "stress.h"

struct config config;
struct device device;
static const char *device_path;

void die(int code, const char *fmt, ...)
{
	va_list args;

	fflush(stdout);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	_exit(code);
}

u64 device_sysfs(const char *file, u64 absent)
{
	unsigned long long value;
	char path[160];
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "/sys/block/%s/%s", device.name, file);
	f = fopen(path, "r");
	if (!f)
		return absent;
	n = fscanf(f, "%llu", &value);
	fclose(f);
	return n == 1 ? value : absent;
}

/* The kernel's name, whichever path was given. */
static void device_name(void)
{
	char link[64], target[256];
	struct stat st;
	ssize_t n;

	if (fstat(device.direct, &st) || !S_ISBLK(st.st_mode))
		die(EXIT_USAGE, "%s: not a block device", device_path);
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(st.st_rdev),
		 minor(st.st_rdev));
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		die(EXIT_SYSTEM, "%s: %s", link, strerror(errno));
	target[n] = 0;
	snprintf(device.name, sizeof(device.name), "%.31s",
		 strrchr(target, '/') + 1);
}

void device_reopen(void)
{
	device.direct = open(device_path, O_RDWR | O_DIRECT | O_CLOEXEC);
	device.cached = open(device_path, O_RDWR | O_CLOEXEC);
	if (device.direct < 0 || device.cached < 0)
		die(EXIT_SYSTEM, "%s: %s", device_path, strerror(errno));
	/* Readahead would cache blocks whose range we don't hold. */
	posix_fadvise(device.cached, 0, 0, POSIX_FADV_RANDOM);
}

void device_open(const char *path)
{
	u64 bytes;
	int block_bytes;

	device_path = path;
	device_reopen();
	device_name();
	if (ioctl(device.direct, BLKSSZGET, &block_bytes) ||
	    ioctl(device.direct, BLKGETSIZE64, &bytes))
		die(EXIT_SYSTEM, "%s: %s", path, strerror(errno));
	if (block_bytes > (int)MAX_BLOCK_BYTES)
		die(EXIT_USAGE, "%s: logical blocks of %d bytes, at most %u",
		    path, block_bytes, MAX_BLOCK_BYTES);
	device.block_bytes = block_bytes;
	device.blocks = bytes / block_bytes;
	/* Kernels before 6.0 want whole blocks; sysfs tells from 6.0 on. */
	device.dma_align =
		device_sysfs("queue/dma_alignment", block_bytes - 1) + 1;
	if (device.dma_align < config.align)
		device.dma_align = config.align;
	device.can_discard = device_sysfs("queue/discard_max_bytes", 0);
	device.can_zero = true;
}

void device_close(void)
{
	close(device.direct);
	close(device.cached);
}
