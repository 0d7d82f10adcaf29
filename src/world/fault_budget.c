/* Fault budgets as text: "crash=1,drop=2". */
#include <stdio.h>
#include <string.h>

#include "base/quoted_text.h"
#include "trace/kind_table.h"
#include "world/world.h"

enum { BUDGET_MOST = 1000 };
_Static_assert(BUDGET_MOST <= UINT16_MAX, "a budget counts in 16 bits");
_Static_assert((int)FAULT_DISK_ERROR < (int)FAULT_LIMIT,
               "a budget has a count for each fault with a name");

/* "there is no fault called "fire": crash, restart ... or disk-error" */
static int refuse(const char *name, size_t size, struct err *e)
{
    char all[160] = "";
    size_t used = 0;
    for (uint8_t fault = FAULT_CRASH; fault <= FAULT_DISK_ERROR; fault++) {
        const char *before = fault == FAULT_CRASH ? "" : fault == FAULT_DISK_ERROR ? " or " : ", ";
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", before,
                                 mode_name(MODES_FAULT, fault));
        must(used < sizeof all);
    }
    return err_set(e, "there is no fault called %s: %s", shown(name, size).text, all);
}

/* One "fault" or "fault=N" of `size` bytes. */
static int parse_one(struct fault_budget *b, const char *text, size_t size, struct err *e)
{
    const char *equals = memchr(text, '=', size);
    const size_t name_size = equals == NULL ? size : (size_t)(equals - text);
    const uint8_t fault = mode_find(MODES_FAULT, text, name_size);
    if (fault == MODE_UNSAID || fault > FAULT_DISK_ERROR) {
        return refuse(text, name_size, e);
    }
    uint32_t most = equals == NULL ? 1 : 0;
    const char *end = text + size;
    for (const char *c = equals == NULL ? end : equals + 1; c < end; c++) {
        if (*c < '0' || *c > '9' || most > BUDGET_MOST) {
            most = BUDGET_MOST + 1;
            break;
        }
        most = most * 10 + (uint32_t)(*c - '0');
    }
    if (most > BUDGET_MOST || (equals != NULL && equals + 1 == end)) {
        return err_set(e, "%s: a number up to %d was expected", shown(text, size).text,
                       BUDGET_MOST);
    }
    b->most[fault] = (uint16_t)most;
    return 0;
}

bool fault_budget_is_any(const struct fault_budget *b)
{
    static const struct fault_budget none = {0};
    return memcmp(b, &none, sizeof none) != 0;
}

int fault_budget_parse(struct fault_budget *b, const char *text, struct err *e)
{
    struct fault_budget parsed = {0};
    if (strcmp(text, "none") != 0) {
        while (true) {
            const size_t size = strcspn(text, ",");
            if (parse_one(&parsed, text, size, e) < 0) {
                return -1;
            }
            if (text[size] == '\0') {
                break;
            }
            text += size + 1;
        }
    }
    *b = parsed;
    return 0;
}
