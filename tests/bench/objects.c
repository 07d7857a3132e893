// SPDX-License-Identifier: GPL-2.0
/*
 * objects --dir DIR [OPTION...]
 *
 * What an object store does with small objects: each thread makes files of
 * random size in a tree of directories, all as create, write, fsync, rename
 * into place, one after the other until the time is up.  Prints key=value:
 *
 *   objects= bytes= seconds=      renamed into place, and in which time
 *   mean_ns= p50_ns= p99_ns= p999_ns=   one object, from create to rename
 *   errors=                       a thread ends at its first error
 *
 * What is left behind is the caller's to remove.  Exit status: 0, 1 after an
 * error, 2 for a wrong argument.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mqrgen_hist.h"

/* Each thread has a directory of its own, with so many in it. */
#define FANOUT 64
#define MAX_THREADS 256
#define MAX_SIZE (64u << 20)

static struct {
	const char *dir;
	u64 threads;
	double seconds;
	u64 seed;
	u64 min;
	u64 max;
} config = {
	.threads = 4,
	.seconds = 10,
	.seed = 1,
	.min = 4 << 10,
	.max = 64 << 10,
};

struct worker {
	pthread_t thread;
	unsigned int number;
	u64 random;
	char *data;
	u64 objects;
	u64 bytes;
	u64 errors;
	struct mqrgen_hist hist;
};

static pthread_barrier_t start;
static u64 deadline_ns;

