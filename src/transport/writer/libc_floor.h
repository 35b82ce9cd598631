// SPDX-License-Identifier: Apache-2.0
#pragma once

// glibc moved these from libpthread and libdl into libc in 2.34 under a new version. Bound to the
// old one, the probe loads wherever CPython 3.8 does (manylinux2014: glibc 2.17).
#if defined(__GLIBC__) && defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)
__asm__(".symver pthread_key_create, pthread_key_create@GLIBC_2.2.5");
__asm__(".symver pthread_setspecific, pthread_setspecific@GLIBC_2.2.5");
__asm__(".symver pthread_getcpuclockid, pthread_getcpuclockid@GLIBC_2.2.5");
__asm__(".symver dlopen, dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
#endif
