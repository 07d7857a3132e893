// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a superblock, and any superblocks as an array.
 *
 * The input is the size of the device (8 bytes, shifted right by 8), a byte
 * that says whether to make the checksum right, and the superblock.  What
 * comes behind its first 768 bytes changes copies of it, which make up an
 * array.
 */
#include "fuzz.h"

#include "core/superblock.h"

#define HEAD 768u
#define MEMBERS 6

union image {
	u8 byte[MQR_SB_BYTES];
	u64 aligned;
};

static u32 get32(const u8 *byte)
{
	return (u32)byte[0] | (u32)byte[1] << 8 | (u32)byte[2] << 16 |
	       (u32)byte[3] << 24;
}

static void put32(u8 *byte, u32 value)
{
	byte[0] = (u8)value;
	byte[1] = (u8)(value >> 8);
	byte[2] = (u8)(value >> 16);
	byte[3] = (u8)(value >> 24);
}

/* md's checksum: without that, hardly any input would get far. */
static void fix_sum(u8 *byte)
{
	u32 max_dev = get32(byte + 220);
	u32 end = 256 + 2 * min(max_dev, 1920u);
	u64 sum = 0;
	u32 at;

	put32(byte + 216, 0);
	for (at = 0; at + 4 <= end; at += 4)
		sum += get32(byte + at);
	if (at < end)
		sum += byte[at] | (u32)byte[at + 1] << 8;
	put32(byte + 216, (u32)sum + (u32)(sum >> 32));
}

/* What superblock.h promises of a superblock that is OK. */
static void check_promises(const struct mqr_sb *sb, u64 sectors)
{
	static struct mqr_geo geo;
	struct mqr_geo_params p;
	struct mqr_why why;
	u32 i;

	mqr_sb_geometry(sb, &p);
	claim(!mqr_geo_check(&p, &why));
	if (sb->level && sb->size <= 1ULL << 47)
		claim(!mqr_geo_init(&geo, &p, &why));
	claim(sb->raid_disks <= MQR_MAX_MEMBERS);
	claim(sb->data_offset >= 16 && sb->data_offset <= sectors);
	claim(sb->data_size <= sectors - sb->data_offset);
	claim(sb->size <= sb->data_size);
	claim(sb->max_dev && sb->max_dev <= MQR_SB_MAX_DEV);
	claim(sb->dev_number < sb->max_dev);
	for (i = 0; i < sb->max_dev; i++)
		claim(sb->role[i] < sb->raid_disks ||
		      sb->role[i] == MQR_ROLE_SPARE ||
		      sb->role[i] == MQR_ROLE_FAULTY);
	claim(strlen(sb->set_name) <= 32);
	claim(mqr_sb_short_name(sb) >= sb->set_name);
}

static enum mqr_sb_error decode(struct mqr_sb *sb, const union image *image,
				u64 sectors)
{
	struct mqr_why why = {""};
	union image again = *image;
	struct mqr_sb second;
	enum mqr_sb_error err;

	err = mqr_sb_decode(sb, image, sectors, &why);
	if (err)
		claim(why.text[0]);
	else
		check_promises(sb, sectors);
	if (err == MQR_SB_OK || err == MQR_SB_UNSUPPORTED) {
		mqr_sb_encode(sb, &again);
		claim(!memcmp(&again, image, sizeof(again)));
	}
	if (err == MQR_SB_OK) {
		/* On an empty image, everything that we know is there, too. */
		memset(&again, 0, sizeof(again));
		mqr_sb_encode(sb, &again);
		claim(mqr_sb_decode(&second, &again, sectors, &why) == err);
		claim(!memcmp(&second, sb, sizeof(second)));
	}
	return err;
}

static void check_choice(const struct mqr_choice *c,
			 const struct mqr_cand *cand, unsigned int n, int err)
{
	const struct mqr_sb *truth = cand[c->freshest].sb;
	unsigned int seated = 0;
	unsigned int i;
	int slot;

	claim(!(c->in_sync & c->recovering));
	for (slot = 0; slot < MQR_MAX_MEMBERS; slot++) {
		if (c->cand[slot] < 0) {
			claim(!((c->in_sync | c->recovering) >> slot & 1));
			continue;
		}
		seated++;
		claim(c->cand[slot] < (int)n);
		claim(cand[c->cand[slot]].slot == slot);
		claim(mqr_sb_own_role(cand[c->cand[slot]].sb) == slot);
		claim((c->in_sync >> slot & 1) ==
		      (cand[c->cand[slot]].verdict == MQR_IN_SYNC));
	}
	for (i = 0; i < n; i++) {
		if (cand[i].slot >= 0)
			seated--;
		/* Nobody who missed writes is in sync, unless forced. */
		if (cand[i].verdict == MQR_IN_SYNC && !c->forced)
			claim(cand[i].sb->events + 1 >= truth->events);
		claim(mqr_verdict_name(cand[i].verdict));
	}
	claim(!seated);
	claim(c->enough == mqr_level_survives(truth->level, truth->layout,
					      truth->raid_disks, ~c->in_sync));
	if (!err)
		claim(c->enough);
	if (c->forced)
		claim(c->enough && (c->dirty || !truth->level));
}

static void choose(const struct mqr_sb *sb, unsigned int n)
{
	struct mqr_cand cand[MEMBERS];
	struct mqr_cand turned[MEMBERS];
	struct mqr_choice a;
	struct mqr_choice b;
	struct mqr_why why = {""};
	unsigned int i;
	u32 flags;
	int err;

	for (flags = 0; flags <= MQR_CHOOSE_FORCE; flags++) {
		for (i = 0; i < n; i++) {
			cand[i].sb = &sb[i];
			turned[i].sb = &sb[n - 1 - i];
		}
		err = mqr_sb_choose(&a, cand, n, flags, &why);
		check_choice(&a, cand, n, err);
		if (err)
			claim(why.text[0]);
		/* Which array it is about depends on the first. */
		for (i = 0; i < n; i++)
			if (memcmp(sb[i].set_uuid, sb[0].set_uuid, 16))
				break;
		if (err || i < n)
			continue;
		/* The order doesn't matter. */
		claim(!mqr_sb_choose(&b, turned, n, flags, &why));
		claim(a.in_sync == b.in_sync && a.recovering == b.recovering);
		for (i = 0; i < n; i++)
			claim(cand[i].verdict == turned[n - 1 - i].verdict);
	}
}

/* Copies of the superblock, each with another device number and changes. */
static void make_array(const union image *first, u64 sectors, struct input *in)
{
	static struct mqr_sb sb[MEMBERS];
	union image image;
	unsigned int n = 0;
	unsigned int i;

	for (i = 0; i < MEMBERS; i++) {
		image = *first;
		put32(image.byte + 160, (u32)i);
		image.byte[168] = (u8)i;
		while (in->size) {
			u64 at = input_take(in, 2);

			if (at >= HEAD)
				break;
			image.byte[at] += (u8)input_take(in, 1);
		}
		fix_sum(image.byte);
		if (!decode(&sb[n], &image, sectors))
			n++;
	}
	if (n)
		choose(sb, n);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = {data, size};
	u64 sectors = input_take(&in, 8) >> 8;
	bool fix = input_take(&in, 1) & 1;
	static struct mqr_sb sb;
	union image image;
	size_t head = min(in.size, (size_t)HEAD);

	memset(&image, 0, sizeof(image));
	memcpy(&image, in.data, head);
	in.data += head;
	in.size -= head;
	if (fix)
		fix_sum(image.byte);
	decode(&sb, &image, sectors);
	make_array(&image, sectors, &in);
	return 0;
}
