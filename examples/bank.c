/* A bank holds an account, and two tellers pay into it: a teller asks for the balance, adds its
 * amount and sends the sum back. A deposit made in between is lost.
 *
 *     clew cc --sim bank.c -o bank.so && clew explore ./bank.so
 *
 * With -DFIXED a teller says which version of the balance it has changed; the bank refuses a stale
 * one, and the teller tries again. */
#include <clew/sim.h>
#include <stdio.h>

enum { BANK, TELLER_1, TELLER_2, NODE_COUNT };
static const char *const nodes[] = {"bank", "teller-1", "teller-2"};

enum { PAY, GET, BALANCE, SET, REFUSED };
static const char *const messages[] = {"pay", "get", "balance", "set", "refused", NULL};

enum { AMOUNT_1 = 30, AMOUNT_2 = 70 };

struct account {
    int balance;
    int version;
};

struct node {
    struct account account; /* the bank's */
    int amount;             /* a teller's, while it is being paid in */
};

/* Customers come to both tellers. */
static void setup(void)
{
    const int first = AMOUNT_1;
    const int second = AMOUNT_2;
    clew_request(TELLER_1, PAY, &first, sizeof first);
    clew_request(TELLER_2, PAY, &second, sizeof second);
}

static void set_account(struct node *bank, const struct clew_message *m)
{
    const struct account *set = m->bytes;
#ifdef FIXED
    if (set->version != bank->account.version) {
        clew_send(m->from, REFUSED, NULL, 0);
        return;
    }
#endif
    clew_writes("balance");
    bank->account.balance = set->balance;
    bank->account.version++;
    clew_variable("balance", bank->account.balance);
}

static void serve(struct node *bank, const struct clew_message *m)
{
    if (m->type == GET) {
        clew_reads("balance");
        clew_send(m->from, BALANCE, &bank->account, sizeof bank->account);
    } else {
        set_account(bank, m);
    }
}

static void pay_in(struct node *teller, const struct clew_message *m)
{
    if (m->type == BALANCE) {
        struct account account = *(const struct account *)m->bytes;
        account.balance += teller->amount;
        clew_send(BANK, SET, &account, sizeof account);
        return;
    }
    if (m->type == PAY) {
        teller->amount = *(const int *)m->bytes;
    }
    clew_send(BANK, GET, NULL, 0);
}

static void message(void *state, const struct clew_message *m)
{
    if (clew_self() == BANK) {
        serve(state, m);
    } else {
        pay_in(state, m);
    }
}

static void describe(const void *state, char *text, size_t size)
{
    const struct node *node = state;
    if (node->amount > 0) {
        (void)snprintf(text, size, "pays in %d", node->amount);
    } else {
        (void)snprintf(text, size, "holds %d", node->account.balance);
    }
}

static bool nothing_is_lost(const struct clew_view *view)
{
    const struct node *bank = view->states[BANK];
    return bank == NULL || bank->account.balance == AMOUNT_1 + AMOUNT_2 ||
           clew_broken(view, "the balance is %d, and %d were paid in", bank->account.balance,
                       AMOUNT_1 + AMOUNT_2);
}

static const struct clew_property properties[] = {
    {.name = "nothing is lost", .holds = nothing_is_lost, .is_at_rest = true},
    {0},
};

CLEW_SYSTEM(.name = "bank", .node_count = NODE_COUNT, .nodes = nodes, .messages = messages,
            .state_size = sizeof(struct node), .setup = setup, .message = message,
            .describe = describe, .properties = properties);
