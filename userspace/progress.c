// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "condition.h"
#include "output.h"
#include "progress.h"

#define BAR_WIDTH 30
#define REFRESH_MS 1000
/* how long the module may take to begin what is due */
#define PENDING_STEP_MS 100
#define PENDING_STEPS 30
/* off a terminal: a line each 10 %, and at least each so many seconds */
#define LINE_SECONDS 10

static volatile sig_atomic_t interrupted;

static void on_interrupt(int sig)
{
	interrupted = sig;
}

unsigned int sync_permille(const struct mqr_ioc_status *s)
{
	if (!s->sync_total)
		return 0;
	if (s->sync_done >= s->sync_total)
		return 1000;
	/* never overflows: sectors are below 2^55 */
	return (unsigned int)(s->sync_done * 1000 / s->sync_total);
}

u64 sync_seconds_left(const struct mqr_ioc_status *s)
{
	if (!s->sync_speed || s->sync_done >= s->sync_total)
		return 0;
	return (s->sync_total - s->sync_done) / s->sync_speed + 1;
}

char *text_progress(const struct mqr_ioc_status *s, char *buf, size_t size)
{
	unsigned int permille = sync_permille(s);
	u64 left = sync_seconds_left(s);
	char speed[32], time[32];
	int n;

	n = scnprintf(buf, size, "%u.%u %%", permille / 10, permille % 10);
	if (s->sync_speed)
		n += scnprintf(buf + n, size - (size_t)n, ", %s/s",
			       text_bytes(speed, sizeof(speed),
					  s->sync_speed << 9));
	if (left)
		scnprintf(buf + n, size - (size_t)n, ", %s left",
			  text_seconds(time, sizeof(time), left));
	return buf;
}

struct display {
	bool quiet;
	bool terminal;
	/* something stands in the current line */
	bool drawn;
	/* lines: what was shown last */
	u32 action;
	unsigned int step;
	time_t when;
};

static void draw_bar(const struct mqr_ioc_status *s)
{
	unsigned int full = sync_permille(s) * BAR_WIDTH / 1000;
	char bar[BAR_WIDTH + 1], text[96];

	memset(bar, ' ', BAR_WIDTH);
	memset(bar, '=', full);
	if (full < BAR_WIDTH)
		bar[full] = '>';
	bar[BAR_WIDTH] = 0;
	printf("\rmqr%u %s [%s] %s\033[K", s->array,
	       sync_action_name(s->sync_action), bar,
	       text_progress(s, text, sizeof(text)));
	fflush(stdout);
}

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static void draw(struct display *d, const struct mqr_ioc_status *s)
{
	unsigned int step = sync_permille(s) / 100;
	char text[96];

	if (d->quiet)
		return;
	if (d->terminal) {
		draw_bar(s);
		d->drawn = true;
		return;
	}
	if (s->sync_action == d->action && step == d->step &&
	    now() - d->when < LINE_SECONDS)
		return;
	printf("mqr%u: %s %s\n", s->array, sync_action_name(s->sync_action),
	       text_progress(s, text, sizeof(text)));
	fflush(stdout);
	d->action = s->sync_action;
	d->step = step;
	d->when = now();
}

static void draw_end(struct display *d)
{
	if (d->drawn)
		putchar('\n');
	d->drawn = false;
}

/* Until the module says that the action changed, or time to look again. */
static void await_change(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLPRI | POLLERR};
	char buf[64];

	if (fd < 0) {
		poll(NULL, 0, timeout_ms);
		return;
	}
	/* sysfs reports changes since the last read only */
	if (poll(&p, 1, timeout_ms) > 0 && pread(fd, buf, sizeof(buf), 0) < 0)
		poll(NULL, 0, PENDING_STEP_MS);
}

static int open_action(u32 array)
{
	char path[80], buf[64];
	int fd;

	snprintf(path, sizeof(path), "/sys/block/mqr%u/mqraid/sync_action",
		 array);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, buf, sizeof(buf)) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int follow(u32 array, int fd, struct display *d,
		  struct mqr_ioc_status *s)
{
	unsigned int pending = 0;
	int err;

	while (!interrupted) {
		err = ctl_status(array, s);
		if (err)
			return err;
		if (s->sync_action != MQR_SYNC_IDLE) {
			pending = 0;
			draw(d, s);
			await_change(fd, REFRESH_MS);
			continue;
		}
		if (!array_pending(s) || pending++ == PENDING_STEPS)
			return 0;
		await_change(fd, PENDING_STEP_MS);
	}
	return 0;
}

/* Dies of the signal as the shell expects, but not without a word. */
static void end_by_signal(const struct mqr_ioc_status *s)
{
	note("the %s of mqr%u goes on; 'raidctl wait mqr%u' shows it again, "
	     "'raidctl cancel mqr%u' ends it",
	     sync_action_name(s->sync_action), s->array, s->array, s->array);
	signal(interrupted, SIG_DFL);
	raise(interrupted);
}

int progress_wait(u32 array, struct mqr_ioc_status *s)
{
	struct sigaction act = {.sa_handler = on_interrupt}, old_int, old_term;
	struct display d = {.quiet = out_json(),
			    .terminal = isatty(STDOUT_FILENO)};
	int fd = open_action(array);
	int err;

	sigaction(SIGINT, &act, &old_int);
	sigaction(SIGTERM, &act, &old_term);
	err = follow(array, fd, &d, s);
	draw_end(&d);
	if (fd >= 0)
		close(fd);
	if (interrupted)
		end_by_signal(s);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGTERM, &old_term, NULL);
	if (err == -ENODEV)
		return complain(RC_SYSTEM, "mqr%u was stopped meanwhile",
				array);
	return err ? complain(RC_SYSTEM, "mqr%u: status: %s", array,
			      strerror(-err))
		   : RC_OK;
}
