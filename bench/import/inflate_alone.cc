// SPDX-License-Identifier: Apache-2.0
// Inflates a gzip file with ISA-L and does nothing else: what an import of it can reach at best.
// usage: inflate_alone FILE     prints the bytes that came out and the seconds that it took
#include <isa-l/igzip_lib.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: inflate_alone FILE\n", stderr);
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "%s: cannot be opened\n", argv[1]);
    return 2;
  }
  std::vector<uint8_t> in(256 << 10);
  std::vector<uint8_t> out(512 << 10);
  auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_GZIP;
  long long made = 0;
  auto begin = std::chrono::steady_clock::now();
  while (state->block_state != ISAL_BLOCK_FINISH) {
    if (state->avail_in == 0) {
      file.read(reinterpret_cast<char*>(in.data()), static_cast<std::streamsize>(in.size()));
      state->next_in = in.data();
      state->avail_in = static_cast<uint32_t>(file.gcount());
      if (state->avail_in == 0) return 1;
    }
    state->next_out = out.data();
    state->avail_out = static_cast<uint32_t>(out.size());
    if (isal_inflate(state.get()) != ISAL_DECOMP_OK) return 1;
    made += static_cast<long long>(out.size()) - state->avail_out;
  }
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  std::printf("%lld %.6f\n", made, taken.count());
  return 0;
}
