// SPDX-License-Identifier: GPL-2.0
/*
 * A stand-in for /dev/mqraid-control, to be preloaded into raidctl.  It keeps
 * nothing and does nothing but answer from the files in $RAIDCTL_FAKE:
 *
 *	status	structs mqr_ioc_status, by array number; what STATUS gives
 *	fail	"CALL ERRNO TEXT": this call fails, with TEXT as its reason
 *	log	out: a line for each call but VERSION and STATUS
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "mqr_uapi.h"

static int control_fd = -1;

static FILE *file(const char *name, const char *mode)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", getenv("RAIDCTL_FAKE"), name);
	return fopen(path, mode);
}

static void uuid_text(const __u8 *uuid, char *buf)
{
	int i;

	for (i = 0; i < 16; i++)
		sprintf(buf + 2 * i, "%02x", uuid[i]);
}

static int status(struct mqr_ioc_status *s)
{
	struct mqr_ioc_status one;
	FILE *f = file("status", "r");
	int err = ENODEV;

	while (f && err && fread(&one, sizeof(one), 1, f) == 1) {
		if (s->flags & MQR_STATUS_NEXT ? one.array < s->array
					       : one.array != s->array)
			continue;
		*s = one;
		err = 0;
	}
	if (f)
		fclose(f);
	return err;
}

/* The errno with which @call is to fail, or 0. */
static int failing(const char *call, char *why)
{
	FILE *f = file("fail", "r");
	char name[32], text[MQR_WHY_SIZE] = "";
	int err = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%31s %d %191[^\n]", name, &err, text) < 2 ||
	    strcmp(name, call))
		err = 0;
	fclose(f);
	if (err)
		memcpy(why, text, sizeof(text));
	return err;
}

static int logged(const char *call, char *why, const char *fmt, ...)
{
	FILE *f = file("log", "a");
	va_list ap;

	if (f) {
		fprintf(f, "%s ", call);
		va_start(ap, fmt);
		vfprintf(f, fmt, ap);
		va_end(ap);
		fputc('\n', f);
		fclose(f);
	}
	return failing(call, why);
}

static int assemble(struct mqr_ioc_assemble *a)
{
	char uuid[33];

	uuid_text(a->uuid, uuid);
	a->array = 0;
	return logged("assemble", a->why, "%s flags=%u members=%u", uuid,
		      a->flags, a->members);
}

static int member(const char *call, struct mqr_ioc_member *m)
{
	char uuid[33];

	uuid_text(m->uuid, uuid);
	return logged(call, m->why, "%u %u:%u %s", m->array, m->dev.major,
		      m->dev.minor, uuid);
}

static int answer(unsigned long request, void *arg)
{
	struct mqr_ioc_version *v = arg;
	struct mqr_ioc_array *a = arg;
	struct mqr_ioc_sync *s = arg;

	switch (request) {
	case MQR_IOC_VERSION:
		v->abi = MQR_ABI_VERSION;
		strcpy(v->module, "fake");
		strcpy(v->calc, "none");
		return 0;
	case MQR_IOC_STATUS:
		return status(arg);
	case MQR_IOC_ASSEMBLE:
		return assemble(arg);
	case MQR_IOC_STOP:
		return logged("stop", a->why, "%u", a->array);
	case MQR_IOC_SYNC:
		return logged("sync", s->why, "%u %u", s->array, s->action);
	case MQR_IOC_ADD:
		return member("add", arg);
	case MQR_IOC_FAIL:
		return member("fail", arg);
	case MQR_IOC_REMOVE:
		return member("remove", arg);
	}
	return ENOTTY;
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int fd, unsigned long request, ...);
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (fd == control_fd && fd >= 0) {
		errno = answer(request, arg);
		return errno ? -1 : 0;
	}
	real = dlsym(RTLD_NEXT, "ioctl");
	return real(fd, request, arg);
}

static int real_open(const char *path, int flags, mode_t mode)
{
	int (*real)(const char *path, int flags, ...);

	real = dlsym(RTLD_NEXT, "open");
	return real(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	if (flags & (O_CREAT | O_TMPFILE)) {
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		va_end(ap);
	}
	if (strcmp(path, "/dev/" MQR_CONTROL_NAME))
		return real_open(path, flags, mode);
	control_fd = real_open("/dev/null", flags, 0);
	return control_fd;
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
