// SPDX-License-Identifier: GPL-2.0
/* check, repair, cancel, wait */
#include <stdlib.h>

#include "commands.h"
#include "condition.h"
#include "ctl.h"
#include "output.h"
#include "progress.h"

static void report_json(const struct mqr_ioc_status *s)
{
	out_str("array", NULL, "mqr%u", s->array);
	out_str("action", NULL, "%s", sync_action_name(s->last_action));
	out_int("result", NULL, s->last_result);
	out_num("mismatch_sectors", NULL, s->mismatches);
	out_num("unmended_sectors", NULL, s->unmended);
	out_num("lost_sectors", NULL, s->lost_sectors);
}

/* How a check or repair ended. */
static int report_end(const struct mqr_ioc_status *s)
{
	const char *action = sync_action_name(s->last_action);
	bool repair = s->last_action == MQR_SYNC_REPAIR;
	int err = abs(s->last_result);
	char size[32];

	report_json(s);
	if (err == ECANCELED || err == EINTR)
		return complain(RC_SYSTEM, "mqr%u: the %s was cancelled",
				s->array, action);
	if (err)
		return complain(RC_SYSTEM,
				"mqr%u: the %s ended with an error: "
				"%s",
				s->array, action, strerror(err));
	if (s->lost_sectors)
		return complain(RC_FAILED,
				"mqr%u: %s could not be read or reconstructed",
				s->array,
				text_bytes(size, sizeof(size),
					   s->lost_sectors << 9));
	if (!s->mismatches) {
		out_line("mqr%u: %s finished, 0 mismatches", s->array, action);
		return RC_OK;
	}
	out_line("mqr%u: %s finished, mismatches in %llu sectors (%s)%s",
		 s->array, action, (unsigned long long)s->mismatches,
		 text_bytes(size, sizeof(size), s->mismatches << 9),
		 repair ? ", mended" : "");
	if (repair)
		return RC_OK;
	out_line("to mend them: raidctl repair mqr%u", s->array);
	return RC_FAILED;
}

static int scrub(const struct invocation *inv, enum mqr_sync_action action)
{
	struct mqr_ioc_status s;
	struct mqr_why why;
	int rc = ctl_find(inv->args.word[0], &s);

	if (rc)
		return rc;
	if (ctl_sync(s.array, action, &why))
		return complain(RC_SYSTEM, "mqr%u: %s: %s", s.array,
				sync_action_name(action), why.text);
	if (inv->opt.no_wait) {
		out_str("array", NULL, "mqr%u", s.array);
		out_line("mqr%u: %s started; raidctl wait mqr%u shows it",
			 s.array, sync_action_name(action), s.array);
		return RC_OK;
	}
	rc = progress_wait(s.array, &s);
	if (rc)
		return rc;
	/* The driver only tells how the last one ended. */
	if (s.last_action != action) {
		report_json(&s);
		return complain(RC_SYSTEM,
				"mqr%u: a %s came after the %s, whose result "
				"is not known: start it again",
				s.array, sync_action_name(s.last_action),
				sync_action_name(action));
	}
	return report_end(&s);
}

int cmd_check(struct invocation *inv)
{
	return scrub(inv, MQR_SYNC_CHECK);
}

int cmd_repair(struct invocation *inv)
{
	return scrub(inv, MQR_SYNC_REPAIR);
}

int cmd_cancel(struct invocation *inv)
{
	struct mqr_ioc_status s;
	struct mqr_why why;
	int rc = ctl_find(inv->args.word[0], &s);

	if (rc)
		return rc;
	out_str("array", NULL, "mqr%u", s.array);
	out_str("cancelled", NULL, "%s", sync_action_name(s.sync_action));
	if (s.sync_action == MQR_SYNC_IDLE) {
		out_line("mqr%u: nothing runs", s.array);
		return RC_OK;
	}
	if (ctl_sync(s.array, MQR_SYNC_IDLE, &why))
		return complain(RC_SYSTEM, "mqr%u: cancel: %s", s.array,
				why.text);
	out_line("mqr%u: %s cancelled", s.array,
		 sync_action_name(s.sync_action));
	return RC_OK;
}

int cmd_wait(struct invocation *inv)
{
	struct condition *c;
	struct mqr_ioc_status s;
	unsigned int i;
	int rc = ctl_find(inv->args.word[0], &s);

	if (!rc)
		rc = progress_wait(s.array, &s);
	if (rc)
		return rc;
	c = allocate(sizeof(*c));
	condition_of(&s, c);
	report_json(&s);
	out_str("state", NULL, "%s", c->state);
	out_line("mqr%u: %s", s.array, c->state);
	for (i = 0; i < c->problems; i++)
		out_line("  %s", c->problem[i]);
	rc = c->rc;
	free(c);
	return rc;
}
