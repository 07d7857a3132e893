// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that can't be had, on demand: what an array does without any is
 * rarely seen otherwise.  Where the kernel has fault injection, the directory
 * mqraid_fail_memory of debugfs holds the usual files (probability, times,
 * interval, verbose; see the kernel's fault-injection.rst).
 */
#include <linux/debugfs.h>
#include <linux/fault-inject.h>

#include "mqraid.h"

static DECLARE_FAULT_ATTR(mqr_fail_memory);
static struct dentry *mqr_inject_dir;

/* [any context] */
bool mqr_inject_no_memory(void)
{
	return should_fail(&mqr_fail_memory, 1);
}

/* Without debugfs there is no directory, and nothing ever fails. */
void mqr_inject_init(void)
{
	mqr_inject_dir = fault_create_debugfs_attr("mqraid_fail_memory", NULL,
						   &mqr_fail_memory);
}

void mqr_inject_exit(void)
{
	if (!IS_ERR_OR_NULL(mqr_inject_dir))
		debugfs_remove_recursive(mqr_inject_dir);
}
