/* Two clerks move money between accounts that are records of a file, and lock each record before
 * they change it, in the order of the transfer. The kernel sees that they wait for each other and
 * refuses one of the locks; that clerk gives up, and its transfer is not made. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ACCOUNTS = 2, BEGIN = 100, AMOUNT = 10 };

static void set_lock(int file, short type, int account)
{
    struct flock lock = {.l_type = type,
                         .l_whence = SEEK_SET,
                         .l_start = account * (off_t)sizeof(int),
                         .l_len = sizeof(int)};
    if (fcntl(file, F_SETLKW, &lock) != 0) {
        exit(1);
    }
}

static void add(int file, int account, int amount)
{
    const off_t at = account * (off_t)sizeof(int);
    int balance = 0;
    if (pread(file, &balance, sizeof balance, at) != sizeof balance) {
        exit(2);
    }
    balance += amount;
    if (pwrite(file, &balance, sizeof balance, at) != sizeof balance) {
        exit(2);
    }
}

static void transfer(int from, int to)
{
    const int file = open("accounts", O_RDWR);
#ifdef FIXED
    const int first = from < to ? from : to;
#else
    const int first = from;
#endif
    set_lock(file, F_WRLCK, first);
    set_lock(file, F_WRLCK, from + to - first);
    add(file, from, -AMOUNT);
    add(file, to, AMOUNT);
    close(file);
}

int main(void)
{
    const int accounts[ACCOUNTS] = {BEGIN, BEGIN};
    const int file = open("accounts", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (write(file, accounts, sizeof accounts) != sizeof accounts) {
        return 2;
    }
    close(file);
    if (fork() == 0) {
        transfer(0, 1);
        exit(0);
    }
    if (fork() == 0) {
        transfer(1, 0);
        exit(0);
    }
    int status = 0;
    while (wait(&status) > 0) {
        if (status != 0) {
            return 1;
        }
    }
    return 0;
}
