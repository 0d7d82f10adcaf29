#include "cli/input/formats.h"

#include "atomicity/promela.h"
#include "import/import.h"
#include "report/chrome.h"
#include "report/dot.h"
#include "report/mermaid.h"
#include "report/shiviz.h"
#include "report/svg.h"

enum { FORMATS_MAX = 24 };

/* Formats that are only written. */
static const struct format *const outputs[] = {
    &format_chrome, &format_mermaid, &format_svg, &format_dot, &format_shiviz, &format_promela,
};

format_list formats_all(void)
{
    static const struct format *joined[FORMATS_MAX + 1];
    if (joined[0] == NULL) {
        size_t count = 0;
        joined[count++] = &format_native;
        joined[count++] = &format_text;
        for (size_t i = 0; import_formats[i] != NULL; i++) {
            must(count < FORMATS_MAX);
            joined[count++] = import_formats[i];
        }
        for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
            must(count < FORMATS_MAX);
            joined[count++] = outputs[i];
        }
    }
    return joined;
}

const struct format *formats_readable(size_t index)
{
    format_list format = formats_all();
    for (; *format != NULL; format++) {
        if ((*format)->open != NULL && index-- == 0) {
            break;
        }
    }
    return *format;
}

const struct format *formats_writable(size_t index)
{
    format_list format = formats_all();
    for (; *format != NULL; format++) {
        if ((*format)->create != NULL && index-- == 0) {
            break;
        }
    }
    return *format;
}

const char *formats_readable_word(size_t index)
{
    const struct format *format = formats_readable(index);
    return format == NULL ? NULL : format->name;
}

const char *formats_writable_word(size_t index)
{
    const struct format *format = formats_writable(index);
    return format == NULL ? NULL : format->name;
}
