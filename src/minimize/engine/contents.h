/* Payloads of requests that differ from the first run's, by the name of the request. */
#ifndef CLEW_MINIMIZE_ENGINE_CONTENTS_H
#define CLEW_MINIMIZE_ENGINE_CONTENTS_H

#include "minimize/minimize.h"

/* Keeps a copy of the payload of the request of this name; an earlier one is freed. */
void contents_put(struct contents *c, const struct plan_content *content);
void contents_release(struct contents *c);

#endif
