#include "schedule.h"

#include "number.h"

#include <stddef.h>
#include <string.h>

#define SCHEDULE_NUMBER_MAX 1000000000ull /* so that no sum or product overflows */

static const struct schedule_word {
    const char *name; /* with its '=' */
    size_t offset;
} schedule_words[] = {
    {"skip_first=", offsetof(struct schedule, skip_first)},
    {"wait=", offsetof(struct schedule, wait)},
    {"warmup=", offsetof(struct schedule, warmup)},
    {"active=", offsetof(struct schedule, active)},
    {"repeat=", offsetof(struct schedule, repeat)},
    {"skip_first_wait=", offsetof(struct schedule, skip_first_wait)},
};
#define SCHEDULE_WORDS (sizeof schedule_words / sizeof *schedule_words)

/* Place in schedule_words of the word that `text` begins with; SCHEDULE_WORDS: none. */
static size_t schedule_find_word(const char *text)
{
    size_t place = 0;
    while (place < SCHEDULE_WORDS &&
           strncmp(text, schedule_words[place].name, strlen(schedule_words[place].name)) != 0)
        place++;
    return place;
}

/* Behind the number, NULL when there is none. */
static const char *schedule_number(const char *text, uint64_t *number)
{
    const char *end = number_parse(text, number);
    return *number <= SCHEDULE_NUMBER_MAX ? end : NULL;
}

bool schedule_parse(const char *text, struct schedule *schedule)
{
    unsigned seen = 0;
    *schedule = (struct schedule){0};
    for (;;) {
        size_t place = schedule_find_word(text);
        if (place == SCHEDULE_WORDS || (seen & 1u << place))
            return false;
        seen |= 1u << place;
        uint64_t *field = (uint64_t *)(void *)((char *)schedule + schedule_words[place].offset);
        text = schedule_number(text + strlen(schedule_words[place].name), field);
        if (!text || (*text && *text != ','))
            return false;
        if (!*text++)
            return schedule->active > 0 && schedule->skip_first_wait <= 1;
    }
}

static uint64_t schedule_cycle(const struct schedule *schedule)
{
    return schedule->wait + schedule->warmup + schedule->active;
}

/* Steps since the first cycle began, which was `wait` ago where its waiting is skipped. */
static uint64_t schedule_place(const struct schedule *schedule, uint64_t step)
{
    return step - schedule->skip_first + (schedule->skip_first_wait ? schedule->wait : 0);
}

bool schedule_is_over(const struct schedule *schedule, uint64_t step)
{
    return schedule->repeat && step >= schedule->skip_first &&
           schedule_place(schedule, step) >= schedule->repeat * schedule_cycle(schedule);
}

enum schedule_action schedule_at(const struct schedule *schedule, uint64_t step, uint64_t *window)
{
    *window = 0;
    if (step < schedule->skip_first || schedule_is_over(schedule, step))
        return SCHEDULE_NONE;
    uint64_t place = schedule_place(schedule, step);
    uint64_t in_cycle = place % schedule_cycle(schedule);
    *window = place / schedule_cycle(schedule);
    if (in_cycle < schedule->wait)
        return SCHEDULE_NONE;
    return in_cycle < schedule->wait + schedule->warmup ? SCHEDULE_WARMUP : SCHEDULE_RECORD;
}
