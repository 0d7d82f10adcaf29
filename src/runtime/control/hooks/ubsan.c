/* What the compilers' checks for undefined behaviour report (-fsanitize=undefined). The library
 * that comes with gcc's calls __ubsan_on_report with each report, once it has said it; clang's is
 * part of the program, where what `clew cc` links in passes it on. The first report ends the run.
 */
#include <dlfcn.h>
#include <string.h>

#define ENTRY __attribute__((visibility("default")))
#include "runtime/control/sched/run_control.h"
#include "runtime/instrument/runtime_entry.h"
#include "runtime/shared/raw_text.h"

typedef void report_data(const char **kind, const char **message, const char **file, unsigned *line,
                         unsigned *column, char **address);

void clew_rt_undefined(void)
{
    void *found = control_is_on ? dlsym(RTLD_DEFAULT, "__ubsan_get_current_report_data") : NULL;
    if (found == NULL) {
        return;
    }
    report_data *take = NULL;
    memcpy(&take, &found, sizeof take);
    const char *kind = "";
    const char *message = "";
    const char *file = "";
    unsigned line = 0;
    unsigned column = 0;
    char *address = NULL;
    take(&kind, &message, &file, &line, &column, &address);
    char text[CONTROL_TEXT_SIZE] = "";
    const char *end = text + sizeof text - 1;
    char *at = text_append(text, end, "undefined behaviour: ");
    *text_append(at, end, message) = 0;
    control_end(&(struct ending){.end = CONTROL_MISUSED,
                                 .value = CONTROL_UNDEFINED,
                                 .text = text,
                                 .teller = "__ubsan_handle_"});
}

static void on_report(void)
{
    clew_rt_undefined();
}

RT_EXPORT void __ubsan_on_report(void) __attribute__((alias("on_report")));

/* Where clang linked its library without `clew cc`, reports are the program's own affair. */
void sanitizer_begin(void)
{
    static void *called;
    if (called == NULL) {
        called = dlsym(RTLD_DEFAULT, "__ubsan_on_report");
    }
    if (called != NULL && (uintptr_t)called != (uintptr_t)on_report) {
        control_outside("__ubsan_on_report");
    }
}
