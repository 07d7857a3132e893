// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libudev.h>
#include <linux/fs.h>

#include "device.h"
#include "output.h"

#define DIRECT_BYTES 4096u

bool device_path(dev_t number, char *buf, size_t size)
{
	char link[64], target[PATH_MAX];
	const char *name;
	ssize_t n;
	char *c;

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(number),
		 minor(number));
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = 0;
	name = strrchr(target, '/');
	snprintf(buf, size, "/dev/%s", name ? name + 1 : target);
	/* sysfs spells cciss/c0d0 with a '!' */
	for (c = buf; *c; c++)
		if (*c == '!')
			*c = '/';
	return true;
}

/* Facts that need the open file.  0 or -errno. */
static int device_measure(struct device *d, const struct stat *st)
{
	int lbs = 0, read_only = 0;
	u64 bytes;

	if (d->regular_file) {
		d->sectors = (u64)st->st_size / SECTOR_BYTES;
		d->logical_block_size = SECTOR_BYTES;
		return 0;
	}
	if (ioctl(d->fd, BLKGETSIZE64, &bytes) || ioctl(d->fd, BLKSSZGET, &lbs))
		return -errno;
	d->sectors = bytes / SECTOR_BYTES;
	d->logical_block_size = (u32)lbs;
	if ((fcntl(d->fd, F_GETFL) & O_ACCMODE) != O_RDONLY &&
	    !ioctl(d->fd, BLKROGET, &read_only) && read_only)
		return -EROFS;
	return 0;
}

/* O_DIRECT where the file system or device has it. */
static int open_direct(const char *path, int flags)
{
	int fd = open(path, flags | O_DIRECT);

	return fd < 0 && errno == EINVAL ? open(path, flags) : fd;
}

/* 0 or -errno; -ENOTBLK if it is something else. */
static int device_try(struct device *d, const char *path, enum device_use use)
{
	int flags = O_CLOEXEC | O_NONBLOCK;
	struct stat st;

	flags |= use == DEVICE_CLAIM ? O_RDWR | O_EXCL : O_RDONLY;
	d->given = path;
	snprintf(d->path, sizeof(d->path), "%s", path);
	if (stat(path, &st))
		return -errno;
	d->regular_file = S_ISREG(st.st_mode);
	if (!S_ISBLK(st.st_mode) && (use == DEVICE_CLAIM || !d->regular_file))
		return -ENOTBLK;
	d->number = st.st_rdev;
	if (!d->regular_file)
		device_path(d->number, d->path, sizeof(d->path));
	d->fd = open_direct(path, flags);
	if (d->fd < 0)
		return -errno;
	return device_measure(d, &st);
}

static struct device *device_make(const char *path, enum device_use use,
				  int *err)
{
	struct device *d = allocate(sizeof(*d));

	d->fd = -1;
	d->sb_state = MQR_SB_NONE;
	d->image = aligned_alloc(DIRECT_BYTES, MQR_SB_BYTES);
	*err = d->image ? device_try(d, path, use) : -ENOMEM;
	return d;
}

static int device_complain(const struct device *d, int err)
{
	char user[256];

	switch (-err) {
	case EBUSY:
		device_user(d->number, user, sizeof(user));
		return complain(RC_USAGE,
				"%s: the device is in use%s%s; --force does "
				"not override this",
				d->given, *user ? ": " : "", user);
	case ENOTBLK:
		return complain(RC_USAGE, "%s: not a block device", d->given);
	case EROFS:
		return complain(RC_USAGE, "%s: the device is read-only",
				d->given);
	case ENOENT:
	case ENOTDIR:
	case ENXIO:
		return complain(RC_USAGE, "%s: no such device", d->given);
	case EACCES:
	case EPERM:
		return complain(RC_SYSTEM, "%s: %s: run raidctl as root",
				d->given, strerror(-err));
	default:
		return complain(RC_SYSTEM, "%s: %s", d->given, strerror(-err));
	}
}

struct device *device_open_quiet(const char *path, enum device_use use)
{
	int err;
	struct device *d = device_make(path, use, &err);

	if (!err)
		return d;
	device_free(d);
	return NULL;
}

int device_open(const char *path, enum device_use use, struct device **d)
{
	int err, rc;

	*d = device_make(path, use, &err);
	if (!err)
		return RC_OK;
	rc = device_complain(*d, err);
	device_free(*d);
	*d = NULL;
	return rc;
}

