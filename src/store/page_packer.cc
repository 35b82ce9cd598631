// SPDX-License-Identifier: Apache-2.0
#include "store/page_packer.h"

#define ZSTD_STATIC_LINKING_ONLY  // that it reads and writes in place
#include <zstd.h>

#include <new>

namespace steptrace::store {

void PagePacker::Free::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}

PagePacker::PagePacker() : context_(ZSTD_createCCtx()) {
  if (!context_) throw std::bad_alloc();
}

std::span<const uint8_t> PagePacker::Pack(std::span<const uint8_t> bytes, int level,
                                          size_t chunk_bytes) {
  constexpr size_t kHeaderBytes = 16;  // of a block, and more
  const bool is_whole = chunk_bytes == 0 || chunk_bytes >= bytes.size();
  size_t most = ZSTD_compressBound(bytes.size());
  if (!is_whole) most += (bytes.size() / chunk_bytes + 1) * kHeaderBytes;
  if (packed_.size() < most) packed_.resize(most);
  if (!is_whole) return PackChunks(bytes, level, chunk_bytes);
  size_t size = ZSTD_compressCCtx(context_.get(), packed_.data(), packed_.size(), bytes.data(),
                                  bytes.size(), level);
  if (ZSTD_isError(size) != 0) return {};
  return {packed_.data(), size};
}

std::span<const uint8_t> PagePacker::PackChunks(std::span<const uint8_t> bytes, int level,
                                                size_t chunk_bytes) {
  ZSTD_CCtx_s* context = context_.get();
  ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_stableInBuffer, 1);
  ZSTD_CCtx_setParameter(context, ZSTD_c_stableOutBuffer, 1);
  ZSTD_CCtx_setPledgedSrcSize(context, bytes.size());
  ZSTD_inBuffer in{bytes.data(), bytes.size() % chunk_bytes, 0};
  ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
  while (in.size < bytes.size()) {
    if (in.size > 0 && ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush) != 0) return {};
    in.size += chunk_bytes;
  }
  if (ZSTD_compressStream2(context, &out, &in, ZSTD_e_end) != 0) return {};
  return {packed_.data(), out.pos};
}

}  // namespace steptrace::store
