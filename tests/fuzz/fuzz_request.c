/* fuzz_request.c - any bytes as a request of Dynolog's daemon: read, and the name of its file made. libFuzzer's entry.
 *
 * The name must be one component that stays in its directory, whatever was asked for.
 */
#include "requests.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
    if (!truth)
        abort();
}

static void name_file(const struct kineto_config *config)
{
    char name[192];
    for (unsigned attempt = 1; attempt < 4; attempt++) {
        kineto_config_file_name(config, 4194304, attempt, name, sizeof name);
        size_t size = strlen(name);
        require(size > 5 && strcmp(name + size - 5, ".prof") == 0);
        require(!strchr(name, '/') && *name != '.' && *name != '-');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kineto_config config;
    char reason[200];
    if (kineto_config_parse((const char *)data, size, &config, reason, sizeof reason)) {
        require(!config.wants_trace || config.duration_ms > 0);
        require(!config.wants_trace || config.start_step == KINETO_CONFIG_NO_STEP ||
                config.steps > 0);
        name_file(&config);
    } else {
        require(*reason != '\0' && strlen(reason) < sizeof reason);
    }
    return 0;
}
