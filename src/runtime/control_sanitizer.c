/* What gcc's checks for undefined behaviour report (-fsanitize=undefined). The library that comes
 * with them calls this with each report, once it has said it; the first one ends the run. */
#include <dlfcn.h>
#include <string.h>

#include "runtime/control.h"
#include "runtime/text.h"

typedef void report_data(const char **kind, const char **message, const char **file, unsigned *line,
                         unsigned *column, char **address);

RT_EXPORT void __ubsan_on_report(void);
RT_EXPORT void __ubsan_on_report(void)
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
    control_end(&(struct ending){
        .end = CONTROL_MISUSED, .value = CONTROL_UNDEFINED, .text = text, .teller = found});
}
