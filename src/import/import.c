#include "import/import.h"

const struct format *const import_formats[] = {
    &format_falcon,   &format_std,          &format_har,         &format_otlp, &format_http_tsv,
    &format_http_log, &format_reports_json, &format_reports_csv, NULL,
};
