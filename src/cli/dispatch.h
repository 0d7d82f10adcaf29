/* The command line: words in, words out. */
#ifndef CLEW_CLI_DISPATCH_H
#define CLEW_CLI_DISPATCH_H

/* Runs one command and returns its exit status; called by main() once the process is prepared, and
 * by tests. */
int clew_main(int argc, const char *const *argv);

#endif
