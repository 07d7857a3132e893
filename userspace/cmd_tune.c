// SPDX-License-Identifier: GPL-2.0
/* set and get: the files under /sys/block/mqrN/mqraid, by name. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "ctl.h"
#include "output.h"

#define KEY_MAX_CHARS 64

/* What the driver takes, for those who gave it something else. */
static const struct {
	const char *key;
	const char *accepted;
} tunables[] = {
	{"max_read_errors", "1 to 1000000 errors"},
	{"mirror_stable", "0 or 1; 1 on RAID 1 and 10 only"},
	{"safe_delay_ms", "0 (never) to 3600000 milliseconds"},
	{"sync_rows", "1 to 256 rows"},
	{"sync_speed_max", "0 (no limit) to 4294967295 KiB/s"},
	{"zero_copy", "0 or 1; 1 on RAID 5 and 6 only"},
};

static const char *accepted_by(const char *key)
{
	unsigned int i;

	for (i = 0; i < sizeof(tunables) / sizeof(*tunables); i++)
		if (!strcmp(tunables[i].key, key))
			return tunables[i].accepted;
	return NULL;
}

static void tunables_dir(u32 array, char *buf, size_t size)
{
	snprintf(buf, size, "/sys/block/mqr%u/mqraid", array);
}

static bool key_ok(const char *key)
{
	const char *c;

	for (c = key; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_", *c))
			return false;
	return c != key && c - key < KEY_MAX_CHARS;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names of the regular files, sorted.  The strings are the caller's. */
static unsigned int list_keys(u32 array, char **key, unsigned int max)
{
	char dir_name[64], path[400];
	const struct dirent *e;
	unsigned int n = 0;
	struct stat st;
	DIR *dir;

	tunables_dir(array, dir_name, sizeof(dir_name));
	dir = opendir(dir_name);
	while (dir && n < max && (e = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", dir_name, e->d_name);
		if (!stat(path, &st) && S_ISREG(st.st_mode))
			key[n++] = strdup(e->d_name);
	}
	if (dir)
		closedir(dir);
	qsort(key, n, sizeof(*key), by_name);
	return n;
}

static int unknown_key(u32 array, const char *key, bool writable)
{
	char *keys[WORDS_MAX], names[1024] = "", path[160], dir[64];
	unsigned int i, n = list_keys(array, keys, WORDS_MAX);
	struct stat st;
	int len = 0;

	tunables_dir(array, dir, sizeof(dir));
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%.64s", dir, keys[i]);
		if (!writable || (!stat(path, &st) && st.st_mode & 0222))
			len += scnprintf(names + len,
					 sizeof(names) - (size_t)len, " %s",
					 keys[i]);
		free(keys[i]);
	}
	return complain(RC_USAGE, "mqr%u: %s: no such setting; there %s%s",
			array, key, len ? "are:" : "are none", names);
}

/* The value without its newline; RC_SYSTEM if it can't be read. */
static int read_key(u32 array, const char *key, char *buf, size_t size)
{
	char dir[64], path[160];
	ssize_t n;
	int fd;

	tunables_dir(array, dir, sizeof(dir));
	snprintf(path, sizeof(path), "%s/%.64s", dir, key);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return unknown_key(array, key, false);
	n = fd < 0 ? -1 : read(fd, buf, size - 1);
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return complain(RC_SYSTEM, "mqr%u: %s: %s", array, key,
				strerror(errno));
	buf[n] = 0;
	while (n && buf[n - 1] == '\n')
		buf[--n] = 0;
	return RC_OK;
}

static int get_one(u32 array, const char *key)
{
	char value[4096], *line = value, *next;
	int rc;

	if (!key_ok(key))
		return unknown_key(array, key, false);
	rc = read_key(array, key, value, sizeof(value));
	if (rc)
		return rc;
	out_str(key, NULL, "%s", value);
	if (!strchr(value, '\n')) {
		out_line("%s=%s", key, value);
		return RC_OK;
	}
	out_line("%s:", key);
	while ((next = strsep(&line, "\n")))
		out_line("  %s", next);
	return RC_OK;
}

static int get_all(u32 array)
{
	char *keys[WORDS_MAX], path[160], dir[64];
	unsigned int i, n = list_keys(array, keys, WORDS_MAX);
	struct stat st;
	int rc = RC_OK;

	tunables_dir(array, dir, sizeof(dir));
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%.64s", dir, keys[i]);
		/* some files are written only */
		if (!stat(path, &st) && st.st_mode & 0444)
			rc = worst(rc, get_one(array, keys[i]));
		free(keys[i]);
	}
	return rc;
}

int cmd_get(struct invocation *inv)
{
	struct mqr_ioc_status s;
	unsigned int i;
	int rc = ctl_find(inv->args.word[0], &s);

	if (rc)
		return rc;
	out_str("array", NULL, "mqr%u", s.array);
	out_object("settings");
	if (inv->args.n == 1)
		rc = get_all(s.array);
	for (i = 1; i < inv->args.n; i++)
		rc = worst(rc, get_one(s.array, inv->args.word[i]));
	out_close();
	return rc;
}

/* Splits "KEY=VALUE" into @key (at least KEY_MAX_CHARS) and the value. */
static const char *split(const char *word, char *key)
{
	const char *equals = strchr(word, '=');

	if (!equals || equals - word >= KEY_MAX_CHARS)
		return NULL;
	memcpy(key, word, (size_t)(equals - word));
	key[equals - word] = 0;
	return equals + 1;
}

static int set_one(u32 array, const char *key, const char *value)
{
	char dir[64], path[160];
	int fd, err;
	ssize_t n;

	if (!key_ok(key))
		return unknown_key(array, key, true);
	tunables_dir(array, dir, sizeof(dir));
	snprintf(path, sizeof(path), "%s/%.64s", dir, key);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == EACCES))
		return errno == ENOENT
			       ? unknown_key(array, key, true)
			       : complain(RC_USAGE,
					  "mqr%u: %s can't be set (or raidctl "
					  "doesn't run as root)",
					  array, key);
	n = fd < 0 ? -1 : write(fd, value, strlen(value));
	err = errno;
	if (fd >= 0)
		close(fd);
	if (n >= 0)
		return RC_OK;
	if (err == EBUSY)
		return complain(
			RC_SYSTEM,
			"mqr%u: %s=%s: the array is open; accepted "
			"while it isn't: unmount it first, or try again "
			"if it was just made",
			array, key, value);
	if ((err == EINVAL || err == ERANGE) && accepted_by(key))
		return complain(RC_USAGE, "mqr%u: %s=%s: accepted is %s", array,
				key, value, accepted_by(key));
	if (err == EINVAL || err == ERANGE)
		return complain(RC_USAGE,
				"mqr%u: %s=%s: not accepted now; the kernel's "
				"log may say why",
				array, key, value);
	return complain(RC_SYSTEM, "mqr%u: %s=%s: %s", array, key, value,
			strerror(err));
}

int cmd_set(struct invocation *inv)
{
	struct mqr_ioc_status s;
	char key[KEY_MAX_CHARS];
	unsigned int i;
	int rc = RC_OK;

	for (i = 1; i < inv->args.n; i++)
		if (!split(inv->args.word[i], key))
			return complain(RC_USAGE,
					"set: %s: accepted is "
					"KEY=VALUE",
					inv->args.word[i]);
	rc = ctl_find(inv->args.word[0], &s);
	for (i = 1; i < inv->args.n && !rc; i++) {
		const char *value = split(inv->args.word[i], key);

		rc = set_one(s.array, key, value);
	}
	return rc;
}
