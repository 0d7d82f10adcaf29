/* Pictures of graphs, drawn by graphviz' program dot, where it is installed. */
#ifndef CLEW_CLI_TEXT_GRAPHVIZ_H
#define CLEW_CLI_TEXT_GRAPHVIZ_H

#include "base/err.h"
#include "base/out.h"

/* Has dot draw the graph that `print` writes in its language, and appends the picture (SVG) to out.
 * Fails when dot is not there or refuses the graph. */
MUST_USE int graphviz_draw(void (*print)(const void *graph, struct out *out), const void *graph,
                           struct out *out, struct err *e);

#endif
