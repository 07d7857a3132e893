// SPDX-License-Identifier: GPL-2.0
/* The table.  What is said here is all that help and raidctl(8) say. */
#include "commands.h"
#include "output.h"

#define OPTION(field) offsetof(struct options, field)

#define ROW_JSON                                                          \
	{                                                                 \
		.name = "json", .type = OPT_FLAG, .offset = OPTION(json), \
		.help = "print JSON instead of text"                      \
	}
#define ROW_FORCE(text)                                                     \
	{                                                                   \
		.name = "force", .type = OPT_FLAG, .offset = OPTION(force), \
		.help = text                                                \
	}
#define ROW_DESTROY                                                            \
	{                                                                      \
		.name = "destroy", .type = OPT_UUID, .arg = "UUID",            \
		.offset = OPTION(destroy), .max = 16,                          \
		.help = "with --force: the devices may be members of the "     \
			"array with "                                          \
			"this UUID, which is destroyed; may be given several " \
			"times"                                                \
	}
#define ROW_FLAG(word, field, text)                                      \
	{                                                                \
		.name = word, .type = OPT_FLAG, .offset = OPTION(field), \
		.help = text                                             \
	}
#define ROW_UUID(text)                                           \
	{                                                        \
		.name = "uuid", .type = OPT_UUID, .arg = "UUID", \
		.offset = OPTION(uuid), .max = 1, .help = text   \
	}
#define ROW_SIZE(word, field, low, high, text)                                 \
	{                                                                      \
		.name = word, .type = OPT_SIZE, .arg = "SIZE",                 \
		.offset = OPTION(field), .min = low, .max = high, .help = text \
	}

static const struct choice levels[] = {
	{"0", 0}, {"1", 1}, {"10", 10}, {"5", 5}, {"6", 6}, {NULL, 0},
};

static const struct option_def create_options[] = {
	{.name = "level",
	 .type = OPT_ENUM,
	 .arg = "LEVEL",
	 .offset = OPTION(level),
	 .choices = levels,
	 .help = "RAID level; always needed"},
	ROW_SIZE("chunk", chunk, 4096, 1 << 20,
		 "bytes in a row on one device before the next one's turn, a "
		 "power of two; 128K if not given; RAID 1 has none"),
	{.name = "layout",
	 .type = OPT_TEXT,
	 .arg = "LAYOUT",
	 .offset = OPTION(layout),
	 .help = "RAID 5 and 6: left-symmetric (default), right-symmetric, "
		 "left-asymmetric, right-asymmetric; RAID 10: near=2 "
		 "(default); RAID 0: alternate (default), original"},
	ROW_SIZE("size", size, 4096, 0,
		 "how much of each device to use; all that the smallest one "
		 "has if not given"),
	ROW_SIZE("data-offset", data_offset, 1 << 20, 0,
		 "where the data begin on each device; as mdadm would choose "
		 "if not given"),
	ROW_SIZE("logical-block-size", logical_block_size, 512, 4096,
		 "512 or 4096; the largest of the devices' if not given; it "
		 "never changes later"),
	{.name = "spare",
	 .type = OPT_LIST,
	 .arg = "DEVICE",
	 .offset = OPTION(spares),
	 .help = "a device that replaces a member as soon as one fails; may "
		 "be given several times or with commas"},
	ROW_FLAG("assume-clean", assume_clean,
		 "do not initialise the redundancy: right only for devices "
		 "that read zeros everywhere"),
	ROW_FORCE("destroy file systems, partition tables and the like on the "
		  "devices"),
	ROW_DESTROY,
	ROW_UUID("the array's UUID; random if not given"),
	ROW_FLAG("wait", wait,
		 "wait until the redundancy is initialised, and show how far "
		 "it is"),
	ROW_FLAG("no-wait", no_wait, "return at once: the default"),
	ROW_JSON,
	{.name = NULL},
};

static const struct option_def assemble_options[] = {
	ROW_FLAG("scan", scan, "start all mqraid arrays that are found"),
	ROW_FLAG("degraded", degraded,
		 "start though members are missing that should be there"),
	ROW_FORCE("start an array that is degraded and was not stopped "
		  "cleanly, or take back members that missed writes if there "
		  "are too few others: data may be lost"),
	ROW_JSON,
	{.name = NULL},
};

