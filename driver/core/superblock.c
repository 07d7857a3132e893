// SPDX-License-Identifier: GPL-2.0
/*
 * The codec of md's version 1.2 superblock.
 *
 * Decoding goes from the outside to the inside: is it one, is it whole, are
 * its numbers possible, is everything in it known to us, does it describe an
 * array.  The first thing that isn't right is what the caller is told.
 *
 * Encoding touches nothing but the fields of struct mqr_sb, and these only
 * if they differ in meaning: a decoded image encodes to the same bytes.
 */
#include "superblock.h"

#include <linux/raid/md_p.h>

/* One more field, in what used to be padding: kernel 6.19 and newer. */
#define LBS_AT 224
/* What remains of the padding behind it. */
#define PAD_AT (LBS_AT + sizeof(__le32))
#define ROLES_AT 256u
/* Roles that fit an image. */
#define IMAGE_ROLES ((MQR_SB_BYTES - ROLES_AT) / sizeof(__le16))
/* An image in sectors. */
#define IMAGE_SECTORS (MQR_SB_BYTES >> MQR_SECTOR_SHIFT)
#define MIN_LBS 512u
#define MAX_LBS 65536u

#define AT(field, at) \
	_Static_assert(offsetof(struct mdp_superblock_1, field) == (at), #field)

AT(magic, 0);
AT(major_version, 4);
AT(feature_map, 8);
AT(pad0, 12);
AT(set_uuid, 16);
AT(set_name, 32);
AT(ctime, 64);
AT(level, 72);
AT(layout, 76);
AT(size, 80);
AT(chunksize, 88);
AT(raid_disks, 92);
AT(bitmap_offset, 96);
AT(data_offset, 128);
AT(data_size, 136);
AT(super_offset, 144);
AT(recovery_offset, 152);
AT(dev_number, 160);
AT(cnt_corrected_read, 164);
AT(device_uuid, 168);
AT(devflags, 184);
AT(bblog_size, 186);
AT(bblog_offset, 188);
AT(utime, 192);
AT(events, 200);
AT(resync_offset, 208);
AT(sb_csum, 216);
AT(max_dev, 220);
AT(dev_roles, ROLES_AT);
_Static_assert(sizeof(struct mdp_superblock_1) == ROLES_AT, "size");

#define FEATURES_KNOWN                                           \
	(MD_FEATURE_BITMAP_OFFSET | MD_FEATURE_RECOVERY_OFFSET | \
	 MD_FEATURE_RAID0_LAYOUT | MQR_FEATURE_OWNER)

/* Features of md that we don't support; what is in neither list is unknown. */
static const struct {
	u32 bit;
	const char *name;
} refused[] = {
	{MD_FEATURE_RESHAPE_ACTIVE, "a reshape in progress"},
	{MD_FEATURE_BAD_BLOCKS, "recorded bad blocks"},
	{MD_FEATURE_REPLACEMENT, "a replacement in progress"},
	{MD_FEATURE_RESHAPE_BACKWARDS, "a reshape in progress (backwards)"},
	{MD_FEATURE_NEW_OFFSET, "a change of the data offset in progress"},
	{MD_FEATURE_RECOVERY_BITMAP, "a recovery guided by the bitmap"},
	{MD_FEATURE_CLUSTERED, "a cluster"},
	{MD_FEATURE_JOURNAL, "a journal device"},
	{MD_FEATURE_PPL, "a partial parity log (PPL)"},
	{MD_FEATURE_MULTIPLE_PPLS, "multiple partial parity logs (PPL)"},
};

/* Valid for any max_dev up to IMAGE_ROLES. */
static u32 checksum(const struct mdp_superblock_1 *raw)
{
	u32 bytes = ROLES_AT + 2 * le32_to_cpu(raw->max_dev);
	const __le32 *word = (const __le32 *)raw;
	u64 sum = 0;
	u32 i;

	for (i = 0; i < bytes / sizeof(*word); i++)
		sum += le32_to_cpu(word[i]);
	if (bytes % sizeof(*word))
		sum += le16_to_cpu(*(const __le16 *)&word[i]);
	sum -= le32_to_cpu(raw->sb_csum);
	return (u32)sum + (u32)(sum >> 32);
}

static u64 seconds(__le64 time)
{
	return le64_to_cpu(time) & MD_SUPERBLOCK_1_TIME_SEC_MASK;
}

static u32 get_lbs(const struct mdp_superblock_1 *raw)
{
	__le32 lbs;

	memcpy(&lbs, (const u8 *)raw + LBS_AT, sizeof(lbs));
	return le32_to_cpu(lbs);
}

static void decode_array(struct mqr_sb *sb, const struct mdp_superblock_1 *raw)
{
	sb->feature_map = le32_to_cpu(raw->feature_map);
	memcpy(sb->set_uuid, raw->set_uuid, sizeof(sb->set_uuid));
	memcpy(sb->set_name, raw->set_name,
	       strnlen(raw->set_name, sizeof(raw->set_name)));
	sb->ctime = seconds(raw->ctime);
	sb->level = (s32)le32_to_cpu(raw->level);
	sb->layout = le32_to_cpu(raw->layout);
	/* Before kernel 5.4, RAID 0 left anything here. */
	if (sb->level == 0 && !(sb->feature_map & MD_FEATURE_RAID0_LAYOUT))
		sb->layout = MQR_RAID0_UNSET;
	sb->size = le64_to_cpu(raw->size);
	sb->chunk_sectors = le32_to_cpu(raw->chunksize);
	sb->raid_disks = le32_to_cpu(raw->raid_disks);
	sb->bitmap_offset = (s32)le32_to_cpu(raw->bitmap_offset);
	sb->utime = seconds(raw->utime);
	sb->events = le64_to_cpu(raw->events);
	sb->resync_offset = le64_to_cpu(raw->resync_offset);
	sb->logical_block_size = get_lbs(raw);
}

static void decode_member(struct mqr_sb *sb, const struct mdp_superblock_1 *raw)
{
	u32 i;

	sb->data_offset = le64_to_cpu(raw->data_offset);
	sb->data_size = le64_to_cpu(raw->data_size);
	sb->super_offset = le64_to_cpu(raw->super_offset);
	sb->recovery_offset = MQR_ALL_DONE;
	if (sb->feature_map & MD_FEATURE_RECOVERY_OFFSET)
		sb->recovery_offset = le64_to_cpu(raw->recovery_offset);
	sb->dev_number = le32_to_cpu(raw->dev_number);
	sb->corrected_reads = le32_to_cpu(raw->cnt_corrected_read);
	memcpy(sb->device_uuid, raw->device_uuid, sizeof(sb->device_uuid));
	sb->devflags = raw->devflags;
	sb->bblog_size = le16_to_cpu(raw->bblog_size);
	sb->bblog_offset = (s32)le32_to_cpu(raw->bblog_offset);
	sb->max_dev = le32_to_cpu(raw->max_dev);
	for (i = 0; i < sb->max_dev && i < MQR_SB_MAX_DEV; i++)
		sb->role[i] = le16_to_cpu(raw->dev_roles[i]);
}

/* Is it a superblock, and as it was written? */
static enum mqr_sb_error check_image(const struct mdp_superblock_1 *raw,
				     struct mqr_why *why)
{
	u32 max_dev = le32_to_cpu(raw->max_dev);

	if (le32_to_cpu(raw->magic) != MD_SB_MAGIC) {
		mqr_because(why, "no md superblock of version 1.2");
		return MQR_SB_NONE;
	}
	if (le32_to_cpu(raw->major_version) != 1) {
		mqr_because(why, "superblock major version is %u: must be 1",
			    le32_to_cpu(raw->major_version));
		return MQR_SB_DAMAGED;
	}
	if (!max_dev || max_dev > IMAGE_ROLES) {
		mqr_because(why, "superblock max_dev is %u: must be 1 to %u",
			    max_dev, (u32)IMAGE_ROLES);
		return MQR_SB_DAMAGED;
	}
	if (checksum(raw) != le32_to_cpu(raw->sb_csum)) {
		mqr_because(why,
			    "superblock checksum is %08x: must be %08x, some "
			    "of it is damaged",
			    le32_to_cpu(raw->sb_csum), checksum(raw));
		return MQR_SB_DAMAGED;
	}
	return MQR_SB_OK;
}

/* Do the places that it names exist? */
static enum mqr_sb_error check_places(const struct mqr_sb *sb, u64 dev_sectors,
				      struct mqr_why *why)
{
	if (sb->super_offset != MQR_SB_SECTOR) {
		mqr_because(why,
			    "superblock says that it is at sector %llu, but it "
			    "is at %u",
			    (unsigned long long)sb->super_offset,
			    MQR_SB_SECTOR);
		return MQR_SB_DAMAGED;
	}
	if (sb->data_offset < MQR_SB_SECTOR + IMAGE_SECTORS ||
	    sb->data_offset > dev_sectors || !sb->data_size ||
	    sb->data_size > dev_sectors - sb->data_offset) {
		mqr_because(why,
			    "data at sector %llu for %llu sectors: must lie "
			    "between the superblock and the end of the device "
			    "(%llu)",
			    (unsigned long long)sb->data_offset,
			    (unsigned long long)sb->data_size,
			    (unsigned long long)dev_sectors);
		return MQR_SB_DAMAGED;
	}
	if (sb->size > sb->data_size) {
		mqr_because(why,
			    "size of %llu sectors: must be data_size (%llu) or "
			    "less",
			    (unsigned long long)sb->size,
			    (unsigned long long)sb->data_size);
		return MQR_SB_DAMAGED;
	}
	return MQR_SB_OK;
}

static enum mqr_sb_error check_numbers(const struct mqr_sb *sb,
				       struct mqr_why *why)
{
	u32 lbs = sb->logical_block_size;

	if (sb->dev_number >= sb->max_dev) {
		mqr_because(
			why,
			"device number is %u: must be less than max_dev (%u)",
			sb->dev_number, sb->max_dev);
		return MQR_SB_DAMAGED;
	}
	if (sb->level && (sb->feature_map & MD_FEATURE_RAID0_LAYOUT)) {
		mqr_because(why,
			    "feature bit of a RAID 0 layout on level %d: must "
			    "be clear",
			    sb->level);
		return MQR_SB_DAMAGED;
	}
	if (lbs && (lbs < MIN_LBS || lbs > MAX_LBS || (lbs & (lbs - 1)))) {
		mqr_because(why,
			    "logical block size is %u bytes: must be 0 or a "
			    "power of two from %u to %u",
			    lbs, MIN_LBS, MAX_LBS);
		return MQR_SB_DAMAGED;
	}
	return MQR_SB_OK;
}

static enum mqr_sb_error check_features(const struct mqr_sb *sb,
					struct mqr_why *why)
{
	u32 unknown = sb->feature_map & ~FEATURES_KNOWN;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		if (unknown & refused[i].bit) {
			mqr_because(why,
				    "the array has %s, which is not supported "
				    "(feature bit 0x%x)",
				    refused[i].name, refused[i].bit);
			return MQR_SB_UNSUPPORTED;
		}
	}
	if (unknown) {
		mqr_because(why,
			    "the array uses unknown features (bits 0x%x): it "
			    "needs newer software",
			    unknown);
		return MQR_SB_UNSUPPORTED;
	}
	return MQR_SB_OK;
}

