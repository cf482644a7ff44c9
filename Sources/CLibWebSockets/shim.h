#pragma once

#include <libwebsockets.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <uv.h>

/*
 * What the Swift importer leaves out: macros with casts or expressions, and functions that glibc
 * declares only for GNU sources (which may not be asked for here: the C library's own module is
 * compiled without). Every function here is one expression.
 */

static inline uint64_t sc_lws_option_libuv(void) { return LWS_SERVER_OPTION_LIBUV; }

static inline uint64_t sc_lws_option_tls(void) { return LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT; }

static inline uint64_t sc_lws_option_explicit_vhosts(void) {
    return LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
}

static inline int sc_lws_port_no_listen(void) { return CONTEXT_PORT_NO_LISTEN_SERVER; }

static inline int sc_lws_port_client(void) { return CONTEXT_PORT_NO_LISTEN; }

/* Bytes that are written as they are: frames made beforehand, or a whole HTTP answer. */
static inline int sc_lws_write_raw(struct lws *wsi, const void *bytes, size_t count) {
    return lws_write(wsi, (unsigned char *)bytes, count, LWS_WRITE_RAW);
}

/* Closes without a close handshake, when the context is next serviced; from any callback. */
static inline void sc_lws_kill(struct lws *wsi) {
    lws_set_timeout(wsi, PENDING_TIMEOUT_CLOSE_ACK, LWS_TO_KILL_ASYNC);
}

extern int accept4(int, struct sockaddr *, socklen_t *, int);

static inline int sc_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

extern int dup3(int, int, int);

/* Makes `target` mean what `source` means. */
static inline int sc_replace_descriptor(int source, int target) {
    return dup3(source, target, SOCK_CLOEXEC);
}

extern int socketpair(int, int, int, int[2]);

static inline int sc_socket_pair(int *first, int *second) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair)) return -1;
    return *first = pair[0], *second = pair[1], 0;
}

#ifdef __GLIBC__
extern int malloc_trim(size_t);
static inline void sc_trim_memory(void) { malloc_trim(0); }
#else
static inline void sc_trim_memory(void) {}
#endif

extern int pthread_setname_np(pthread_t, const char *);

static inline void sc_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

static inline int sc_lws_adoption_http(void) { return LWS_ADOPT_SOCKET | LWS_ADOPT_HTTP; }

static inline int sc_timer_make(void) {
    return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
}

/* At this moment of the monotonic clock, in nanoseconds; 0 for never. */
static inline void sc_timer_set(int timer, uint64_t moment) {
    struct itimerspec at = {{0, 0}, {(time_t)(moment / 1000000000), (long)(moment % 1000000000)}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
}

/* OpenSSL: everything that is a macro there. */

static inline long sc_tls_least_version(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

static inline void sc_tls_prepare(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

/* Both ways of what is read and written go through `bio`, which belongs to `ssl` from now on. */
static inline void sc_tls_set_bio(SSL *ssl, BIO *bio) { SSL_set_bio(ssl, bio, bio); }

/*
 * For which name or numeric address a server's certificate must be made; a name is asked for, too
 * (RFC 6066, section 3). 0 if that can't be.
 */
static inline int sc_tls_expect(SSL *ssl, const char *server) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), server) == 1
        || (SSL_set1_host(ssl, server) == 1 && SSL_set_tlsext_host_name(ssl, server) == 1);
}

static inline int sc_bio_type(void) { return BIO_get_new_index() | BIO_TYPE_SOURCE_SINK; }

/* Nothing is there to be read now. */
static inline void sc_bio_retry_read(BIO *bio) {
    BIO_clear_retry_flags(bio);
    BIO_set_retry_read(bio);
}
