#pragma once

#include <libwebsockets.h>
#include <uv.h>
