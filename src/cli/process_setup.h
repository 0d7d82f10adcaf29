/* The process around a command: signals, exhausted memory and closed standard streams. */
#ifndef CLEW_CLI_PROCESS_SETUP_H
#define CLEW_CLI_PROCESS_SETUP_H

#include <stdint.h>

/* To be called once, first of all.
 *  - SIGINT, SIGTERM and SIGHUP remove unfinished outputs and end the process with 128 + the
 *    signal's number; output that was already written stays.
 *  - A closed pipe is a failed write, not a signal.
 *  - When memory ends, one line says so, unfinished outputs are removed and the status is 2.
 *  - A closed standard stream is replaced by one on which every transfer fails, so that no file the
 *    tool opens takes its number and no result vanishes silently. */
void process_prepare(void);

/* So many processes, but no more than there are processors that this one may use: more of them only
 * wait for each other. */
uint32_t process_processors(uint32_t wanted);

#endif
