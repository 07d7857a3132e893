// SPDX-License-Identifier: GPL-2.0
/*
 * Loading, unloading, and what happens when the machine goes down.
 *
 * Every array holds a reference of the module from assembly to stop, so that
 * the module cannot be unloaded under one: the exit function has no array to
 * care for.  The control device comes last and goes first: nobody can make
 * an array before everything is there.
 */
#include <linux/module.h>
#include <linux/reboot.h>

#include "mqraid.h"
#include "calc.h"

struct workqueue_struct *mqr_meta_wq;
struct workqueue_struct *mqr_submit_wq;

/*
 * File systems have been unmounted or made read-only by now.  If something
 * writes all the same, the array is marked active again as always.
 */
static int mqr_reboot(struct notifier_block *nb, unsigned long event,
		      void *unused)
{
	mqr_arrays_quiesce();
	return NOTIFY_DONE;
}

static struct notifier_block mqr_reboot_notifier = {
	.notifier_call = mqr_reboot,
};

static int __init mqr_init(void)
{
	int err;

	err = mqr_calc_init();
	if (err)
		return err;
	err = mqr_workers_create();
	if (err)
		goto out_calc;
	/*
	 * Writes wait for this one, also those that free memory.  Works of
	 * many arrays sleep in it at the same time.
	 */
	mqr_meta_wq =
		alloc_workqueue("mqraid-meta", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!mqr_meta_wq) {
		err = -ENOMEM;
		goto out_workers;
	}
	/*
	 * Of its own: what runs here waits for memory that works of the other
	 * queues give back, so it must not take their rescuer.
	 */
	mqr_submit_wq = alloc_workqueue("mqraid-submit",
					WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!mqr_submit_wq) {
		err = -ENOMEM;
		goto out_meta;
	}
	err = register_reboot_notifier(&mqr_reboot_notifier);
	if (err)
		goto out_submit;

	mqr_inject_init();
	/* Last: calls may arrive before this returns. */
	err = mqr_control_init();
	if (err)
		goto out_inject;

	pr_info("mqraid: version %s, parity by %s\n", MQR_VERSION,
		mqr_calc_name());
	return 0;

out_inject:
	mqr_inject_exit();
	unregister_reboot_notifier(&mqr_reboot_notifier);
out_submit:
	destroy_workqueue(mqr_submit_wq);
out_meta:
	destroy_workqueue(mqr_meta_wq);
out_workers:
	mqr_workers_destroy();
out_calc:
	mqr_calc_exit();
	return err;
}
module_init(mqr_init);

static void __exit mqr_exit(void)
{
	mqr_control_exit();
	mqr_inject_exit();
	unregister_reboot_notifier(&mqr_reboot_notifier);
	destroy_workqueue(mqr_submit_wq);
	destroy_workqueue(mqr_meta_wq);
	mqr_workers_destroy();
	mqr_calc_exit();
	/* Epochs and members are freed by RCU callbacks of ours. */
	rcu_barrier();
}
module_exit(mqr_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Lockless multi-queue software RAID");
MODULE_VERSION(MQR_VERSION);
