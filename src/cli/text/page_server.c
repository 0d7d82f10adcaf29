#include "cli/text/page_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fault_injection.h"

enum { TOKEN_BYTES = 16, WAIT_MS = 200, CONNECTIONS_MAX = 32, IDLE_SECONDS = 30 };

struct page_server {
    const char *document;
    size_t size;
    char path[2 * TOKEN_BYTES + 3]; /* "/TOKEN/" */
    char hosts[2][32];              /* "127.0.0.1:PORT" and "localhost:PORT" */
};

static int draw_token(char *path, size_t size, struct err *e)
{
    unsigned char bytes[TOKEN_BYTES];
    must(size == 2 * TOKEN_BYTES + 3);
    const int fd = seam_fails() ? seam_failure(EMFILE) : open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);
    if (fd >= 0) {
        (void)close(fd);
    }
    if (got != (ssize_t)sizeof bytes) {
        return err_set(e, "/dev/urandom cannot be read: the address of the page needs a token");
    }
    path[0] = '/';
    for (size_t i = 0; i < TOKEN_BYTES; i++) {
        (void)snprintf(path + 1 + 2 * i, 3, "%02x", bytes[i]);
    }
    memcpy(path + 1 + 2 * TOKEN_BYTES, "/", 2);
    return 0;
}

/* Takes the same time for every guess of the same length. */
static bool is_equal(const char *a, const char *b)
{
    const size_t size = strlen(a);
    unsigned char difference = 0;
    if (strlen(b) != size) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        difference |= (unsigned char)(a[i] ^ b[i]);
    }
    return difference == 0;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const char *why)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(strlen(why), (void *)(uintptr_t)why,
                                                             MHD_RESPMEM_PERSISTENT);
    if (r == NULL) {
        return MHD_NO;
    }
    (void)MHD_add_response_header(r, "Content-Type", "text/plain; charset=utf-8");
    (void)MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    const enum MHD_Result result = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return result;
}

static enum MHD_Result send_page(struct MHD_Connection *c, const struct page_server *s)
{
    static const char *const headers[][2] = {
        {"Content-Type", "text/html; charset=utf-8"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cache-Control", "no-store"},
        {"X-Frame-Options", "DENY"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };
    struct MHD_Response *r = MHD_create_response_from_buffer(
        s->size, (void *)(uintptr_t)s->document, MHD_RESPMEM_PERSISTENT);
    if (r == NULL) {
        return MHD_NO;
    }
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        (void)MHD_add_response_header(r, headers[i][0], headers[i][1]);
    }
    const enum MHD_Result result = MHD_queue_response(c, MHD_HTTP_OK, r);
    MHD_destroy_response(r);
    return result;
}

static enum MHD_Result answer(void *context, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    const struct page_server *s = context;
    const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host");
    (void)version;
    (void)upload;
    (void)upload_size;
    (void)state;
    if (host == NULL || (strcmp(host, s->hosts[0]) != 0 && strcmp(host, s->hosts[1]) != 0)) {
        return refuse(c, MHD_HTTP_FORBIDDEN,
                      "the Host header does not name the loopback address\n");
    }
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD are answered\n");
    }
    return is_equal(s->path, url)
               ? send_page(c, s)
               : refuse(c, MHD_HTTP_NOT_FOUND, "the address of the page is the one clew printed\n");
}

static struct MHD_Daemon *start(struct page_server *s, uint16_t port, struct err *e)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct MHD_Daemon *daemon =
        seam_fails()
            ? NULL
            : MHD_start_daemon(MHD_USE_AUTO, port, NULL, NULL, answer, s, MHD_OPTION_SOCK_ADDR,
                               (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT,
                               (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
                               (unsigned)IDLE_SECONDS, MHD_OPTION_END);
    if (daemon == NULL) {
        (void)err_set(e, "port %u of 127.0.0.1 cannot be listened on; choose another with --port",
                      port);
    }
    return daemon;
}

int page_server_run(const char *document, size_t size, const struct page_server_options *o,
                    struct err *e)
{
    struct page_server s = {.document = document, .size = size};
    if (draw_token(s.path, sizeof s.path, e) < 0) {
        return -1;
    }
    struct MHD_Daemon *daemon = start(&s, o->port, e);
    if (daemon == NULL) {
        return -1;
    }
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    must(info != NULL);
    (void)snprintf(s.hosts[0], sizeof s.hosts[0], "127.0.0.1:%u", (unsigned)info->port);
    (void)snprintf(s.hosts[1], sizeof s.hosts[1], "localhost:%u", (unsigned)info->port);
    out_format(o->out, "http://%s%s\n", s.hosts[0], s.path);
    int result = out_flush(o->out, e);
    while (result == 0 && *o->is_stopped == 0) {
        (void)MHD_run_wait(daemon, WAIT_MS);
    }
    MHD_stop_daemon(daemon);
    return result;
}
