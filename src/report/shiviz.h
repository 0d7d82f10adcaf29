/* ShiViz: a log with a vector clock at each event, for the visualizer of that name. Only written;
 * the clocks need the whole trace, so events are held until the end. */
#ifndef CLEW_REPORT_SHIVIZ_H
#define CLEW_REPORT_SHIVIZ_H

#include "trace/format.h"

extern const struct format format_shiviz;

#endif