/* New fields appear in padding.  What we don't know, we mustn't write to. */
static enum mqr_sb_error check_padding(const struct mdp_superblock_1 *raw,
				       struct mqr_why *why)
{
	const u8 *byte = (const u8 *)raw;
	size_t at = offsetof(struct mdp_superblock_1, pad0);

	if (!raw->pad0)
		for (at = PAD_AT; at < ROLES_AT && !byte[at];)
			at++;
	if (at == ROLES_AT)
		return MQR_SB_OK;
	mqr_because(why,
		    "superblock has an unknown field at byte %u: must be 0, "
		    "newer software wrote it",
		    (u32)at);
	return MQR_SB_UNSUPPORTED;
}

/*
 * Bitmap and bad-block log must leave the image alone, which is written as a
 * whole, and the data.  (mdadm of long ago put a bitmap 1 KiB behind the
 * superblock.)
 */
static enum mqr_sb_error check_area(const struct mqr_sb *sb, const char *what,
				    s32 offset, u32 sectors,
				    struct mqr_why *why)
{
	if (offset >= (s32)IMAGE_SECTORS &&
	    MQR_SB_SECTOR + (u64)offset + sectors <= sb->data_offset)
		return MQR_SB_OK;
	mqr_because(why,
		    "%s %d sectors from the superblock: must be %u or more, "
		    "and before the data at sector %llu",
		    what, offset, IMAGE_SECTORS,
		    (unsigned long long)sb->data_offset);
	return MQR_SB_UNSUPPORTED;
}