static const struct option_def stop_options[] = {
	ROW_FLAG("all", all, "stop all arrays"),
	ROW_JSON,
	{.name = NULL},
};

static const struct option_def json_options[] = {
	ROW_JSON,
	{.name = NULL},
};

static const struct option_def add_options[] = {
	ROW_FORCE("destroy file systems, partition tables and the like on the "
		  "device"),
	ROW_DESTROY,
	ROW_JSON,
	{.name = NULL},
};

static const struct option_def fail_options[] = {
	ROW_FORCE("fail it even if the array's data are lost by it"),
	ROW_JSON,
	{.name = NULL},
};

static const struct option_def scrub_options[] = {
	ROW_FLAG("no-wait", no_wait, "return at once"),
	ROW_JSON,
	{.name = NULL},
};

static const struct option_def adopt_options[] = {
	ROW_UUID("find the devices by the array's UUID"),
	ROW_FLAG("remove-bitmap", remove_bitmap,
		 "remove the write-intent bitmap that the array has"),
	ROW_FLAG("assemble", assemble, "start the array afterwards"),
	ROW_JSON,
	{.name = NULL},
};

static const struct option_def release_options[] = {
	ROW_UUID("find the devices by the array's UUID"),
	ROW_JSON,
	{.name = NULL},
};

static const struct option_def new_uuid_options[] = {
	ROW_UUID("the array UUID to give; random if not given"),
	{.name = "name",
	 .type = OPT_TEXT,
	 .arg = "NAME",
	 .offset = OPTION(name),
	 .help = "the name to give; unchanged if not given"},
	ROW_JSON,
	{.name = NULL},
};

static const struct option_def no_options[] = {
	{.name = NULL},
};

