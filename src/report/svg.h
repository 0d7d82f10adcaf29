/* A space-time diagram as a picture: time runs down, a lane for each task, arrows for messages and
 * dashed arrows for other orders between tasks. Names are texts of the picture, never elements. */
#ifndef CLEW_REPORT_SVG_H
#define CLEW_REPORT_SVG_H

#include "trace/format.h"

extern const struct format format_svg;

#endif