static u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* A linear congruential generator; its upper bits are good enough. */
static u64 random_next(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* ------------------------------------------------------------------------ */
/* Objects */

static int complain(const char *what, const char *path)
{
	fprintf(stderr, "objects: %s %s: %s\n", what, path, strerror(errno));
	return -1;
}

static _Noreturn void die(const char *what, const char *path)
{
	complain(what, path);
	exit(1);
}

static int write_all(int fd, const char *data, u64 size)
{
	while (size) {
		ssize_t done = write(fd, data, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		data += done;
		size -= done;
	}
	return 0;
}

static int make_file(const char *path, const char *data, u64 size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		return complain("create", path);
	if (write_all(fd, data, size)) {
		complain("write", path);
		close(fd);
		return -1;
	}
	if (fsync(fd)) {
		complain("fsync", path);
		close(fd);
		return -1;
	}
	if (close(fd))
		return complain("close", path);
	return 0;
}

static int make_object(struct worker *w, u64 size)
{
	char temporary[4096], path[4096];
	unsigned int directory = random_next(&w->random) % FANOUT;

	snprintf(temporary, sizeof(temporary), "%s/%03u/%02u/.%llu", config.dir,
		 w->number, directory, w->objects);
	snprintf(path, sizeof(path), "%s/%03u/%02u/%llu", config.dir, w->number,
		 directory, w->objects);
	/* Not the same data each time; a part of the buffer is enough. */
	memcpy(w->data, &w->random, sizeof(w->random));
	if (make_file(temporary, w->data, size))
		return -1;
	if (rename(temporary, path))
		return complain("rename", temporary);
	return 0;
}

static u64 random_size(struct worker *w)
{
	return config.min +
	       random_next(&w->random) % (config.max - config.min + 1);
}

static void *work(void *argument)
{
	struct worker *w = argument;
	u64 before, size;

	pthread_barrier_wait(&start);
	/* Set by main() before it came to the barrier for the second time. */
	pthread_barrier_wait(&start);
	for (before = now_ns(); before < deadline_ns;) {
		u64 after;

		size = random_size(w);
		if (make_object(w, size)) {
			w->errors++;
			break;
		}
		after = now_ns();
		mqrgen_hist_add(&w->hist, after - before);
		w->objects++;
		w->bytes += size;
		before = after;
	}
	return NULL;
}

/* ------------------------------------------------------------------------ */
/* Before and after */

static void make_directory(const char *path)
{
	if (mkdir(path, 0777) && errno != EEXIST)
		die("mkdir", path);
}

static void make_tree(unsigned int number)
{
	char path[4096];
	unsigned int i;

	snprintf(path, sizeof(path), "%s/%03u", config.dir, number);
	make_directory(path);
	for (i = 0; i < FANOUT; i++) {
		snprintf(path, sizeof(path), "%s/%03u/%02u", config.dir, number,
			 i);
		make_directory(path);
	}
}

static void prepare(struct worker *w, unsigned int number)
{
	u64 i, value;

	w->number = number;
	w->random = config.seed * 1000003 + number;
	w->data = malloc(config.max + sizeof(value));
	if (!w->data)
		die("memory for", "an object");
	for (i = 0; i < config.max; i += sizeof(value)) {
		value = random_next(&w->random) << 32 | random_next(&w->random);
		memcpy(w->data + i, &value, sizeof(value));
	}
	make_tree(number);
}

/* How long it took, in ns */
static u64 run(struct worker *workers)
{
	u64 i, began_ns;

	pthread_barrier_init(&start, NULL, config.threads + 1);
	for (i = 0; i < config.threads; i++) {
		errno = pthread_create(&workers[i].thread, NULL, work,
				       &workers[i]);
		if (errno)
			die("start", "a thread");
	}
	pthread_barrier_wait(&start);
	began_ns = now_ns();
	deadline_ns = began_ns + (u64)(config.seconds * 1e9);
	pthread_barrier_wait(&start);
	for (i = 0; i < config.threads; i++)
		pthread_join(workers[i].thread, NULL);
	return now_ns() - began_ns;
}

/* Exit status */
static int report(const struct worker *workers, u64 ns)
{
	static struct worker all;
	u64 i;

	for (i = 0; i < config.threads; i++) {
		all.objects += workers[i].objects;
		all.bytes += workers[i].bytes;
		all.errors += workers[i].errors;
		mqrgen_hist_merge(&all.hist, &workers[i].hist);
	}
	printf("objects=%llu\nbytes=%llu\nseconds=%.6f\n", all.objects,
	       all.bytes, ns / 1e9);
	printf("mean_ns=%llu\np50_ns=%llu\np99_ns=%llu\np999_ns=%llu\n",
	       mqrgen_hist_mean(&all.hist),
	       mqrgen_hist_percentile(&all.hist, 500),
	       mqrgen_hist_percentile(&all.hist, 990),
	       mqrgen_hist_percentile(&all.hist, 999));
	printf("errors=%llu\n", all.errors);
	return all.errors ? 1 : 0;
}

/* ------------------------------------------------------------------------ */

static _Noreturn void usage(int status)
{
	fprintf(status ? stderr : stdout,
		"usage: objects --dir DIR [--threads N] [--seconds S] [--seed "
		"N]\n"
		"               [--min SIZE] [--max SIZE]\n\n"
		"Create, write, fsync and rename files of --min (4K) to --max "
		"(64K)\n"
		"bytes below DIR from --threads (4) threads for --seconds "
		"(10).\n");
	exit(status);
}

static _Noreturn void refuse(const char *option, const char *accepted)
{
	fprintf(stderr, "objects: %s is %s\n", option, accepted);
	exit(2);
}

/* "4096", "4K", "1M" */
static u64 parse_number(const char *option, const char *text)
{
	char *end;
	u64 n;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (end > text && *end == 'K') {
		n <<= 10;
		end++;
	} else if (end > text && *end == 'M') {
		n <<= 20;
		end++;
	}
	if (end == text || *end || *text == '-' || errno)
		refuse(option, "a number, which K or M may follow");
	return n;
}

static void check(void)
{
	if (!config.dir)
		refuse("--dir", "needed");
	if (strlen(config.dir) > 3000)
		refuse("--dir", "shorter");
	if (config.threads < 1 || config.threads > MAX_THREADS)
		refuse("--threads", "1 to 256");
	if (!(config.seconds > 0 && config.seconds <= 86400))
		refuse("--seconds", "more than 0, and a day at most");
	if (config.min < sizeof(u64) || config.max > MAX_SIZE ||
	    config.min > config.max)
		refuse("--min", "8 at least, and --max from that to 64M");
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{"dir", required_argument, NULL, 'd'},
		{"threads", required_argument, NULL, 't'},
		{"seconds", required_argument, NULL, 's'},
		{"seed", required_argument, NULL, 'r'},
		{"min", required_argument, NULL, 'm'},
		{"max", required_argument, NULL, 'M'},
		{"help", no_argument, NULL, 'h'},
		{},
	};
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'd':
			config.dir = optarg;
			break;
		case 't':
			config.threads = parse_number("--threads", optarg);
			break;
		case 's':
			config.seconds = atof(optarg);
			break;
		case 'r':
			config.seed = parse_number("--seed", optarg);
			break;
		case 'm':
			config.min = parse_number("--min", optarg);
			break;
		case 'M':
			config.max = parse_number("--max", optarg);
			break;
		case 'h':
			usage(0);
		default:
			usage(2);
		}
	}
	if (optind != argc)
		usage(2);
	check();
}

int main(int argc, char **argv)
{
	struct worker *workers;
	u64 i;

	parse(argc, argv);
	workers = calloc(config.threads, sizeof(*workers));
	if (!workers)
		die("memory for", "threads");
	for (i = 0; i < config.threads; i++)
		prepare(&workers[i], i);
	return report(workers, run(workers));
}
