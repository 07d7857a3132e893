// SPDX-License-Identifier: GPL-2.0
/*
 * Options of a load: one table says which keys there are and what they
 * accept; parser and refusals are made from it.  Pure.
 */
#include "mqrgen_options.h"

#define MQRGEN_DAY_MS (24ULL * 60 * 60 * 1000)

static const char *const mqrgen_ops[] = {
	[MQRGEN_READ] = "read",
	[MQRGEN_WRITE] = "write",
	[MQRGEN_MIX] = "mix",
	NULL,
};

static const char *const mqrgen_patterns[] = {
	[MQRGEN_SEQ] = "seq",
	[MQRGEN_RAND] = "rand",
	NULL,
};

/* A key takes one of the words (and the first by default), or a number. */
struct mqrgen_key {
	const char *name;
	size_t offset;
	const char *const *words;
	u64 min;
	u64 max;
	u64 multiple;
	u64 preset;
};

#define MQRGEN_WORDS(field, list)                                 \
	{                                                         \
		.name = #field, .words = list,                    \
		.offset = offsetof(struct mqrgen_options, field), \
	}
#define MQRGEN_NUMBER(field, least, most, unit, value)                       \
	{                                                                    \
		.name = #field, .min = least, .max = most, .multiple = unit, \
		.preset = value,                                             \
		.offset = offsetof(struct mqrgen_options, field),            \
	}

/* clang-format off */
static const struct mqrgen_key mqrgen_keys[] = {
	MQRGEN_WORDS(op, mqrgen_ops),
	MQRGEN_WORDS(pattern, mqrgen_patterns),
	/*            key      min  max            multiple  preset */
	MQRGEN_NUMBER(rwmix,   0,   100,           1,        70),
	MQRGEN_NUMBER(bs,      512, MQRGEN_MAX_BS, 512,      4096),
	MQRGEN_NUMBER(qd,      1,   4096,          1,        64),
	MQRGEN_NUMBER(threads, 1,   256,           1,        2),
	MQRGEN_NUMBER(ms,      0,   MQRGEN_DAY_MS, 1,        1000),
	MQRGEN_NUMBER(plug,    0,   1,             1,        1),
	MQRGEN_NUMBER(lat,     0,   1,             1,        0),
	MQRGEN_NUMBER(fua,     0,   1,             1,        0),
	MQRGEN_NUMBER(span_mb, 0,   1ULL << 40,    1,        0),
	MQRGEN_NUMBER(seed,    0,   U64_MAX,       1,        1),
};
/* clang-format on */

static u64 *mqrgen_field(struct mqrgen_options *opt,
			 const struct mqrgen_key *key)
{
	return (void *)opt + key->offset;
}

static const struct mqrgen_key *mqrgen_key_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mqrgen_keys); i++) {
		if (!strcmp(mqrgen_keys[i].name, name))
			return &mqrgen_keys[i];
	}
	return NULL;
}

/* "4096", "4K", "1M": false if @text is anything else, or too much */
static bool mqrgen_number(const char *text, u64 *number)
{
	u64 unit = 1;

	if (*text < '0' || *text > '9')
		return false;
	for (*number = 0; *text >= '0' && *text <= '9'; text++) {
		u64 digit = *text - '0';

		if (*number > div64_u64(U64_MAX - digit, 10))
			return false;
		*number = *number * 10 + digit;
	}
	if (*text == 'K' || *text == 'k')
		unit = 1ULL << 10;
	else if (*text == 'M' || *text == 'm')
		unit = 1ULL << 20;
	if (unit > 1)
		text++;
	if (*text || *number > div64_u64(U64_MAX, unit))
		return false;
	*number *= unit;
	return true;
}

static bool mqrgen_word(const char *const *words, const char *text, u64 *number)
{
	u64 i;

	for (i = 0; words[i]; i++) {
		if (!strcmp(words[i], text)) {
			*number = i;
			return true;
		}
	}
	return false;
}

