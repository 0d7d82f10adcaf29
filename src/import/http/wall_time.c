#include "import/http/wall_time.h"

/* Reads exactly `count` digits. */
static bool take_digits(struct piece *p, size_t count, int64_t *number)
{
    *number = 0;
    if (p->size < count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (p->at[i] < '0' || p->at[i] > '9') {
            return false;
        }
        *number = *number * 10 + (p->at[i] - '0');
    }
    *p = piece_after(*p, count);
    return true;
}

static bool take_char(struct piece *p, const char *any)
{
    if (p->size == 0 || p->at[0] == '\0' || strchr(any, p->at[0]) == NULL) {
        return false;
    }
    *p = piece_after(*p, 1);
    return true;
}

/* Days since 1970-01-01 in the Gregorian calendar, counted in years that begin in March so that the
 * leap day comes last. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    must(month >= 1);
    must(month <= 12);
    const int64_t shifted = month <= 2 ? year - 1 : year;
    const int64_t from_march = (month + 9) % 12;
    const int64_t day_of_year = (153 * from_march + 2) / 5 + day - 1;
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + day_of_year - 719468;
}

struct date {
    int64_t year, month, day;
};

static bool date_is_right(const struct date *d)
{
    /* Beyond these years nanoseconds do not fit into 64 bits. */
    return d->year >= 1700 && d->year <= 2250 && d->month >= 1 && d->month <= 12 && d->day >= 1 &&
           d->day <= 31;
}

/* "2026-11-18" */
static bool take_date(struct piece *p, struct date *d)
{
    struct piece rest = *p;
    if (!take_digits(&rest, 4, &d->year) || !take_char(&rest, "-/") ||
        !take_digits(&rest, 2, &d->month) || !take_char(&rest, "-/") ||
        !take_digits(&rest, 2, &d->day) || !take_char(&rest, "Tt ") || !date_is_right(d)) {
        return false;
    }
    *p = rest;
    return true;
}

static bool take_month(struct piece *p, int64_t *month)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (*month = 1; *month <= 12; ++*month) {
        if (p->size >= 3 && memcmp(p->at, names + (*month - 1) * 3, 3) == 0) {
            *p = piece_after(*p, 3);
            return true;
        }
    }
    return false;
}

/* "18/Nov/2026", the date of an access log */
static bool take_log_date(struct piece *p, struct date *d)
{
    struct piece rest = *p;
    if (!take_digits(&rest, 2, &d->day) || !take_char(&rest, "/") ||
        !take_month(&rest, &d->month) || !take_char(&rest, "/") ||
        !take_digits(&rest, 4, &d->year) || !take_char(&rest, ":") || !date_is_right(d)) {
        return false;
    }
    *p = rest;
    return true;
}

static bool take_clock(struct piece *p, int64_t *seconds)
{
    int64_t hour = 0;
    int64_t minute = 0;
    int64_t second = 0;
    if (!take_digits(p, 2, &hour) || !take_char(p, ":") || !take_digits(p, 2, &minute) ||
        !take_char(p, ":") || !take_digits(p, 2, &second)) {
        return false;
    }
    *seconds = hour * 3600 + minute * 60 + second;
    return hour <= 24 && minute <= 59 && second <= 60;
}

/* Nanoseconds of ".123" or ",123"; digits beyond the ninth are ignored. */
static int64_t take_fraction(struct piece *p)
{
    struct piece rest = *p;
    int64_t ns = 0;
    int64_t scale = 100000000;
    int64_t digit = 0;
    if (!take_char(&rest, ".,") || !take_digits(&rest, 1, &digit)) {
        return 0;
    }
    do {
        ns += digit * scale;
        scale /= 10;
    } while (take_digits(&rest, 1, &digit));
    *p = rest;
    return ns;
}

/* Seconds of "+02:00", "-0530" or "Z". */
static int64_t take_offset(struct piece *p)
{
    if (take_char(p, "Zz")) {
        return 0;
    }
    struct piece rest = *p;
    const bool is_behind = rest.size > 0 && rest.at[0] == '-';
    int64_t hours = 0;
    int64_t minutes = 0;
    if (!take_char(&rest, "+-") || !take_digits(&rest, 2, &hours)) {
        return 0;
    }
    (void)take_char(&rest, ":");
    if (!take_digits(&rest, 2, &minutes)) {
        return 0;
    }
    *p = rest;
    return (is_behind ? -1 : 1) * (hours * 3600 + minutes * 60);
}

size_t wall_time_parse(struct piece text, int64_t *ns)
{
    struct piece rest = text;
    struct date date = {0};
    int64_t seconds = 0;
    const bool is_of_log = take_log_date(&rest, &date);
    if ((!is_of_log && !take_date(&rest, &date)) || !take_clock(&rest, &seconds)) {
        return 0;
    }
    const int64_t fraction = take_fraction(&rest);
    struct piece behind = rest;
    if (is_of_log && take_char(&behind, " ") && behind.size > 0 &&
        strchr("+-", *behind.at) != NULL) {
        rest = behind;
    }
    const int64_t offset = take_offset(&rest);
    const int64_t days = days_of(date.year, date.month, date.day);
    *ns = (days * 86400 + seconds - offset) * 1000000000 + fraction;
    must(rest.size < text.size);
    return text.size - rest.size;
}
