// SPDX-License-Identifier: Apache-2.0
#include "base/secret_names.h"

#include <gtest/gtest.h>

namespace steptrace {
namespace {

TEST(SecretNamesTest, OneNameInAllItsForms) {
  for (const char* name : {"--wandb-api-key", "WANDB_API_KEY", "wandb.api_key", "wandbApi_key",
                           "+wandb.apiKey", "wandb__api-key-"}) {
    EXPECT_EQ(NormalName(name).find("wandb_api"), 0u) << name;
    EXPECT_EQ(KindOfName(name), NameKind::kSecret) << name;
  }
}

TEST(SecretNamesTest, Secrets) {
  for (const char* name :
       {"password", "db_password", "PGPASSWORD", "passwd", "secret", "client-secret", "token",
        "hf-token", "hftoken", "csrftoken", "access_tokens", "credentials", "auth", "mysql_pwd",
        "private_key", "openai-key", "DB_PASS", "Set-Cookie", "Proxy-Authorization"}) {
    EXPECT_EQ(KindOfName(name), NameKind::kSecret) << name;
  }
}

TEST(SecretNamesTest, SecretIfTheyLookSo) {
  for (const char* name : {"key", "sort_key", "sig", "signature", "pass", "code"}) {
    EXPECT_EQ(KindOfName(name), NameKind::kWeak) << name;
  }
}

TEST(SecretNamesTest, Plain) {
  for (const char* name :
       {"", "-", "tokenizer", "max_tokens", "token_dim", "pad_token", "nextToken", "num_passes",
        "key_frame", "monkey", "password_file", "no-auth", "require_auth", "author", "commit",
        "seed", "compass", "bypass", "secretary_id"}) {
    EXPECT_EQ(KindOfName(name), NameKind::kPlain) << name;
  }
}

TEST(SecretNamesTest, WhatLooksRandom) {
  EXPECT_TRUE(LooksRandom("0123456789abcdef0123456789abcdef01234567"));
  EXPECT_TRUE(LooksRandom("123e4567-e89b-12d3-a456-426614174000"));
  EXPECT_TRUE(LooksRandom("wJalrXUtnFEMI0K7MDENG/bPxRfiCYEXAMPLEKEY"));
  for (const char* text : {"", "name", "llama-3-8b-instruct-v0.2", "00000000000000000000000000",
                           "/data/imagenet/train-00001-of-01024", "averyveryverylongword",
                           "20260131081502123456", "aaaaaaaaaaaaaaaa1"}) {
    EXPECT_FALSE(LooksRandom(text)) << text;
  }
}

TEST(SecretNamesTest, KnownTokens) {
  EXPECT_EQ(KnownTokenLength("AKIAIOSFODNN7EXAMPLE, x"), 20u);
  EXPECT_EQ(KnownTokenLength("hf_0123456789abcdefXYZ-x"), 22u);
  EXPECT_EQ(KnownTokenLength("hf_transformersmodel"), 0u);
  EXPECT_EQ(KnownTokenLength("sk-short1"), 0u);
  EXPECT_EQ(KnownTokenLength(""), 0u);
}

TEST(SecretNamesTest, OptionsOfPrograms) {
  EXPECT_NE(OptionOfProgram("sshpass", "-p"), nullptr);
  EXPECT_NE(OptionOfProgram("mysql", "-pS3"), nullptr);
  EXPECT_EQ(OptionOfProgram("mysql", "-p"), nullptr);
  EXPECT_EQ(OptionOfProgram("ssh", "-p"), nullptr);
  EXPECT_TRUE(HasSecretOption("curl"));
  EXPECT_FALSE(HasSecretOption("python"));
}

}  // namespace
}  // namespace steptrace