static enum mqr_sb_error check_areas(const struct mqr_sb *sb,
				     struct mqr_why *why)
{
	enum mqr_sb_error err = MQR_SB_OK;

	if (sb->feature_map & MD_FEATURE_BITMAP_OFFSET)
		err = check_area(sb, "bitmap", sb->bitmap_offset, 1, why);
	if (!err && sb->bblog_size)
		err = check_area(sb, "bad-block log", sb->bblog_offset,
				 sb->bblog_size, why);
	return err;
}

static enum mqr_sb_error check_shape(const struct mqr_sb *sb,
				     struct mqr_why *why)
{
	struct mqr_geo_params p;

	if (sb->max_dev > MQR_SB_MAX_DEV) {
		mqr_because(why, "max_dev of %u is not supported: 1 to %u is",
			    sb->max_dev, MQR_SB_MAX_DEV);
		return MQR_SB_UNSUPPORTED;
	}
	mqr_sb_geometry(sb, &p);
	return mqr_geo_check(&p, why) ? MQR_SB_UNSUPPORTED : MQR_SB_OK;
}

/* Only now: in a reshape, roles up to the new number of members are fine. */
static enum mqr_sb_error check_roles(const struct mqr_sb *sb,
				     struct mqr_why *why)
{
	u32 i;

