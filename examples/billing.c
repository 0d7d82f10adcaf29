/* A hospital's billing service and four people who use it, one after the other: nothing goes wrong.
 *
 *     cc -o billing billing.c -lmicrohttpd
 *     ./billing --har plain.har              the service, its clients,
 *                                            and what they said to each other
 *     ./billing --safe --har safe.har        the same with versions and a lock
 *     ./billing --serve 8080                 only the service, until standard input ends
 *
 * The service keeps documents: GET and PUT, each with a version (ETag, If-Match), and locks (POST
 * and DELETE under /locks). Anna pays in and Bob takes out: each reads the balance and writes it
 * anew. Carol bills a visit by what it lists while Dave adds to the list. Requests carry the name
 * of their client in X-Request-ID. With http_proxy in the environment they go through that proxy.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_MAX = 256, DOCUMENTS_MAX = 32, ANSWER_MAX = 4096 };

struct document {
    char path[TEXT_MAX];
    char body[TEXT_MAX];
    unsigned version; /* 0: it is not there */
};

/* The service answers one request at a time, so nothing here needs a lock. */
static struct document documents[DOCUMENTS_MAX];
static FILE *har;
static unsigned port;

static struct document *find(const char *path)
{
    for (size_t i = 0; i < DOCUMENTS_MAX; i++) {
        if (documents[i].path[0] == '\0') {
            (void)snprintf(documents[i].path, sizeof documents[i].path, "%s", path);
        }
        if (strcmp(documents[i].path, path) == 0) {
            return &documents[i];
        }
    }
    (void)fprintf(stderr, "billing: too many documents\n");
    exit(1);
}

/* A request while its body arrives. */
struct upload {
    struct timespec start;
    size_t size;
    char body[TEXT_MAX];
};

static void print_quoted(const char *text)
{
    (void)fputc('"', har);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            (void)fputc('\\', har);
        }
        (void)fputc(*text, har);
    }
    (void)fputc('"', har);
}

static void print_header(const char *name, const char *value, const char *separator)
{
    if (value != NULL) {
        (void)fprintf(har, "%s{\"name\":\"%s\",\"value\":", separator, name);
        print_quoted(value);
        (void)fputc('}', har);
    }
}

struct answer {
    unsigned status;
    char body[TEXT_MAX];
    char etag[32];
};

/* Adds the exchange to the archive. */
static void log_exchange(struct MHD_Connection *connection, const char *method, const char *url,
                         const struct upload *u, const struct answer *a)
{
    static bool is_first = true;
    char started[64];
    struct tm utc;
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%S", gmtime_r(&u->start.tv_sec, &utc));
    (void)fprintf(
        har,
        "%s\n{\"startedDateTime\":\"%s.%06ldZ\",\"time\":%.3f,\"request\":{\"method\":\"%s\","
        "\"url\":\"http://127.0.0.1:%u%s\",\"headers\":[",
        is_first ? "" : ",", started, u->start.tv_nsec / 1000,
        (double)(now.tv_sec - u->start.tv_sec) * 1e3 +
            (double)(now.tv_nsec - u->start.tv_nsec) / 1e6,
        method, port, url);
    is_first = false;
    print_header("Host", "127.0.0.1", "");
    print_header("X-Request-ID",
                 MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "X-Request-ID"), ",");
    print_header("If-Match", MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-Match"),
                 ",");
    (void)fprintf(har, "],\"postData\":{\"mimeType\":\"application/json\",\"text\":");
    print_quoted(u->body);
    (void)fprintf(har, "}},\"response\":{\"status\":%u,\"headers\":[", a->status);
    print_header("ETag", a->etag[0] == '\0' ? NULL : a->etag, "");
    (void)fprintf(har, "],\"content\":{\"mimeType\":\"application/json\",\"text\":");
    print_quoted(a->body);
    (void)fprintf(har, "}}}");
}

static void show(struct answer *a, const struct document *d)
{
    (void)snprintf(a->body, sizeof a->body, "%s", d->body);
    (void)snprintf(a->etag, sizeof a->etag, "\"%u\"", d->version);
}

