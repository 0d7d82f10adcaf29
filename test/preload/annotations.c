/* The words of clew.h.
 *
 * order: main@bank handler-begin deposit
 * order: main@bank variable balance value=7
 * order: main@bank atomic-begin transfer
 * order: main@bank log text=a line
 * order: main@bank atomic-end transfer
 * order: main@bank happens-before flag
 * order: main@bank happens-after flag
 * order: main@bank send
 * order: main@bank recv
 * order: main@bank variable-delete balance
 * order: main@bank handler-end */
#include <clew/clew.h>

#include "program.h"

static int flag;
static int queue;

int main(void)
{
    clew_node("bank");
    clew_handler_begin("deposit");
    clew_var("balance", 7);
    clew_atomic_begin("transfer");
    clew_log("a line");
    clew_atomic_end("transfer");
    clew_happens_before(&flag);
    clew_happens_after(&flag);
    clew_sent(&queue, 1, 8);
    clew_received(&queue, 1, 8);
    clew_var_delete("balance");
    clew_handler_end();
    return 0;
}