static bool mqrgen_value(const struct mqrgen_key *key, const char *text,
			 u64 *number)
{
	if (key->words)
		return mqrgen_word(key->words, text, number);
	if (!mqrgen_number(text, number))
		return false;
	return *number >= key->min && *number <= key->max &&
	       div64_u64(*number, key->multiple) * key->multiple == *number;
}

/* ------------------------------------------------------------------------ */
/* Refusals */

/* Append to what there is; what doesn't fit is left out. */
static void mqrgen_accept(struct mqrgen_refusal *why, const char *text)
{
	size_t used = strlen(why->accepted);

	snprintf(why->accepted + used, sizeof(why->accepted) - used, "%s",
		 text);
}

static int mqrgen_refuse_key(struct mqrgen_refusal *why)
{
	size_t i;

	mqrgen_accept(why, "the keys are dev");
	for (i = 0; i < ARRAY_SIZE(mqrgen_keys); i++) {
		mqrgen_accept(why, " ");
		mqrgen_accept(why, mqrgen_keys[i].name);
	}
	return -EINVAL;
}

static int mqrgen_refuse_value(const struct mqrgen_key *key,
			       struct mqrgen_refusal *why)
{
	size_t i;

	mqrgen_accept(why, key->name);
	mqrgen_accept(why, " is ");
	for (i = 0; key->words && key->words[i]; i++) {
		mqrgen_accept(why, i ? " or " : "");
		mqrgen_accept(why, key->words[i]);
	}
	if (key->words)
		return -EINVAL;
	i = strlen(why->accepted);
	snprintf(why->accepted + i, sizeof(why->accepted) - i,
		 "a number from %llu to %llu", key->min, key->max);
	if (key->multiple > 1) {
		i = strlen(why->accepted);
		snprintf(why->accepted + i, sizeof(why->accepted) - i,
			 ", a multiple of %llu", key->multiple);
	}
	return -EINVAL;
}

static int mqrgen_refuse_dev(struct mqrgen_refusal *why)
{
	snprintf(why->accepted, sizeof(why->accepted),
		 "dev is PATH[,PATH...], at most %u of them", MQRGEN_MAX_DEVS);
	return -EINVAL;
}

/* ------------------------------------------------------------------------ */

static int mqrgen_parse_devs(char *list, struct mqrgen_options *opt,
			     struct mqrgen_refusal *why)
{
	char *path;

	opt->nr_devs = 0;
	while ((path = strsep(&list, ","))) {
		if (!*path || opt->nr_devs == MQRGEN_MAX_DEVS)
			return mqrgen_refuse_dev(why);
		opt->dev[opt->nr_devs++] = path;
	}
	return 0;
}

static int mqrgen_parse_word(char *word, struct mqrgen_options *opt,
			     struct mqrgen_refusal *why)
{
	const struct mqrgen_key *key;
	char *value = word;

	snprintf(why->word, sizeof(why->word), "%s", word);
	strsep(&value, "=");
	if (!value)
		return mqrgen_refuse_key(why);
	if (!strcmp(word, "dev"))
		return mqrgen_parse_devs(value, opt, why);
	key = mqrgen_key_find(word);
	if (!key)
		return mqrgen_refuse_key(why);
	if (!mqrgen_value(key, value, mqrgen_field(opt, key)))
		return mqrgen_refuse_value(key, why);
	return 0;
}

int mqrgen_options_parse(char *text, struct mqrgen_options *opt,
			 struct mqrgen_refusal *why)
{
	char *word;
	size_t i;
	int err;

	memset(opt, 0, sizeof(*opt));
	memset(why, 0, sizeof(*why));
	for (i = 0; i < ARRAY_SIZE(mqrgen_keys); i++)
		*mqrgen_field(opt, &mqrgen_keys[i]) = mqrgen_keys[i].preset;

	while ((word = strsep(&text, " \t\n"))) {
		if (!*word)
			continue;
		err = mqrgen_parse_word(word, opt, why);
		if (err)
			return err;
	}
	if (opt->nr_devs)
		return 0;
	snprintf(why->word, sizeof(why->word), "dev=");
	return mqrgen_refuse_dev(why);
}
