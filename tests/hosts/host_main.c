/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "host.h"

static int run_if_named(const struct host* hosts, const char* name, long number) {
  for (; hosts->name != NULL; ++hosts) {
    if (strcmp(hosts->name, name) == 0) {
      const int status = hosts->run(number);
      if (status == 0) puts("ok");
      return status;
    }
  }
  return -1;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const long number = argc > 2 ? atol(argv[2]) : 0;
  const struct host* groups[] = {kForkHosts, kThreadHosts, kEndHosts, kLookHosts, kOddHosts};
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i) {
    const int status = run_if_named(groups[i], argv[1], number);
    if (status >= 0) return status;
  }
  fprintf(stderr, "host: no host named %s\n", argv[1]);
  return 2;
}
