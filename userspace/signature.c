// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <blkid/blkid.h>
#include <linux/fs.h>

#include "output.h"
#include "signature.h"

/*
 * libblkid 2.38 reads with buffers that direct I/O refuses, so it gets a
 * descriptor of its own.  The caller's keeps the exclusive claim.
 */
static int probe_open(const struct device *d, int flags, blkid_probe *pr)
{
	int fd = open(d->path, flags | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	/* What others wrote past the page cache must be seen. */
	ioctl(fd, BLKFLSBUF);
	*pr = blkid_new_probe();
	if (!*pr || blkid_probe_set_device(*pr, fd, 0, 0)) {
		blkid_free_probe(*pr);
		close(fd);
		return -EIO;
	}
	blkid_probe_enable_superblocks(*pr, 1);
	blkid_probe_set_superblocks_flags(
		*pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
			     BLKID_SUBLKS_UUID | BLKID_SUBLKS_LABEL |
			     BLKID_SUBLKS_VERSION | BLKID_SUBLKS_MAGIC |
			     BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(*pr, 1);
	blkid_probe_set_partitions_flags(*pr, BLKID_PARTS_MAGIC);
	return fd;
}

static const char *probe_value(blkid_probe pr, const char *name)
{
	const char *value;

	if (blkid_probe_lookup_value(pr, name, &value, NULL))
		return NULL;
	return *value ? value : NULL;
}

static void describe(blkid_probe pr, struct signatures *s)
{
	const char *table = probe_value(pr, "PTTYPE");
	const char *type = probe_value(pr, "TYPE");
	const char *usage = probe_value(pr, "USAGE");
	const char *label = probe_value(pr, "LABEL");
	const char *uuid = probe_value(pr, "UUID");
	size_t n = strlen(s->text);
	char *text = s->text + n;
	size_t size = sizeof(s->text) - n;

	if (n)
		n += (size_t)scnprintf(text, size, ", ");
	text = s->text + n;
	size = sizeof(s->text) - n;
	if (!type) {
		scnprintf(text, size, "%s partition table",
			  table ? table : "unknown");
		return;
	}
	scnprintf(text, size, "%s%s%s%s%s%s%s%s", type,
		  usage && !strcmp(usage, "filesystem") ? " file system" : "",
		  label || uuid ? " (" : "", label ? "label " : "",
		  label ? label : "", label && uuid ? ", " : "",
		  uuid ? "UUID " : "", uuid ? uuid : "");
	if (label || uuid)
		strncat(s->text, ")", sizeof(s->text) - strlen(s->text) - 1);
}

static void describe_raid(blkid_probe pr, struct signatures *s)
{
	const char *type = probe_value(pr, "TYPE");
	const char *uuid = probe_value(pr, "UUID");
	const char *version = probe_value(pr, "VERSION");

	if (!type || strcmp(type, "linux_raid_member"))
		return;
	s->raid = true;
	if (uuid)
		s->raid_uuid_known = parse_uuid(uuid, s->raid_uuid);
	if (version)
		snprintf(s->raid_version, sizeof(s->raid_version), "%s",
			 version);
}

int signatures_find(const struct device *d, struct signatures *s)
{
	blkid_probe pr;
	int fd = probe_open(d, O_RDONLY, &pr);
	int found;

	memset(s, 0, sizeof(*s));
	if (fd < 0)
		return fd;
	while ((found = blkid_do_probe(pr)) == 0) {
		s->n++;
		describe(pr, s);
		describe_raid(pr, s);
	}
	blkid_free_probe(pr);
	close(fd);
	return found < 0 ? -EIO : 0;
}

int signatures_wipe(const struct device *d)
{
	blkid_probe pr;
	int fd = probe_open(d, O_RDWR, &pr);
	int found, err = 0;

	if (fd < 0)
		return fd;
	while (!err && (found = blkid_do_probe(pr)) == 0)
		err = blkid_do_wipe(pr, 0) ? -EIO : 0;
	if (!err && found < 0)
		err = -EIO;
	blkid_free_probe(pr);
	if (fsync(fd) && !err)
		err = -errno;
	/* Partitions of a table that is gone; fails where there are none. */
	ioctl(fd, BLKRRPART);
	close(fd);
	return err;
}

static bool listed(const struct uuid_list *l, const u8 *uuid)
{
	unsigned int i;

	for (i = 0; i < l->n; i++)
		if (!memcmp(l->uuid[i], uuid, 16))
			return true;
	return false;
}

/* "array ..., RAID 6, slot 2, last update ..." of a member of version 1.2 */
static void describe_member(const struct device *d, char *buf, size_t size)
{
	const struct mqr_sb *sb = &d->sb;
	u16 role = mqr_sb_own_role(sb);
	char uuid[UUID_TEXT], time[40], slot[32];

	if (role < MQR_ROLE_MAX)
		snprintf(slot, sizeof(slot), "slot %u", role);
	else
		snprintf(slot, sizeof(slot), "%s",
			 role == MQR_ROLE_SPARE ? "a spare" : "no member");
	snprintf(buf, size,
		 "array %s (%s), %s of %u devices, %s, last update "
		 "%s",
		 text_uuid(uuid, sb->set_uuid), sb->set_name,
		 mqr_level_name(sb->level), sb->raid_disks, slot,
		 text_time(time, sizeof(time), sb->utime));
}

static int refuse_member(struct device *d, const struct signatures *s,
			 bool force, const struct uuid_list *destroy)
{
	bool sound =
		d->sb_state == MQR_SB_OK || d->sb_state == MQR_SB_UNSUPPORTED;
	const u8 *array = sound ? d->sb.set_uuid : s->raid_uuid;
	bool ours = sound && d->sb.feature_map & MQR_FEATURE_OWNER;
	char what[320], uuid[UUID_TEXT];

	if (force && (sound || s->raid_uuid_known) && listed(destroy, array))
		return RC_OK;
	if (!sound && !s->raid_uuid_known) {
		if (force)
			return RC_OK;
		return complain(RC_USAGE,
				"%s: carries an md superblock (version %s) "
				"that can't be read; to destroy it, give "
				"--force",
				d->given, s->raid_version);
	}
	text_uuid(uuid, array);
	if (sound)
		describe_member(d, what, sizeof(what));
	else
		snprintf(what, sizeof(what), "array %s, md version %s", uuid,
			 s->raid_version);
	return complain(
		RC_USAGE,
		"%s: carries a superblock of %s; to use that array: %s%s; to "
		"destroy it, give --force and --destroy %s",
		d->given, what,
		ours ? "raidctl assemble " : "mdadm --assemble --scan --uuid ",
		uuid, uuid);
}

int signatures_refuse(struct device *d, bool force,
		      const struct uuid_list *destroy)
{
	struct signatures s;
	int err = device_read_sb(d);

	if (!err)
		err = signatures_find(d, &s);
	if (err)
		return complain(RC_SYSTEM, "%s: can't read it: %s", d->given,
				strerror(-err));
	if (s.raid || d->sb_state == MQR_SB_OK ||
	    d->sb_state == MQR_SB_UNSUPPORTED)
		return refuse_member(d, &s, force, destroy);
	if (!s.n || force)
		return RC_OK;
	return complain(RC_USAGE,
			"%s: carries data: %s; to destroy it, give --force",
			d->given, s.text);
}