/* What the service does. */
static void serve(const char *method, const char *path, const char *if_match, const char *body,
                  struct answer *a)
{
    struct document *d = find(path);
    const bool is_lock = strncmp(path, "/locks/", 7) == 0;
    char version[32];
    (void)snprintf(version, sizeof version, "\"%u\"", d->version);
    if (strcmp(method, "GET") == 0) {
        a->status = d->version > 0 ? 200 : 404;
        if (d->version > 0) {
            show(a, d);
        }
    } else if (strcmp(method, "PUT") == 0 && !is_lock) {
        if (if_match != NULL && strcmp(if_match, version) != 0) {
            a->status = 412;
            return;
        }
        a->status = d->version > 0 ? 200 : 201;
        (void)snprintf(d->body, sizeof d->body, "%s", body);
        d->version++;
        show(a, d);
    } else if (strcmp(method, "POST") == 0 && is_lock) {
        a->status = d->version > 0 ? 423 : 201;
        d->version = 1;
    } else if (strcmp(method, "DELETE") == 0 && is_lock) {
        a->status = d->version > 0 ? 204 : 404;
        d->version = 0;
    } else {
        a->status = 405;
    }
}

/* NOLINTNEXTLINE(readability-function-size): libmicrohttpd calls it so */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *bytes,
                                  size_t *size, void **state)
{
    (void)context;
    (void)version;
    struct upload *u = *state;
    if (u == NULL) {
        *state = u = calloc(1, sizeof *u);
        if (u != NULL) {
            (void)clock_gettime(CLOCK_REALTIME, &u->start);
        }
        return u == NULL ? MHD_NO : MHD_YES;
    }
    if (*size > 0) {
        const size_t room = sizeof u->body - 1 - u->size;
        const size_t taken = *size < room ? *size : room;
        memcpy(u->body + u->size, bytes, taken);
        u->size += taken;
        *size = 0;
        return MHD_YES;
    }
    struct answer a = {0};
    serve(method, url, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-Match"),
          u->body, &a);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(a.body), a.body, MHD_RESPMEM_MUST_COPY);
    (void)MHD_add_response_header(response, "Content-Type", "application/json");
    if (a.etag[0] != '\0') {
        (void)MHD_add_response_header(response, "ETag", a.etag);
    }
    if (har != NULL) {
        log_exchange(connection, method, url, u, &a);
    }
    const enum MHD_Result result = MHD_queue_response(connection, a.status, response);
    MHD_destroy_response(response);
    return result;
}

static void on_end(void *context, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode why)
{
    (void)context;
    (void)connection;
    (void)why;
    free(*state);
    *state = NULL;
}

/* Where clients connect to: the service, or the proxy. */
static int open_connection(bool is_proxied)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (is_proxied) {
        const char *colon = strrchr(getenv("http_proxy"), ':');
        address.sin_port = htons((uint16_t)strtoul(colon == NULL ? "0" : colon + 1, NULL, 10));
    }
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) < 0) {
        perror("billing: connecting");
        exit(1);
    }
    return fd;
}

/* One request by a client, and its answer. */
static struct answer ask(const char *client, const char *method, const char *path,
                         const char *if_match, const char *body)
{
    const bool is_proxied = getenv("http_proxy") != NULL;
    char text[ANSWER_MAX];
    char host[64];
    char match[64] = "";
    (void)snprintf(host, sizeof host, "127.0.0.1:%u", port);
    if (if_match != NULL) {
        (void)snprintf(match, sizeof match, "If-Match: %s\r\n", if_match);
    }
    const int size = snprintf(text, sizeof text,
                              "%s %s%s%s HTTP/1.1\r\nHost: %s\r\nX-Request-ID: %s\r\n%s"
                              "Connection: close\r\nContent-Length: %zu\r\n\r\n%s",
                              method, is_proxied ? "http://" : "", is_proxied ? host : "", path,
                              host, client, match, strlen(body), body);
    const int fd = open_connection(is_proxied);
    if (write(fd, text, (size_t)size) != size) {
        perror("billing: asking");
        exit(1);
    }
    size_t got = 0;
    ssize_t more = 0;
    while (got < sizeof text - 1 && (more = read(fd, text + got, sizeof text - 1 - got)) > 0) {
        got += (size_t)more;
    }
    text[got] = '\0';
    (void)close(fd);
    struct answer a = {0};
    const char *etag = strcasestr(text, "\r\netag: ");
    const char *end = strstr(text, "\r\n\r\n");
    /* NOLINTNEXTLINE(cert-err34-c): three digits always fit. */
    if (sscanf(text, "HTTP/%*s %3u", &a.status) != 1 || end == NULL) {
        (void)fprintf(stderr, "billing: no answer to %s %s\n", method, path);
        exit(1);
    }
    if (etag != NULL && etag < end) {
        (void)snprintf(a.etag, sizeof a.etag, "%.*s", (int)strcspn(etag + 8, "\r"), etag + 8);
    }
    (void)snprintf(a.body, sizeof a.body, "%s", end + 4);
    return a;
}

