// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/mqraid-control: see mqr_uapi.h for the calls and the rules by which
 * their arguments may grow, core/uapi_check.c for what is accepted.
 *
 * Calls are dispatched by number, not by the whole command word: that holds
 * the size of the argument, which changes when the argument grows.
 */
#include <linux/capability.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "mqraid.h"
#include "calc.h"
#include "core/uapi_check.h"

#define MQR_NR_FIRST _IOC_NR(MQR_IOC_VERSION)

static int mqr_call_version(void *p, struct mqr_why *why)
{
	struct mqr_ioc_version *arg = p;

	arg->abi = MQR_ABI_VERSION;
	strscpy(arg->module, MQR_VERSION, sizeof(arg->module));
	strscpy(arg->calc, mqr_calc_name(), sizeof(arg->calc));
	return 0;
}

static int mqr_call_assemble(void *p, struct mqr_why *why)
{
	return mqr_array_assemble(p, why);
}

static struct mqr_array *mqr_call_array(u32 index, struct mqr_why *why)
{
	struct mqr_array *array = mqr_array_get(index, false);

	if (!array)
		mqr_because(why, "there is no array mqr%u", index);
	return array;
}

static int mqr_call_stop(void *p, struct mqr_why *why)
{
	const struct mqr_ioc_array *arg = p;
	struct mqr_array *array = mqr_call_array(arg->array, why);
	int err;

	if (!array)
		return -ENODEV;
	err = mqr_array_stop(array, why);
	mqr_array_put(array);
	return err;
}

static int mqr_call_member(const struct mqr_ioc_member *arg,
			   struct mqr_why *why,
			   int (*fn)(struct mqr_array *array,
				     const struct mqr_ioc_member *arg,
				     struct mqr_why *why))
{
	struct mqr_array *array = mqr_call_array(arg->array, why);
	int err;

	if (!array)
		return -ENODEV;
	err = fn(array, arg, why);
	mqr_array_put(array);
	return err;
}

static int mqr_call_add(void *p, struct mqr_why *why)
{
	return mqr_call_member(p, why, mqr_array_add_member);
}

static int mqr_call_fail(void *p, struct mqr_why *why)
{
	return mqr_call_member(p, why, mqr_member_fail_user);
}

static int mqr_call_remove(void *p, struct mqr_why *why)
{
	return mqr_call_member(p, why, mqr_member_remove);
}

static int mqr_call_sync(void *p, struct mqr_why *why)
{
	const struct mqr_ioc_sync *arg = p;
	struct mqr_array *array = mqr_call_array(arg->array, why);
	int err;

	if (!array)
		return -ENODEV;
	err = mqr_sync_request(array, arg->action, why);
	mqr_array_put(array);
	return err;
}

static int mqr_call_status(void *p, struct mqr_why *why)
{
	struct mqr_ioc_status *arg = p;
	bool next = arg->flags & MQR_STATUS_NEXT;
	u32 index = arg->array;
	struct mqr_array *array;
	int err;

	do {
		array = mqr_array_get(index, next);
		if (!array)
			return -ENODEV;
		err = mqr_array_status(array, arg);
		index = array->index + 1;
		mqr_array_put(array);
		/* Being stopped: as good as gone. */
	} while (err && next);
	return err;
}

/* By number, as the table of core/uapi_check.c */
static int (*const mqr_calls[])(void *arg, struct mqr_why *why) = {
	[_IOC_NR(MQR_IOC_VERSION) - MQR_NR_FIRST] = mqr_call_version,
	[_IOC_NR(MQR_IOC_ASSEMBLE) - MQR_NR_FIRST] = mqr_call_assemble,
	[_IOC_NR(MQR_IOC_STOP) - MQR_NR_FIRST] = mqr_call_stop,
	[_IOC_NR(MQR_IOC_ADD) - MQR_NR_FIRST] = mqr_call_add,
	[_IOC_NR(MQR_IOC_FAIL) - MQR_NR_FIRST] = mqr_call_fail,
	[_IOC_NR(MQR_IOC_REMOVE) - MQR_NR_FIRST] = mqr_call_remove,
	[_IOC_NR(MQR_IOC_SYNC) - MQR_NR_FIRST] = mqr_call_sync,
	[_IOC_NR(MQR_IOC_STATUS) - MQR_NR_FIRST] = mqr_call_status,
};

/* Check and carry out call @i of the table on our copy of its argument. */
static int mqr_call(unsigned int i, void *arg, const struct mqr_uapi_call *call)
{
	struct mqr_why why = {};
	int err = mqr_uapi_check(i + MQR_NR_FIRST, arg, &why);

	if (!err)
		err = mqr_calls[i](arg, &why);
	if (call->why)
		memcpy(arg + call->why, why.text, sizeof(why.text));
	return err;
}

static long mqr_ioctl_user(unsigned int i, const struct mqr_uapi_call *call,
			   void __user *user)
{
	u32 size;
	void *arg;
	int err;

	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < MQR_UAPI_MIN_SIZE)
		return -EINVAL;
	if (size > MQR_UAPI_MAX_SIZE)
		return -E2BIG;
	arg = kvzalloc(call->size, GFP_KERNEL);
	if (!arg)
		return -ENOMEM;
	err = copy_struct_from_user(arg, call->size, user, size);
	if (err)
		goto out;
	/* Of two reads the first one counts. */
	*(u32 *)arg = size;
	err = mqr_call(i, arg, call);
	if (copy_to_user(user, arg, min(size, call->size)) && !err)
		err = -EFAULT;
out:
	kvfree(arg);
	return err;
}

static long mqr_ioctl(struct file *file, unsigned int cmd, unsigned long user)
{
	unsigned int i = _IOC_NR(cmd) - MQR_NR_FIRST;
	const struct mqr_uapi_call *call;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (_IOC_TYPE(cmd) != MQR_IOC_TYPE || i >= ARRAY_SIZE(mqr_calls))
		return -ENOTTY;
	i = array_index_nospec(i, ARRAY_SIZE(mqr_calls));
	call = mqr_uapi_call(i + MQR_NR_FIRST);
	if (WARN_ON_ONCE(!call))
		return -ENOTTY;
	return mqr_ioctl_user(i, call, (void __user *)user);
}

static const struct file_operations mqr_control_fops = {
	.owner = THIS_MODULE,
	.open = nonseekable_open,
	.unlocked_ioctl = mqr_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice mqr_control = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = MQR_CONTROL_NAME,
	.fops = &mqr_control_fops,
	.mode = 0600,
};

int mqr_control_init(void)
{
	return misc_register(&mqr_control);
}

void mqr_control_exit(void)
{
	misc_deregister(&mqr_control);
}