	if (sb->level && sb->size < max(sb->chunk_sectors, 1u)) {
		mqr_because(
			why,
			"size of %llu sectors: must be a chunk (%u) or more",
			(unsigned long long)sb->size, sb->chunk_sectors);
		return MQR_SB_DAMAGED;
	}
	for (i = 0; i < sb->max_dev; i++) {
		if (sb->role[i] < sb->raid_disks ||
		    sb->role[i] == MQR_ROLE_SPARE ||
		    sb->role[i] == MQR_ROLE_FAULTY)
			continue;
		mqr_because(why,
			    "role of device %u is 0x%x: must be a slot less "
			    "than %u, spare or faulty",
			    i, sb->role[i], sb->raid_disks);
		return MQR_SB_DAMAGED;
	}
	return MQR_SB_OK;
}

enum mqr_sb_error mqr_sb_decode(struct mqr_sb *sb, const void *image,
				u64 dev_sectors, struct mqr_why *why)
{
	const struct mdp_superblock_1 *raw = image;
	enum mqr_sb_error err;

	memset(sb, 0, sizeof(*sb));
	err = check_image(raw, why);
	if (err)
		return err;
	decode_array(sb, raw);
	decode_member(sb, raw);

	err = check_places(sb, dev_sectors, why);
	if (!err)
		err = check_numbers(sb, why);
	if (!err)
		err = check_features(sb, why);
	if (!err)
		err = check_padding(raw, why);
	if (!err)
		err = check_areas(sb, why);
	if (!err)
		err = check_shape(sb, why);
	if (!err)
		err = check_roles(sb, why);
	return err;
}

/* The upper bits, microseconds, are none of our concern. */
static void put_seconds(__le64 *field, u64 time)
{
	if (seconds(*field) != time)
		*field = cpu_to_le64(time & MD_SUPERBLOCK_1_TIME_SEC_MASK);
}

/* What follows the end of the name stays if the name does. */
static void put_name(struct mdp_superblock_1 *raw, const struct mqr_sb *sb)
{
	size_t size = sizeof(raw->set_name);

	if (!strncmp(raw->set_name, sb->set_name, size))
		return;
	memset(raw->set_name, 0, size);
	memcpy(raw->set_name, sb->set_name, strnlen(sb->set_name, size));
}

