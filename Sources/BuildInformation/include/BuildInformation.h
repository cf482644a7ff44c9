#pragma once

/* The commit that STORECAST_COMMIT named when this was built; empty if it named none. */
const char *storecast_commit(void);
