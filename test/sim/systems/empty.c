/* A shared object with no system in it. */
int nothing(void);

int nothing(void)
{
    return 0;
}
