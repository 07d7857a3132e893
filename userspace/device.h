/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One block device: who it is, whether it is in use, its bytes, and the
 * version 1.2 superblock on it.
 *
 * Reads and writes bypass the page cache where that is possible: the module
 * writes superblocks behind the cache's back.
 */
#ifndef RAIDCTL_DEVICE_H
#define RAIDCTL_DEVICE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/sysmacros.h>
#include <sys/types.h>

#include "core/superblock.h"
#include "mqr_uapi.h"
#include "options.h"

#define DEVICES_MAX WORDS_MAX
#define SECTOR_BYTES (1ull << MQR_SECTOR_SHIFT)

struct device {
	/* as the user gave it */
	const char *given;
	/* as the kernel calls it, "/dev/nvme0n1" */
	char path[PATH_MAX];
	dev_t number;
	/* -1 when closed */
	int fd;
	bool regular_file;
	u64 sectors;
	u32 logical_block_size;

	/* filled in by device_read_sb() */
	enum mqr_sb_error sb_state;
	struct mqr_why sb_why;
	struct mqr_sb sb;
	/* the 4096 bytes as read, aligned for direct I/O */
	void *image;
};

struct device_list {
	struct device *dev[DEVICES_MAX];
	unsigned int n;
};

/* How to open. */
enum device_use {
	/* read only, regular files too */
	DEVICE_LOOK,
	/* for writing, exclusively; block devices only */
	DEVICE_CLAIM,
};

/* RC_OK, or the code after a complaint. */
int device_open(const char *path, enum device_use use, struct device **d);
/* The same without a word: NULL if it can't be opened. */
struct device *device_open_quiet(const char *path, enum device_use use);
void device_close(struct device *d);
void device_free(struct device *d);

/* False if the list is full. */
bool list_add(struct device_list *l, struct device *d);
void list_free(struct device_list *l);
/* Close all but keep what was learned: the module claims devices itself. */
void list_close(struct device_list *l);
/*
 * Open all of @words into @l.  Refuses a device that is given twice, under
 * whatever names.
 */
int list_open(struct device_list *l, const char *const *word, unsigned int n,
	      enum device_use use);

/* Any offset and length; 0 or -errno. */
int device_read(struct device *d, u64 offset, void *buf, size_t len);
int device_write(struct device *d, u64 offset, const void *buf, size_t len);
int device_sync(struct device *d);

/* 0 (then see sb_state) or -errno if it can't be read. */
int device_read_sb(struct device *d);
/* Encode @d->sb over @d->image, write, and read back.  0 or -errno. */
int device_write_sb(struct device *d);

/* Who has it: "mounted on /home", "held by md0"; empty if unknown. */
void device_user(dev_t number, char *buf, size_t size);

/* What a person recognises a drive by; empty strings if not known. */
struct device_facts {
	char model[64];
	char serial[64];
	char by_id[PATH_MAX];
};

void device_facts(dev_t number, struct device_facts *f);

/* Path of a device number, "/dev/sda"; false if there is none (any more). */
bool device_path(dev_t number, char *buf, size_t size);

static inline struct mqr_dev device_ioc(const struct device *d)
{
	return (struct mqr_dev){major(d->number), minor(d->number)};
}

#endif
