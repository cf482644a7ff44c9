#include "BuildInformation.h"

const char *storecast_commit(void) { return STORECAST_COMMIT; }
