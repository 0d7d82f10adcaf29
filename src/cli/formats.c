#include "cli/formats.h"

#include "import/import.h"
#include "view/shiviz.h"

enum { FORMATS_MAX = 16 };

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
        must(count < FORMATS_MAX);
        joined[count++] = &format_shiviz;
    }
    return joined;
}

const char *formats_word(size_t index)
{
    must(index <= FORMATS_MAX);
    const struct format *format = formats_all()[index];
    return format == NULL ? NULL : format->name;
}