void device_close(struct device *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

void device_free(struct device *d)
{
	if (!d)
		return;
	device_close(d);
	free(d->image);
	free(d);
}

bool list_add(struct device_list *l, struct device *d)
{
	if (l->n == DEVICES_MAX)
		return false;
	l->dev[l->n++] = d;
	return true;
}

void list_free(struct device_list *l)
{
	while (l->n)
		device_free(l->dev[--l->n]);
}

void list_close(struct device_list *l)
{
	unsigned int i;

	for (i = 0; i < l->n; i++)
		device_close(l->dev[i]);
}

/*
 * An earlier device of @l that @path is, too.  Looked up before opening: an
 * exclusive open of a device that we hold already would succeed.
 */
static const struct device *list_find(const struct device_list *l,
				      const char *path)
{
	struct stat st;
	unsigned int i;

	if (stat(path, &st) || !S_ISBLK(st.st_mode))
		return NULL;
	for (i = 0; i < l->n; i++)
		if (!l->dev[i]->regular_file && l->dev[i]->number == st.st_rdev)
			return l->dev[i];
	return NULL;
}

int list_open(struct device_list *l, const char *const *word, unsigned int n,
	      enum device_use use)
{
	const struct device *twin;
	struct device *d;
	unsigned int i;
	int rc;

	for (i = 0; i < n; i++) {
		twin = list_find(l, word[i]);
		if (twin)
			return complain(RC_USAGE,
					"%s: the same device as %s (%s) is "
					"given twice",
					word[i], twin->given, twin->path);
		rc = device_open(word[i], use, &d);
		if (rc)
			return rc;
		if (list_add(l, d))
			continue;
		device_free(d);
		return complain(RC_USAGE, "more than %d devices", DEVICES_MAX);
	}
	return RC_OK;
}

/* Bytes */

struct span {
	u64 start;
	size_t len;
	char *buf;
};

/* The aligned span around the bytes wanted, with a buffer for it. */
static int span_init(struct span *s, u64 offset, size_t len)
{
	u64 end = (offset + len + DIRECT_BYTES - 1) & ~(DIRECT_BYTES - 1ull);

	s->start = offset & ~(DIRECT_BYTES - 1ull);
	s->len = end - s->start;
	s->buf = aligned_alloc(DIRECT_BYTES, s->len);
	return s->buf ? 0 : -ENOMEM;
}

static int span_read(const struct device *d, const struct span *s)
{
	size_t done = 0;

	while (done < s->len) {
		ssize_t n = pread(d->fd, s->buf + done, s->len - done,
				  (off_t)(s->start + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		done += (size_t)n;
	}
	return 0;
}

static int span_write(const struct device *d, const struct span *s)
{
	size_t done = 0;

	while (done < s->len) {
		ssize_t n = pwrite(d->fd, s->buf + done, s->len - done,
				   (off_t)(s->start + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		done += (size_t)n;
	}
	return 0;
}

int device_read(struct device *d, u64 offset, void *buf, size_t len)
{
	struct span s;
	int err = span_init(&s, offset, len);

	if (err)
		return err;
	err = span_read(d, &s);
	if (!err)
		memcpy(buf, s.buf + (offset - s.start), len);
	free(s.buf);
	return err;
}

int device_write(struct device *d, u64 offset, const void *buf, size_t len)
{
	struct span s;
	int err = span_init(&s, offset, len);

	if (err)
		return err;
	if (s.len != len)
		err = span_read(d, &s);
	if (!err) {
		memcpy(s.buf + (offset - s.start), buf, len);
		err = span_write(d, &s);
	}
	free(s.buf);
	return err;
}

int device_sync(struct device *d)
{
	return fsync(d->fd) ? -errno : 0;
}

int device_read_sb(struct device *d)
{
	u64 offset = MQR_SB_SECTOR * SECTOR_BYTES;
	int err;

	d->sb_state = MQR_SB_NONE;
	mqr_because(&d->sb_why, "no version 1.2 superblock");
	if (d->sectors < MQR_SB_SECTOR + MQR_SB_BYTES / SECTOR_BYTES)
		return 0;
	err = device_read(d, offset, d->image, MQR_SB_BYTES);
	if (!err)
		d->sb_state =
			mqr_sb_decode(&d->sb, d->image, d->sectors, &d->sb_why);
	return err;
}

int device_write_sb(struct device *d)
{
	u64 offset = MQR_SB_SECTOR * SECTOR_BYTES;
	u8 back[MQR_SB_BYTES];
	int err;

	mqr_sb_encode(&d->sb, d->image);
	err = device_write(d, offset, d->image, MQR_SB_BYTES);
	if (!err)
		err = device_sync(d);
	if (!err)
		err = device_read(d, offset, back, sizeof(back));
	if (!err && memcmp(back, d->image, sizeof(back)))
		err = -EIO;
	return err;
}

/* Who uses it */

static bool user_mount(dev_t number, char *buf, size_t size)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	unsigned int ma, mi;
	char line[8192], where[1024];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*d %*d %u:%u %*s %1023s", &ma, &mi, where) !=
		    3)
			continue;
		found = ma == major(number) && mi == minor(number);
	}
	if (f)
		fclose(f);
	if (found)
		snprintf(buf, size, "mounted on %s", where);
	return found;
}

static bool user_swap(dev_t number, char *buf, size_t size)
{
	FILE *f = fopen("/proc/swaps", "re");
	char line[4096], path[1024];
	bool found = false;
	struct stat st;

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%1023s", path) == 1 && path[0] == '/' &&
			!stat(path, &st) && S_ISBLK(st.st_mode) &&
			st.st_rdev == number;
	if (f)
		fclose(f);
	if (found)
		snprintf(buf, size, "used as swap space");
	return found;
}

static bool user_holder(const char *sys, char *buf, size_t size)
{
	const struct dirent *e;
	bool found = false;
	char path[512];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/holders", sys);
	dir = opendir(path);
	while (dir && !found && (e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(buf, size, "held by %s", e->d_name);
		found = true;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* The device number in file "dev" of sysfs directory @sys. */
static bool sys_number(const char *sys, dev_t *number)
{
	unsigned int ma, mi;
	char path[512];
	bool ok;
	FILE *f;

	snprintf(path, sizeof(path), "%s/dev", sys);
	f = fopen(path, "re");
	ok = f && fscanf(f, "%u:%u", &ma, &mi) == 2;
	if (ok)
		*number = makedev(ma, mi);
	if (f)
		fclose(f);
	return ok;
}

static bool user_direct(const char *sys, dev_t number, char *buf, size_t size)
{
	return user_mount(number, buf, size) || user_swap(number, buf, size) ||
	       user_holder(sys, buf, size);
}

/* The same of each partition. */
static bool user_partition(const char *sys, char *buf, size_t size)
{
	char path[384], user[200];
	const struct dirent *e;
	bool found = false;
	dev_t number;
	DIR *dir = opendir(sys);

	while (dir && !found && (e = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s/partition", sys, e->d_name);
		if (e->d_name[0] == '.' || access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "%s/%s", sys, e->d_name);
		if (!sys_number(path, &number) ||
		    !user_direct(path, number, user, sizeof(user)))
			continue;
		snprintf(buf, size, "partition %s is %s", e->d_name, user);
		found = true;
	}
	if (dir)
		closedir(dir);
	return found;
}

void device_user(dev_t number, char *buf, size_t size)
{
	char sys[64];

	*buf = 0;
	snprintf(sys, sizeof(sys), "/sys/dev/block/%u:%u", major(number),
		 minor(number));
	if (!user_direct(sys, number, buf, size))
		user_partition(sys, buf, size);
}

/* Who it is */

/* First line of a sysfs file without the blanks around it. */
static void read_line(const char *dir, const char *file, char *buf, size_t size)
{
	char path[PATH_MAX], line[256] = "";
	char *start = line, *end;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "re");
	if (!f)
		return;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	while (*start == ' ')
		start++;
	end = start + strcspn(start, "\n");
	while (end > start && end[-1] == ' ')
		end--;
	*end = 0;
	snprintf(buf, size, "%s", start);
}

/* Never waits for udev: reads its database, if there is one. */
static void facts_udev(dev_t number, struct device_facts *f)
{
	struct udev *udev = udev_new();
	struct udev_device *dev;
	const char *value;

	if (!udev)
		return;
	dev = udev_device_new_from_devnum(udev, 'b', number);
	if (dev) {
		value = udev_device_get_property_value(dev, "ID_MODEL");
		if (value)
			snprintf(f->model, sizeof(f->model), "%s", value);
		value = udev_device_get_property_value(dev, "ID_SERIAL_SHORT");
		if (value)
			snprintf(f->serial, sizeof(f->serial), "%s", value);
		udev_device_unref(dev);
	}
	udev_unref(udev);
}

static void facts_sysfs(dev_t number, struct device_facts *f)
{
	/* of the disk itself, or of a partition's disk */
	static const char *const where[] = {"device", "../device"};
	char dir[80];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(where); i++) {
		snprintf(dir, sizeof(dir), "/sys/dev/block/%u:%u/%s",
			 major(number), minor(number), where[i]);
		if (!*f->model)
			read_line(dir, "model", f->model, sizeof(f->model));
		if (!*f->serial)
			read_line(dir, "serial", f->serial, sizeof(f->serial));
	}
}

/* The shortest of the links says it best. */
static void facts_by_id(dev_t number, struct device_facts *f)
{
	static const char dir_name[] = "/dev/disk/by-id";
	char path[PATH_MAX];
	const struct dirent *e;
	struct stat st;
	DIR *dir = opendir(dir_name);

	while (dir && (e = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", dir_name, e->d_name);
		if (e->d_name[0] == '.' || stat(path, &st) ||
		    !S_ISBLK(st.st_mode) || st.st_rdev != number)
			continue;
		if (!*f->by_id || strlen(path) < strlen(f->by_id))
			snprintf(f->by_id, sizeof(f->by_id), "%s", path);
	}
	if (dir)
		closedir(dir);
}

void device_facts(dev_t number, struct device_facts *f)
{
	memset(f, 0, sizeof(*f));
	facts_udev(number, f);
	facts_sysfs(number, f);
	facts_by_id(number, f);
}
