/* The one function of the library that dlopen.c loads. */
#ifndef CLEW_TEST_PRELOAD_PLUGIN_H
#define CLEW_TEST_PRELOAD_PLUGIN_H

void plugin_use(void);

#endif
