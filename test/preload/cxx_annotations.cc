/* The words of clew.h, in C++.
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

extern "C" {
int flag;
int queue;
}

/* What begins ends, however the scope is left. */
struct region {
    const char *name;
    explicit region(const char *called) : name(called)
    {
        clew_atomic_begin(name);
    }
    region(const region &) = delete;
    region &operator=(const region &) = delete;
    ~region()
    {
        clew_atomic_end(name);
    }
};

int main()
{
    clew_node("bank");
    clew_handler_begin("deposit");
    clew_var("balance", 7);
    try {
        const region transfer("transfer");
        clew_log("a line");
        throw 1;
    } catch (int) {
        clew_happens_before(&flag);
    }
    clew_happens_after(&flag);
    clew_sent(&queue, 1, 8);
    clew_received(&queue, 1, 8);
    clew_var_delete("balance");
    clew_ignore_begin();
    clew_ignore_end();
    clew_handler_end();
    return 0;
}
