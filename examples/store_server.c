/* A small server with a bug: a key-value store, a thread for each connection.
 *
 *     store_server 7000      serves port 7000 of this machine: PUT key value, GET key
 *     store_server --check   serves a free port, lets two clients talk to it, and ends with 0 if
 *                            both are answered
 *
 * The store's lock guards the list of entries. Replies are written without it, because a slow
 * client must not hold up the others: look at get().
 *
 *     clew cc -g -pthread store_server.c -o store_server
 *     clew hunt -- ./store_server --check
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINE_SIZE = 128, CLIENTS = 2 };

struct entry {
    struct entry *next;
    char *value;
    char key[];
};

static pthread_mutex_t store_lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *store;

static void die(const char *what)
{
    perror(what);
    exit(2);
}

/* The store */

static struct entry *find(const char *key)
{
    struct entry *entry = store;
    while (entry != NULL && strcmp(entry->key, key) != 0) {
        entry = entry->next;
    }
    return entry;
}

static void put(const char *key, const char *value)
{
    pthread_mutex_lock(&store_lock);
    struct entry *entry = find(key);
    if (entry == NULL) {
        entry = malloc(sizeof *entry + strlen(key) + 1);
        if (entry == NULL) {
            die("malloc");
        }
        memcpy(entry->key, key, strlen(key) + 1);
        entry->value = NULL;
        entry->next = store;
        store = entry;
    }
    free(entry->value);
    entry->value = strdup(value);
    pthread_mutex_unlock(&store_lock);
}

/* Writes the reply to a GET. */
static void get(const char *key, char *reply, size_t size)
{
    pthread_mutex_lock(&store_lock);
    const struct entry *entry = find(key);
    const char *value = entry == NULL ? NULL : entry->value;
    pthread_mutex_unlock(&store_lock);
    /* The bug: another connection may replace the value, and free this one. */
    if (value == NULL) {
        snprintf(reply, size, "NONE\n");
    } else {
        snprintf(reply, size, "VALUE %s\n", value);
    }
}

/* Connections */

/* Answers the requests of one connection. */
static void *serve(void *argument)
{
    FILE *in = argument;
    char line[LINE_SIZE];
    while (fgets(line, sizeof line, in) != NULL) {
        char key[LINE_SIZE];
        char value[LINE_SIZE];
        char reply[LINE_SIZE] = "ERROR\n";
        if (sscanf(line, "PUT %127s %127s", key, value) == 2) {
            put(key, value);
            snprintf(reply, sizeof reply, "OK\n");
        } else if (sscanf(line, "GET %127s", key) == 1) {
            get(key, reply, sizeof reply);
        }
        dprintf(fileno(in), "%s", reply);
    }
    fclose(in);
    return NULL;
}

/* Listens on the port of this machine, 0: a free one. Returns the socket; *port is set. */
static int listen_on(uint16_t *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(*port)};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) < 0 || listen(fd, 8) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) < 0) {
        die("listen");
    }
    *port = ntohs(address.sin_port);
    return fd;
}

/* Takes this number of connections, a thread for each. */
static void serve_connections(int listener, int count)
{
    pthread_t threads[CLIENTS];
    for (int i = 0; i < count; i++) {
        const int fd = accept(listener, NULL, NULL);
        FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
        if (in == NULL || pthread_create(&threads[i], NULL, serve, in) != 0) {
            die("accept");
        }
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
}

/* The check */

struct client {
    uint16_t port;
    const char *request;
    bool is_answered;
};

static void *ask(void *argument)
{
    struct client *client = argument;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(client->port)};
    char line[LINE_SIZE];
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        die("connect");
    }
    dprintf(fd, "%s", client->request);
    shutdown(fd, SHUT_WR);
    client->is_answered = read(fd, line, sizeof line) > 0 && strncmp(line, "ERROR", 5) != 0;
    close(fd);
    return NULL;
}

static int check(void)
{
    uint16_t port = 0;
    const int listener = listen_on(&port);
    struct client clients[CLIENTS] = {{port, "GET colour\n", false},
                                      {port, "PUT colour red\n", false}};
    pthread_t threads[CLIENTS];
    put("colour", "blue");
    for (int i = 0; i < CLIENTS; i++) {
        if (pthread_create(&threads[i], NULL, ask, &clients[i]) != 0) {
            die("pthread_create");
        }
    }
    serve_connections(listener, CLIENTS);
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
    }
    close(listener);
    return clients[0].is_answered && clients[1].is_answered ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--check") == 0) {
        return check();
    }
    uint16_t port = argc == 2 ? (uint16_t)strtoul(argv[1], NULL, 10) : 0;
    const int listener = listen_on(&port);
    printf("store_server: port %u\n", port);
    fflush(stdout);
    while (true) {
        serve_connections(listener, 1);
    }
}
