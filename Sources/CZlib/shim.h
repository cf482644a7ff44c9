#pragma once

#include <zlib.h>

/* A macro, which the Swift importer leaves out: 16 more than the window's bits asks for gzip. */
static inline int sc_gzip_begin(z_stream *stream) {
    return deflateInit2(stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
}
