// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl.h"
#include "options.h"
#include "output.h"

#define CONTROL_PATH "/dev/" MQR_CONTROL_NAME

/* -errno, or the descriptor; opened once. */
static int control(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open(CONTROL_PATH, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static const char *error_text(int err)
{
	switch (-err) {
	case ENOENT:
	case ENXIO:
		return CONTROL_PATH " is missing: load the module with "
				    "'modprobe mqraid'";
	case EACCES:
	case EPERM:
		return "not permitted: run raidctl as root";
	case ENOTTY:
		return "the loaded module doesn't know this call: raidctl and "
		       "mqraid are of different versions";
	case ENODEV:
		return "no such array";
	case EBUSY:
		return "it is in use";
	default:
		return strerror(-err);
	}
}

static int call(unsigned long request, void *arg)
{
	int fd = control();

	if (fd < 0)
		return fd;
	return ioctl(fd, request, arg) ? -errno : 0;
}

/* @text: the "why" field of a call that ended with @err. */
static int explain(int err, const char *text, struct mqr_why *why)
{
	if (err)
		mqr_because(why, "%s", *text ? text : error_text(err));
	return err;
}

int ctl_version(struct mqr_ioc_version *v)
{
	memset(v, 0, sizeof(*v));
	v->size = sizeof(*v);
	return call(MQR_IOC_VERSION, v);
}

int ctl_require(void)
{
	struct mqr_ioc_version v;
	int err = ctl_version(&v);

	if (err)
		return complain(RC_SYSTEM, "%s", error_text(err));
	if (v.abi == MQR_ABI_VERSION)
		return RC_OK;
	return complain(RC_SYSTEM,
			"the loaded module speaks version %u of the control "
			"interface, raidctl version %u: install the two of "
			"one release",
			v.abi, MQR_ABI_VERSION);
}

static int status_call(u32 array, u32 flags, struct mqr_ioc_status *s)
{
	memset(s, 0, sizeof(*s));
	s->size = sizeof(*s);
	s->flags = flags;
	s->array = array;
	return call(MQR_IOC_STATUS, s);
}

/* Texts from a module of another version may lack their final zero. */
static void status_terminate(struct mqr_ioc_status *s)
{
	s->name[sizeof(s->name) - 1] = 0;
	s->members = min(s->members, (u32)ARRAY_SIZE(s->member));
	s->raid_disks = min(s->raid_disks, MQR_UAPI_MAX_MEMBERS);
}

int ctl_status(u32 array, struct mqr_ioc_status *s)
{
	int err = status_call(array, 0, s);

	if (!err)
		status_terminate(s);
	return err == -ENOENT ? -ENODEV : err;
}

int ctl_list(struct array_list *l)
{
	struct mqr_ioc_status s;
	u32 next = 0;
	int err = control();

	memset(l, 0, sizeof(*l));
	if (err < 0)
		return err == -ENXIO ? -ENOENT : err;
	for (;;) {
		err = status_call(next, MQR_STATUS_NEXT, &s);
		if (err)
			break;
		status_terminate(&s);
		l->array = realloc(l->array, (l->n + 1) * sizeof(s));
		if (!l->array)
			return -ENOMEM;
		l->array[l->n++] = s;
		next = s.array + 1;
	}
	return err == -ENODEV || err == -ENOENT ? 0 : err;
}

void array_list_free(struct array_list *l)
{
	free(l->array);
	memset(l, 0, sizeof(*l));
}

const char *array_short_name(const struct mqr_ioc_status *s)
{
	const char *colon = strchr(s->name, ':');

	return colon ? colon + 1 : s->name;
}

/* Kernel names and paths are exact; names and UUIDs are in the superblock. */
static bool is_kernel_name(const struct mqr_ioc_status *s, const char *ref)
{
	char name[32];
	struct stat st;

	snprintf(name, sizeof(name), "mqr%u", s->array);
	if (!strcmp(ref, name))
		return true;
	return strchr(ref, '/') && !stat(ref, &st) && S_ISBLK(st.st_mode) &&
	       st.st_rdev == ioc_number(s->dev);
}

static bool is_recorded_name(const struct mqr_ioc_status *s, const char *ref)
{
	u8 uuid[16];

	if (parse_uuid(ref, uuid) && !memcmp(uuid, s->uuid, sizeof(uuid)))
		return true;
	return !strcmp(ref, s->name) || !strcmp(ref, array_short_name(s));
}

static int find_in(const struct array_list *l, const char *ref,
		   struct mqr_ioc_status *s)
{
	const struct mqr_ioc_status *found = NULL;
	unsigned int i;

	for (i = 0; i < l->n; i++) {
		if (!is_kernel_name(&l->array[i], ref))
			continue;
		*s = l->array[i];
		return RC_OK;
	}
	for (i = 0; i < l->n; i++) {
		if (!is_recorded_name(&l->array[i], ref))
			continue;
		if (found)
			return complain(RC_USAGE,
					"%s: both mqr%u and mqr%u have this "
					"name; say which",
					ref, found->array, l->array[i].array);
		found = &l->array[i];
	}
	if (!found)
		return complain(RC_SYSTEM,
				"%s: no running array has this name, path or "
				"UUID; 'raidctl list' shows those that run",
				ref);
	*s = *found;
	return RC_OK;
}

int ctl_find(const char *ref, struct mqr_ioc_status *s)
{
	struct array_list l;
	int err, rc = ctl_require();

	if (rc)
		return rc;
	err = ctl_list(&l);
	if (err)
		rc = complain(RC_SYSTEM, "%s", error_text(err));
	else
		rc = find_in(&l, ref, s);
	array_list_free(&l);
	return rc;
}

bool ctl_running(const u8 *uuid, struct mqr_ioc_status *s)
{
	struct array_list l;
	bool found = false;
	unsigned int i;

	if (!ctl_list(&l)) {
		for (i = 0; i < l.n && !found; i++) {
			found = !memcmp(l.array[i].uuid, uuid, 16);
			if (found)
				*s = l.array[i];
		}
	}
	array_list_free(&l);
	return found;
}

int ctl_assemble(struct mqr_ioc_assemble *a, struct mqr_why *why)
{
	a->size = sizeof(*a);
	return explain(call(MQR_IOC_ASSEMBLE, a), a->why, why);
}

int ctl_stop(u32 array, struct mqr_why *why)
{
	struct mqr_ioc_array a = {.size = sizeof(a), .array = array};
	int err = call(MQR_IOC_STOP, &a);

	return explain(err, a.why, why);
}

int ctl_sync(u32 array, enum mqr_sync_action action, struct mqr_why *why)
{
	struct mqr_ioc_sync s = {
		.size = sizeof(s), .array = array, .action = action};
	int err = call(MQR_IOC_SYNC, &s);

	return explain(err, s.why, why);
}

int ctl_member(enum ctl_member_call which, u32 array, struct mqr_dev dev,
	       const u8 *uuid, struct mqr_why *why)
{
	static const unsigned long request[] = {
		[CTL_ADD] = MQR_IOC_ADD,
		[CTL_FAIL] = MQR_IOC_FAIL,
		[CTL_FAIL_FORCE] = MQR_IOC_FAIL,
		[CTL_REMOVE] = MQR_IOC_REMOVE,
	};
	struct mqr_ioc_member m = {
		.size = sizeof(m),
		.flags = which == CTL_FAIL_FORCE ? MQR_FAIL_FORCE : 0,
		.array = array,
		.dev = dev,
	};
	int err;

	memcpy(m.uuid, uuid, sizeof(m.uuid));
	err = call(request[which], &m);
	return explain(err, m.why, why);
}

const char *sync_action_name(u32 action)
{
	static const char *const name[] = {
		[MQR_SYNC_IDLE] = "idle",	[MQR_SYNC_RESYNC] = "resync",
		[MQR_SYNC_REBUILD] = "rebuild", [MQR_SYNC_CHECK] = "check",
		[MQR_SYNC_REPAIR] = "repair",
	};

	return action < ARRAY_SIZE(name) ? name[action] : "unknown";
}

const char *member_state_name(u32 state)
{
	static const char *const name[] = {
		[MQR_MEMBER_ABSENT] = "absent",
		[MQR_MEMBER_SPARE] = "spare",
		[MQR_MEMBER_REBUILDING] = "rebuilding",
		[MQR_MEMBER_IN_SYNC] = "in_sync",
		[MQR_MEMBER_FAULTY] = "faulty",
	};

	return state < ARRAY_SIZE(name) ? name[state] : "unknown";
}
