/* A bank's transfer: withdrawing and depositing are atomic, the transfer is not. An auditor who
 * adds up the accounts in the middle of it misses the money that is on its way.
 *
 * couple: balance_ withdraw, balance_ deposit
 * couple: balance_ read, balance_ read */
#include "kernel.h"

#include <mutex>

class Account
{
  public:
    explicit Account(long balance) : balance_(balance)
    {
    }

    void withdraw(long amount)
    {
        const std::lock_guard<std::recursive_mutex> guard(lock);
        balance_ -= amount; /* withdraw */
    }

    void deposit(long amount)
    {
        const std::lock_guard<std::recursive_mutex> guard(lock);
        balance_ += amount; /* deposit */
    }

    long balance() const
    {
        const std::lock_guard<std::recursive_mutex> guard(lock);
        return balance_; /* read */
    }

    mutable std::recursive_mutex lock;

  private:
    long balance_;
};

static Account savings(700);
static Account checking(300);
static long total;

static void transfer(Account &from, Account &to, long amount)
{
#ifdef FIXED
    const std::scoped_lock both(from.lock, to.lock);
#endif
    from.withdraw(amount);
    to.deposit(amount);
}

static long audit()
{
#ifdef FIXED
    const std::scoped_lock both(savings.lock, checking.lock);
#endif
    return savings.balance() + checking.balance();
}

static void *teller(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        transfer(savings, checking, 100);
    }
    return unused;
}

static void *auditor(void *unused)
{
    kernel_late();
    total = audit();
    return unused;
}

static int is_wrong(void)
{
    return total != 1000;
}

int main(void)
{
    return kernel_run(teller, auditor, is_wrong);
}