static int number_in(const char *body)
{
    const char *digits = strpbrk(body, "-0123456789");
    return digits == NULL ? 0 : (int)strtol(digits, NULL, 10);
}

/* Adds to the balance. Between the read and the write somebody else may do the same. */
static void pay(const char *client, int amount, bool is_safe)
{
    struct answer a;
    do {
        char body[64];
        a = ask(client, "GET", "/accounts/7", NULL, "");
        (void)snprintf(body, sizeof body, "{\"balance\":%d}", number_in(a.body) + amount);
        a = ask(client, "PUT", "/accounts/7", is_safe ? a.etag : NULL, body);
    } while (a.status == 412); /* somebody did: again, from what there is now */
}

static void lock(const char *client, bool is_safe)
{
    while (is_safe && ask(client, "POST", "/locks/visit-1", NULL, "").status == 423) {
        (void)usleep(1000);
    }
}

static void unlock(const char *client, bool is_safe)
{
    if (is_safe) {
        (void)ask(client, "DELETE", "/locks/visit-1", NULL, "");
    }
}

/* Writes a bill for what the visit lists. */
static void bill(const char *client, bool is_safe)
{
    lock(client, is_safe);
    const struct answer visit = ask(client, "GET", "/visits/1", NULL, "");
    const int amount = strstr(visit.body, "ct") == NULL ? 150 : 950;
    char body[64];
    (void)snprintf(body, sizeof body, "{\"amount\":%d}", amount);
    (void)ask(client, "PUT", "/bills/1", NULL, body);
    unlock(client, is_safe);
}

/* Adds a scan to the visit. */
static void scan(const char *client, bool is_safe)
{
    lock(client, is_safe);
    const struct answer visit = ask(client, "GET", "/visits/1", NULL, "");
    (void)ask(client, "PUT", "/visits/1", is_safe ? visit.etag : NULL,
              "{\"imaging\":[\"xray\",\"ct\"]}");
    unlock(client, is_safe);
}

static void fill(const char *path, const char *body)
{
    struct document *d = find(path);
    (void)snprintf(d->body, sizeof d->body, "%s", body);
    d->version = 1;
}

static int run(bool is_safe, const char *har_path, const char *serve_port)
{
    fill("/accounts/7", "{\"balance\":100}");
    fill("/visits/1", "{\"imaging\":[\"xray\"]}");
    har = har_path == NULL ? NULL : fopen(har_path, "w");
    if (har_path != NULL && har == NULL) {
        perror(har_path);
        return 1;
    }
    if (har != NULL) {
        (void)fprintf(har, "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"billing\","
                           "\"version\":\"1\"},\"entries\":[");
    }
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)(serve_port == NULL ? 0 : strtoul(serve_port, NULL, 10)));
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, on_request, NULL, MHD_OPTION_SOCK_ADDR,
        (struct sockaddr *)&address, MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL, MHD_OPTION_END);
    if (daemon == NULL) {
        (void)fprintf(stderr, "billing: cannot listen\n");
        return 1;
    }
    port = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    if (serve_port != NULL) {
        while (getchar() != EOF) {
        }
    } else {
        pay("anna", 100, is_safe);
        pay("bob", -30, is_safe);
        bill("carol", is_safe);
        scan("dave", is_safe);
    }
    MHD_stop_daemon(daemon);
    printf("balance %d, bill %d\n", number_in(find("/accounts/7")->body),
           number_in(find("/bills/1")->body));
    if (har != NULL) {
        (void)fprintf(har, "\n]}}\n");
        return fclose(har) == 0 ? 0 : 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    bool is_safe = false;
    const char *har_path = NULL;
    const char *serve_port = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--safe") == 0) {
            is_safe = true;
        } else if (strcmp(argv[i], "--har") == 0 && i + 1 < argc) {
            har_path = argv[++i];
        } else if (strcmp(argv[i], "--serve") == 0 && i + 1 < argc) {
            serve_port = argv[++i];
        } else {
            (void)fprintf(stderr, "billing: [--safe] [--har FILE] [--serve PORT]\n");
            return 2;
        }
    }
    return run(is_safe, har_path, serve_port);
}