static void encode_array(struct mdp_superblock_1 *raw, const struct mqr_sb *sb)
{
	__le32 lbs = cpu_to_le32(sb->logical_block_size);
	u32 features = sb->feature_map;
	bool unset = sb->level == 0 && sb->layout == MQR_RAID0_UNSET;

	/* Never leave out the bit that makes others honour the value. */
	if (sb->recovery_offset != MQR_ALL_DONE)
		features |= MD_FEATURE_RECOVERY_OFFSET;
	if (sb->level == 0 && !unset)
		features |= MD_FEATURE_RAID0_LAYOUT;
	raw->feature_map = cpu_to_le32(features);
	memcpy(raw->set_uuid, sb->set_uuid, sizeof(raw->set_uuid));
	put_name(raw, sb);
	put_seconds(&raw->ctime, sb->ctime);
	raw->level = cpu_to_le32((u32)sb->level);
	if (!unset || (features & MD_FEATURE_RAID0_LAYOUT))
		raw->layout = cpu_to_le32(sb->layout);
	raw->size = cpu_to_le64(sb->size);
	raw->chunksize = cpu_to_le32(sb->chunk_sectors);
	raw->raid_disks = cpu_to_le32(sb->raid_disks);
	raw->bitmap_offset = cpu_to_le32((u32)sb->bitmap_offset);
	put_seconds(&raw->utime, sb->utime);
	raw->events = cpu_to_le64(sb->events);
	raw->resync_offset = cpu_to_le64(sb->resync_offset);
	memcpy((u8 *)raw + LBS_AT, &lbs, sizeof(lbs));
}

static void encode_member(struct mdp_superblock_1 *raw, const struct mqr_sb *sb)
{
	u32 i;

	raw->data_offset = cpu_to_le64(sb->data_offset);
	raw->data_size = cpu_to_le64(sb->data_size);
	raw->super_offset = cpu_to_le64(sb->super_offset);
	if (raw->feature_map & cpu_to_le32(MD_FEATURE_RECOVERY_OFFSET))
		raw->recovery_offset = cpu_to_le64(sb->recovery_offset);
	raw->dev_number = cpu_to_le32(sb->dev_number);
	raw->cnt_corrected_read = cpu_to_le32(sb->corrected_reads);
	memcpy(raw->device_uuid, sb->device_uuid, sizeof(raw->device_uuid));
	raw->devflags = sb->devflags;
	raw->bblog_size = cpu_to_le16(sb->bblog_size);
	raw->bblog_offset = cpu_to_le32((u32)sb->bblog_offset);
	raw->max_dev = cpu_to_le32(min(sb->max_dev, (u32)IMAGE_ROLES));
	for (i = 0; i < sb->max_dev && i < MQR_SB_MAX_DEV; i++)
		raw->dev_roles[i] = cpu_to_le16(sb->role[i]);
}

void mqr_sb_encode(const struct mqr_sb *sb, void *image)
{
	struct mdp_superblock_1 *raw = image;

	raw->magic = cpu_to_le32(MD_SB_MAGIC);
	raw->major_version = cpu_to_le32(1);
	encode_array(raw, sb);
	encode_member(raw, sb);
	raw->sb_csum = cpu_to_le32(checksum(raw));
}

u16 mqr_sb_own_role(const struct mqr_sb *sb)
{
	if (sb->dev_number >= min(sb->max_dev, MQR_SB_MAX_DEV))
		return MQR_ROLE_SPARE;
	return sb->role[sb->dev_number];
}

void mqr_sb_geometry(const struct mqr_sb *sb, struct mqr_geo_params *p)
{
	memset(p, 0, sizeof(*p));
	p->level = sb->level;
	p->raid_disks = sb->raid_disks;
	p->member_sectors = sb->size;
	/* A mirror has neither, and md ignores what is there. */
	if (sb->level == 1)
		return;
	p->layout = sb->layout;
	p->chunk_sectors = sb->chunk_sectors;
}

const char *mqr_sb_short_name(const struct mqr_sb *sb)
{
	const char *colon = strchr(sb->set_name, ':');

	return colon ? colon + 1 : sb->set_name;
}