const struct command commands[] = {
	{.name = "create",
	 .args = "NAME DEVICE...",
	 .summary = "make a new array and start it",
	 .options = create_options,
	 .min_args = 3,
	 .max_args = WORDS_MAX,
	 .run = cmd_create,
	 .text = "NAME is stored on the devices; the kernel chooses N of "
		 "/dev/mqrN. The devices are given in the order of their "
		 "slots; the word missing stands for one that is added "
		 "later.\n\n"
		 "Before anything is written, all devices are checked. A "
		 "device that is in use is never accepted. A device that "
		 "carries a file system, a partition table or anything else "
		 "that libblkid knows is refused unless --force is given. A "
		 "member of an md or mqraid array is refused unless --force "
		 "and --destroy with the UUID of that array are given.\n\n"
		 "The new array can be used at once. Its redundancy is "
		 "initialised in the background, except for RAID 0 and with "
		 "--assume-clean.\n\n"
		 "If the devices' logical block sizes differ, or a larger "
		 "one is asked for, it is recorded on the devices. md knows "
		 "this record from kernel 6.19 on.",
	 .examples = {"raidctl create data --level 6 /dev/nvme[0-5]n1",
		      "raidctl create scratch --level 0 --chunk 512K "
		      "/dev/nvme0n1 /dev/nvme1n1",
		      NULL}},
	{.name = "assemble",
	 .args = "[ARRAY] [DEVICE...]",
	 .summary = "start an array that exists on devices",
	 .options = assemble_options,
	 .max_args = WORDS_MAX,
	 .run = cmd_assemble,
	 .text = "ARRAY is a name or UUID, whose members are looked for on "
		 "all block devices or, if there are any, on those given. "
		 "What is on the devices decides their slots, never their "
		 "order or names.\n\n"
		 "Members that missed writes are left out. If too few are "
		 "left, or two devices claim to be the same member, nothing "
		 "is started, and a table shows what was found.",
	 .examples = {"raidctl assemble data",
		      "raidctl assemble /dev/nvme[0-5]n1",
		      "raidctl assemble --scan", NULL}},
	{.name = "stop",
	 .args = "[ARRAY...]",
	 .summary = "stop an array and mark it as clean",
	 .options = stop_options,
	 .max_args = WORDS_MAX,
	 .run = cmd_stop,
	 .text = "An array that is mounted or otherwise in use is not "
		 "stopped. A rebuild or resync that runs goes on where it "
		 "was when the array is assembled again.",
	 .examples = {"raidctl stop data", "raidctl stop --all", NULL}},
	{.name = "status",
	 .args = "[ARRAY...]",
	 .summary = "show how arrays are, and what to do about it",
	 .options = json_options,
	 .max_args = WORDS_MAX,
	 .run = cmd_status,
	 .text = "Without ARRAY, all running arrays are shown. The exit code "
		 "is that of the array that is worst off.",
	 .examples = {"raidctl status", "raidctl status --json data", NULL}},
	{.name = "list",
	 .args = "[ARRAY...]",
	 .summary = "list arrays, a line each",
	 .options = json_options,
	 .max_args = WORDS_MAX,
	 .run = cmd_list,
	 .text = "The exit code is that of status.",
	 .examples = {"raidctl list", NULL}},
	{.name = "examine",
	 .args = "DEVICE...",
	 .summary = "show the superblock on devices",
	 .options = json_options,
	 .min_args = 1,
	 .max_args = WORDS_MAX,
	 .run = cmd_examine,
	 .text = "Shows superblocks of mqraid and of md, and says so if "
		 "mqraid does not support an array. Files that hold an image "
		 "of a device are accepted. The exit code is 2 if a device "
		 "has no superblock of version 1.2, or a damaged one.",
	 .examples = {"raidctl examine /dev/nvme0n1", NULL}},
	{.name = "add",
	 .args = "ARRAY DEVICE...",
	 .summary = "add a spare, or take a member back",
	 .options = add_options,
	 .min_args = 2,
	 .max_args = WORDS_MAX,
	 .run = cmd_add,
	 .text = "If a slot is empty, the rebuild starts by itself. The "
		 "device is checked as with create. A device that carries a "
		 "superblock of this array is taken back as it is, and the "
		 "module decides how much of it is still good.",
	 .examples = {"raidctl add data /dev/nvme6n1", NULL}},
	{.name = "fail",
	 .args = "ARRAY MEMBER...",
	 .summary = "mark a member as faulty",
	 .options = fail_options,
	 .min_args = 2,
	 .max_args = WORDS_MAX,
	 .run = cmd_fail,
	 .text = "MEMBER is a device, slot:N, MAJOR:MINOR or a device UUID. "
		 "If a device is given whose name belongs to another drive "
		 "by now, it is refused. A member whose data exist nowhere "
		 "else is not failed without --force.",
	 .examples = {"raidctl fail data /dev/nvme2n1",
		      "raidctl fail data slot:2", NULL}},
	{.name = "remove",
	 .args = "ARRAY MEMBER...",
	 .summary = "take a faulty member or a spare out of an array",
	 .options = json_options,
	 .min_args = 2,
	 .max_args = WORDS_MAX,
	 .run = cmd_remove,
	 .text = "MEMBER is as for fail, or the word failed for all faulty "
		 "members, or the word detached for all whose device does "
		 "not exist any more.",
	 .examples = {"raidctl remove data slot:2",
		      "raidctl remove data failed", NULL}},
	{.name = "check",
	 .args = "ARRAY",
	 .summary = "compare data and redundancy",
	 .options = scrub_options,
	 .min_args = 1,
	 .max_args = 1,
	 .run = cmd_check,
	 .text = "Waits for the end and shows how far it is. The exit code "
		 "is 2 if there are mismatches, and so is that of status "
		 "until a repair has mended them all or a check finds none. "
		 "Interrupting raidctl leaves the check running.",
	 .examples = {"raidctl check data", NULL}},
	{.name = "repair",
	 .args = "ARRAY",
	 .summary = "compare data and redundancy, and mend mismatches",
	 .options = scrub_options,
	 .min_args = 1,
	 .max_args = 1,
	 .run = cmd_repair,
	 .text = "As check, but redundancy that does not fit the data is "
		 "made to fit.",
	 .examples = {"raidctl repair data", NULL}},
	{.name = "cancel",
	 .args = "ARRAY",
	 .summary = "end the check or repair that runs or waits",
	 .options = json_options,
	 .min_args = 1,
	 .max_args = 1,
	 .run = cmd_cancel,
	 .text = "A resync or rebuild is needed for redundancy and goes on; "
		 "the tunable sync_speed_max slows it down.",
	 .examples = {"raidctl cancel data", NULL}},
	{.name = "wait",
	 .args = "ARRAY",
	 .summary = "wait until nothing is synchronised any more",
	 .options = json_options,
	 .min_args = 1,
	 .max_args = 1,
	 .run = cmd_wait,
	 .text = "Shows how far the action is. The exit code is that of "
		 "status at the end.",
	 .examples = {"raidctl wait data", NULL}},
	{.name = "adopt",
	 .args = "[NAME | DEVICE...]",
	 .summary = "take over a stopped md array in place",
	 .options = adopt_options,
	 .max_args = WORDS_MAX,
	 .run = cmd_adopt,
	 .text = "No data are moved: a bit in each superblock makes md refuse "
		 "the array from now on, and 'raidctl release' clears it. The "
		 "array must have been stopped cleanly (mdadm --stop), and "
		 "all of its members must be there and in sync.\n\n"
		 "Refused are arrays with bad-block lists that are not empty, "
		 "journals, partial parity logs, reshapes in progress, and "
		 "levels and layouts that mqraid does not have. A "
		 "write-intent bitmap is removed with --remove-bitmap only.",
	 .examples = {"raidctl adopt --remove-bitmap --assemble "
		      "/dev/nvme[0-5]n1",
		      NULL}},
	{.name = "release",
	 .args = "[NAME | DEVICE...]",
	 .summary = "give a stopped array back to md",
	 .options = release_options,
	 .max_args = WORDS_MAX,
	 .run = cmd_release,
	 .text = "The reverse of adopt: the array must have been stopped "
		 "cleanly, and all of its members must be there and in sync.",
	 .examples = {"raidctl release data", NULL}},
	{.name = "new-uuid",
	 .args = "DEVICE...",
	 .summary = "make the copy of an array one of its own",
	 .options = new_uuid_options,
	 .min_args = 1,
	 .max_args = WORDS_MAX,
	 .run = cmd_new_uuid,
	 .text = "DEVICE... are all members of one copy, made by dd or by "
		 "snapshots, say. Their superblocks get a new array UUID and "
		 "new device UUIDs, so that the copy and the original can be "
		 "used side by side; the original may run meanwhile. Nothing "
		 "else is changed: file systems and the like on the array "
		 "keep the UUIDs that they have.\n\n"
		 "Arrays of mqraid and of md are accepted, but not in use, "
		 "incomplete or not stopped cleanly, and not with a "
		 "write-intent bitmap. Before anything is written, all "
		 "devices are checked. If it is interrupted, the same command "
		 "with --uuid and the new UUID finishes it.",
	 .examples = {"raidctl new-uuid --name data2 /dev/nvme[6-9]n1", NULL}},
	{.name = "get",
	 .args = "ARRAY [KEY...]",
	 .summary = "show settings of an array",
	 .options = json_options,
	 .min_args = 1,
	 .max_args = WORDS_MAX,
	 .run = cmd_get,
	 .text = "Without KEY, all of them. Settings are the files in "
		 "/sys/block/mqrN/mqraid.",
	 .examples = {"raidctl get data", NULL}},
	{.name = "set",
	 .args = "ARRAY KEY=VALUE...",
	 .summary = "change settings of an array",
	 .options = json_options,
	 .min_args = 2,
	 .max_args = WORDS_MAX,
	 .run = cmd_set,
	 .text = "Settings last until the array is stopped.",
	 .examples = {"raidctl set data KEY=VALUE", NULL}},
	{.name = "help",
	 .args = "[COMMAND]",
	 .summary = "explain a command",
	 .options = no_options,
	 .max_args = 1,
	 .run = cmd_help,
	 .text = "",
	 .examples = {NULL}},
	{.name = "version",
	 .args = "",
	 .summary = "show the versions of raidctl and the module",
	 .options = json_options,
	 .run = cmd_version,
	 .text = "",
	 .examples = {NULL}},
	{.name = "man",
	 .args = "",
	 .summary = "print the manual page raidctl(8)",
	 .options = no_options,
	 .run = cmd_man,
	 .text = "",
	 .examples = {NULL}},
	{.name = "completion",
	 .args = "bash",
	 .summary = "print a completion script",
	 .options = no_options,
	 .min_args = 1,
	 .max_args = 1,
	 .run = cmd_completion,
	 .text = "",
	 .examples = {"source <(raidctl completion bash)", NULL}},
	{.name = NULL},
};

const struct command *command_find(const char *name)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}
