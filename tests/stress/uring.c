// SPDX-License-Identifier: GPL-2.0
/*
 * Operations in flight at once: io_uring by its system calls, or a thread
 * for each operation where there is none (or --no-uring).
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stress.h"

struct uring {
	/* -1: threads */
	int fd;
	u32 *sq_tail;
	u32 sq_mask;
	u32 *sq_array;
	struct io_uring_sqe *sqe;
	u32 *cq_head;
	u32 *cq_tail;
	u32 cq_mask;
	struct io_uring_cqe *cqe;
};

static void *ring_map(int fd, size_t size, u64 offset)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, fd, offset);

	if (p == MAP_FAILED)
		die(EXIT_SYSTEM, "io_uring: mmap: %s", strerror(errno));
	return p;
}

struct uring *uring_create(unsigned int entries)
{
	struct io_uring_params p = {0};
	struct uring *u = calloc(1, sizeof(*u));
	u8 *sq, *cq;

	if (!u)
		die(EXIT_SYSTEM, "no memory");
	u->fd = -1;
	if (config.uring)
		u->fd = syscall(__NR_io_uring_setup, entries, &p);
	if (u->fd < 0)
		return u;
	sq = ring_map(u->fd, p.sq_off.array + p.sq_entries * sizeof(u32),
		      IORING_OFF_SQ_RING);
	cq = ring_map(u->fd,
		      p.cq_off.cqes +
			      p.cq_entries * sizeof(struct io_uring_cqe),
		      IORING_OFF_CQ_RING);
	u->sqe = ring_map(u->fd, p.sq_entries * sizeof(struct io_uring_sqe),
			  IORING_OFF_SQES);
	u->sq_tail = (u32 *)(sq + p.sq_off.tail);
	u->sq_mask = *(u32 *)(sq + p.sq_off.ring_mask);
	u->sq_array = (u32 *)(sq + p.sq_off.array);
	u->cq_head = (u32 *)(cq + p.cq_off.head);
	u->cq_tail = (u32 *)(cq + p.cq_off.tail);
	u->cq_mask = *(u32 *)(cq + p.cq_off.ring_mask);
	u->cqe = (struct io_uring_cqe *)(cq + p.cq_off.cqes);
	return u;
}

static void fill_sqe(struct io_uring_sqe *sqe, const struct op *op)
{
	memset(sqe, 0, sizeof(*sqe));
	sqe->fd = op->flags & LOG_CACHED ? device.cached : device.direct;
	if (op->kind == OP_FSYNC) {
		sqe->opcode = IORING_OP_FSYNC;
		return;
	}
	sqe->opcode = op->kind == OP_READ ? IORING_OP_READV : IORING_OP_WRITEV;
	sqe->addr = (uintptr_t)op->iov;
	sqe->len = op->iovs;
	sqe->off = op->block * device.block_bytes;
	if (op->flags & LOG_FUA)
		sqe->rw_flags |= RWF_DSYNC;
	if (op->flags & LOG_NOWAIT)
		sqe->rw_flags |= RWF_NOWAIT;
}

static void enter(struct uring *u, unsigned int submit, unsigned int wait)
{
	while (syscall(__NR_io_uring_enter, u->fd, submit, wait,
		       IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		if (errno != EINTR && errno != EAGAIN)
			die(EXIT_SYSTEM, "io_uring_enter: %s", strerror(errno));
}

/*
 * Write from a buffer that is registered first: the block layer then takes its
 * pages as they are, whatever their alignment.  The bytes, or -errno.
 */
int uring_write_fixed(struct uring *u, const void *buffer, size_t bytes, u64 at)
{
	struct iovec iov = {.iov_base = (void *)buffer, .iov_len = bytes};
	u32 tail, slot, head;
	int result;

	if (u->fd < 0)
		die(EXIT_SYSTEM, "no io_uring");
	if (syscall(__NR_io_uring_register, u->fd, IORING_REGISTER_BUFFERS,
		    &iov, 1))
		die(EXIT_SYSTEM, "io_uring_register: %s", strerror(errno));
	tail = *u->sq_tail;
	slot = tail & u->sq_mask;
	head = *u->cq_head;
	u->sqe[slot] = (struct io_uring_sqe){
		.opcode = IORING_OP_WRITE_FIXED,
		.fd = device.direct,
		.addr = (uintptr_t)buffer,
		.len = bytes,
		.off = at,
	};
	u->sq_array[slot] = slot;
	__atomic_store_n(u->sq_tail, tail + 1, __ATOMIC_RELEASE);
	enter(u, 1, 1);
	while (__atomic_load_n(u->cq_tail, __ATOMIC_ACQUIRE) == head)
		enter(u, 0, 1);
	result = u->cqe[head & u->cq_mask].res;
	__atomic_store_n(u->cq_head, head + 1, __ATOMIC_RELEASE);
	syscall(__NR_io_uring_register, u->fd, IORING_UNREGISTER_BUFFERS, NULL,
		0);
	return result;
}

static void reap(struct uring *u, struct op *op)
{
	u32 head = *u->cq_head;
	u32 tail = __atomic_load_n(u->cq_tail, __ATOMIC_ACQUIRE);

	for (; head != tail; head++) {
		const struct io_uring_cqe *cqe = &u->cqe[head & u->cq_mask];
		struct op *done = &op[cqe->user_data];

		done->result = cqe->res;
		oplog_end(done->id, cqe->res);
	}
	__atomic_store_n(u->cq_head, head, __ATOMIC_RELEASE);
}

static void run_ring(struct uring *u, struct op *op, unsigned int n)
{
	u32 tail = *u->sq_tail, first = *u->cq_head, i;

	for (i = 0; i < n; i++, tail++) {
		u32 slot = tail & u->sq_mask;

		fill_sqe(&u->sqe[slot], &op[i]);
		u->sqe[slot].user_data = i;
		u->sq_array[slot] = slot;
	}
	__atomic_store_n(u->sq_tail, tail, __ATOMIC_RELEASE);
	enter(u, n, 1);
	for (;;) {
		reap(u, op);
		if (*u->cq_head - first == n)
			return;
		enter(u, 0, 1);
	}
}

static void *run_one(void *op)
{
	op_run(op);
	return NULL;
}

static void run_threads(struct op *op, unsigned int n)
{
	pthread_t thread[n];
	unsigned int i;

	for (i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, run_one, &op[i]))
			die(EXIT_SYSTEM, "cannot create a thread");
	for (i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

void uring_run(struct uring *u, struct op *op, unsigned int n)
{
	if (u->fd < 0)
		run_threads(op, n);
	else
		run_ring(u, op, n);
}
