// SPDX-License-Identifier: Apache-2.0
#include "base/redactor.h"

#include <gtest/gtest.h>

#include <random>

namespace steptrace {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kHex = "0123456789abcdef0123456789abcdef01234567";

struct TextCase {
  std::string text;
  std::string stored;
};

// How a failed case is named.
void PrintTo(const TextCase& one, std::ostream* out) {
  *out << one.text;
}

class RedactorText : public testing::TestWithParam<TextCase> {};

TEST_P(RedactorText, KeepsAllButTheSecret) {
  EXPECT_EQ(Redactor().Text(GetParam().text), GetParam().stored);
  EXPECT_EQ(Redactor().Text(GetParam().stored), GetParam().stored) << "it is made once";
}

INSTANTIATE_TEST_SUITE_P(
    Options, RedactorText,
    testing::Values(TextCase{"t.py --api-key=S3 --lr 1", "t.py --api-key=REDACTED --lr 1"},
                    TextCase{"t.py --api-key S3 --lr 1", "t.py --api-key REDACTED --lr 1"},
                    TextCase{"t.py --password 'S3 and more' x", "t.py --password 'REDACTED' x"},
                    TextCase{"t.py --password=\"S3 \\\" more\" x",
                             "t.py --password=\"REDACTED\" x"},
                    TextCase{"t.py --password=a'b c'd x", "t.py --password=REDACTED x"},
                    TextCase{"t.py --password=\"S3 was cut off", "t.py --password=\"REDACTED"},
                    TextCase{"t.py --hf_token S3", "t.py --hf_token REDACTED"},
                    TextCase{"t.py --hubToken S3", "t.py --hubToken REDACTED"},
                    TextCase{"t.py -token S3", "t.py -token REDACTED"},
                    TextCase{"t.py --client-secret S3", "t.py --client-secret REDACTED"},
                    TextCase{"t.py --passwd S3", "t.py --passwd REDACTED"},
                    TextCase{"t.py --db-pass S3", "t.py --db-pass REDACTED"},
                    TextCase{"t.py --auth S3", "t.py --auth REDACTED"},
                    TextCase{"sshpass -p S3 ssh h", "sshpass -p REDACTED ssh h"},
                    TextCase{"sshpass -pS3 ssh h", "sshpass -pREDACTED ssh h"},
                    TextCase{"mysql -pS3 -h h", "mysql -pREDACTED -h h"},
                    TextCase{"curl -u user:S3 http://h", "curl -u REDACTED http://h"},
                    TextCase{"wandb login " + std::string(kHex), "wandb login REDACTED"},
                    TextCase{std::string("--key ") + kHex, "--key REDACTED"}));

INSTANTIATE_TEST_SUITE_P(
    Variables, RedactorText,
    testing::Values(TextCase{"WANDB_API_KEY=S3 python t.py", "WANDB_API_KEY=REDACTED python t.py"},
                    TextCase{"export HF_TOKEN='S3'; python t.py",
                             "export HF_TOKEN='REDACTED'; python t.py"},
                    TextCase{"AWS_SECRET_ACCESS_KEY=a/b+c x", "AWS_SECRET_ACCESS_KEY=REDACTED x"},
                    TextCase{"PGPASSWORD=S3 psql", "PGPASSWORD=REDACTED psql"},
                    TextCase{"MYSQL_PWD=S3 mysql", "MYSQL_PWD=REDACTED mysql"},
                    TextCase{"wandb.api_key=S3", "wandb.api_key=REDACTED"},
                    TextCase{"+a.b.token=S3 lr=1", "+a.b.token=REDACTED lr=1"},
                    TextCase{"AccountKey=S3==", "AccountKey=REDACTED"}));

INSTANTIATE_TEST_SUITE_P(
    Json, RedactorText,
    testing::Values(
        TextCase{R"({"api_key": "S3", "lr": 1})", R"({"api_key": "REDACTED", "lr": 1})"},
        TextCase{R"({"a":{"token":"S3"},"b":2})", R"({"a":{"token":"REDACTED"},"b":2})"},
        TextCase{R"({\"token\": \"S3\", \"b\": 2})", R"({\"token\": \"REDACTED\", \"b\": 2})"},
        TextCase{"{'password': 'S3', 'lr': 1}", "{'password': 'REDACTED', 'lr': 1}"},
        TextCase{"password: S3\nlr: 1", "password: REDACTED\nlr: 1"},
        TextCase{R"("passwords": ["S3", "S4"], 1)", R"("passwords": [REDACTED], 1)"},
        TextCase{"login(token='S3', x=1)", "login(token='REDACTED', x=1)"},
        TextCase{"Command '['curl', '--token', 'S3', 'x']' failed",
                 "Command '['curl', '--token', 'REDACTED', 'x']' failed"}));

INSTANTIATE_TEST_SUITE_P(
    Addresses, RedactorText,
    testing::Values(TextCase{"postgres://u:S3@h:5432/x", "postgres://u:REDACTED@h:5432/x"},
                    TextCase{"redis://:S3@h", "redis://:REDACTED@h"},
                    TextCase{"mongodb+srv://u:S3@4@h/x", "mongodb+srv://u:REDACTED@h/x"},
                    TextCase{"http://u:a/S3@h/x", "http://u:REDACTED@h/x"},
                    TextCase{"postgres://u:S3cutoff", "postgres://u:REDACTED"},
                    TextCase{std::string("https://") + kHex + "@o1.ingest.io/2",
                             "https://REDACTED@o1.ingest.io/2"},
                    TextCase{"https://h/p?token=S3&x=1", "https://h/p?token=REDACTED&x=1"},
                    TextCase{"https://h/p?x=1&sig=" + std::string(kHex) + "&y=2#f",
                             "https://h/p?x=1&sig=REDACTED&y=2#f"},
                    TextCase{"'https://h/?X-Amz-Signature=" + std::string(kHex) + "'",
                             "'https://h/?X-Amz-Signature=REDACTED'"},
                    TextCase{"https://h/?a=1&access_token=S3 failed",
                             "https://h/?a=1&access_token=REDACTED failed"}));

INSTANTIATE_TEST_SUITE_P(
    Headers, RedactorText,
    testing::Values(
        TextCase{"-H 'Authorization: Bearer S3' h", "-H 'Authorization: Bearer REDACTED' h"},
        TextCase{"Authorization: Basic S3", "Authorization: Basic REDACTED"},
        TextCase{"authorization: token S3 x", "authorization: token REDACTED x"},
        TextCase{R"({"Authorization": "Bearer S3", "b": 1})",
                 R"({"Authorization": "Bearer REDACTED", "b": 1})"},
        TextCase{"-H \"Authorization: Digest a=b, c=d\" h", "-H \"Authorization: REDACTED\" h"},
        TextCase{"-H 'X-Api-Key: S3' h", "-H 'X-Api-Key: REDACTED' h"},
        TextCase{"Cookie: a=1; b=2\nHost: h", "Cookie: REDACTED\nHost: h"}));

INSTANTIATE_TEST_SUITE_P(
    Tokens, RedactorText,
    testing::Values(TextCase{"x hf_abcdefghijABCDEFGHIJ0123456789abcd y", "x REDACTED y"},
                    TextCase{"ghp_0123456789abcdefghijABCDEFGHIJ012345", "REDACTED"},
                    TextCase{"(sk-proj-abcdef0123456789ABCD)", "(REDACTED)"},
                    TextCase{"AKIAIOSFODNN7EXAMPLE", "REDACTED"},
                    TextCase{"xoxb-1234567890-abcdef", "REDACTED"},
                    TextCase{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "REDACTED"},
                    TextCase{"Incorrect API key provided: sk-abcdef0123456789ABCDEF.",
                             "Incorrect API key provided: REDACTED."},
                    TextCase{
                        "-----BEGIN RSA PRIVATE KEY-----\nS3\n-----END RSA PRIVATE KEY----- x",
                        "-----BEGIN RSA PRIVATE KEY-----REDACTED-----END RSA PRIVATE KEY----- x"}));

class RedactorPlain : public testing::TestWithParam<std::string> {};

TEST_P(RedactorPlain, IsLeftAsItIs) {
  EXPECT_EQ(Redactor().Text(GetParam()), GetParam());
  EXPECT_EQ(Redactor().Words({GetParam()}), Words{GetParam()});
}

INSTANTIATE_TEST_SUITE_P(
    Plain, RedactorPlain,
    testing::Values(
        "", "--tokenizer bert", "--max-tokens 512", "--max_new_tokens=5", "--token-dim 8",
        "--num-passes 3", "--key-frame 12", "--pad-token <pad>", "--eos_token=</s>",
        "--cls-token x", "--seed 1234567890123456789", "--password-file /run/pw",
        "--token-path ~/t", "--secret-name db", "--no-auth x", "--require-auth train.py",
        "--use-auth-token True", "--token None", "--token=", "--token --verbose",
        std::string("--commit ") + kHex, std::string("--revision=") + kHex,
        std::string("sha256:") + kHex, "/data/tokens/part-0001.parquet", "s3://bucket/token/x",
        "--master-addr 10.0.0.1:29500", "tcp://10.0.0.1:29500", "http://localhost:8080/x",
        "http://[::1]:80/x", "ssh://git@github.com/a/b", "git@github.com:a/b.git",
        "postgres://host:5432/db", "python -m torch.distributed.run --nproc-per-node 2 train.py",
        "--sort-key name", "key=lambda", "PWD=/home/me", "--pwd /work", "--passes=2",
        "std::token::value", "facebook/opt-125m", "sk-learn-model", "hf_transformers_model",
        "CUDA_VISIBLE_DEVICES=0,1", "--lr 1e-4 --batch-size 32",
        "RuntimeError: can't open file: No such file or directory", "exit code: 1",
        "KeyError: 'labels'", "the key is missing", "pytorch/pytorch:2.1@sha256:abc",
        "docker run -p 8080:80 image", "--image-token-id 5", "mkdir -p a"));

TEST(RedactorTest, WordsOfACommand) {
  const Redactor redactor;
  EXPECT_EQ(redactor.Words({"python", "t.py", "--api-key", "S3", "--lr", "1"}),
            (Words{"python", "t.py", "--api-key", "REDACTED", "--lr", "1"}));
  EXPECT_EQ(redactor.Words({"t.py", "--password", "S3 with spaces", "x"}),
            (Words{"t.py", "--password", "REDACTED", "x"}));
  EXPECT_EQ(redactor.Words({"t.py", "--password=S3 'with' spaces"}),
            (Words{"t.py", "--password=REDACTED"}));
  EXPECT_EQ(redactor.Words({"env", "WANDB_API_KEY=S3 a", "python", "t.py"}),
            (Words{"env", "WANDB_API_KEY=REDACTED", "python", "t.py"}));
  EXPECT_EQ(redactor.Words({"bash", "-c", "A_TOKEN=S3 python t.py --token S4 --lr 1"}),
            (Words{"bash", "-c", "A_TOKEN=REDACTED python t.py --token REDACTED --lr 1"}));
  EXPECT_EQ(redactor.Words({"/usr/bin/sshpass", "-p", "S3", "ssh", "-p", "22"}),
            (Words{"/usr/bin/sshpass", "-p", "REDACTED", "ssh", "-p", "22"}));
  EXPECT_EQ(redactor.Words({"curl", "-H", "Authorization: Bearer S3", "h"}),
            (Words{"curl", "-H", "Authorization: Bearer REDACTED", "h"}));
  EXPECT_EQ(redactor.Words({"aws", "configure", "set", "aws_secret_access_key", kHex}),
            (Words{"aws", "configure", "set", "aws_secret_access_key", "REDACTED"}));
}

TEST(RedactorTest, WordsThatAreNoSecrets) {
  const Redactor redactor;
  for (const Words& words :
       {Words{"t.py", "--token", "--verbose"}, Words{"run", "--use-auth", "train.py"},
        Words{"t.py", "--tokenizer", "bert"}, Words{"t.py", "--max-tokens", "512"},
        Words{"t.py", "--commit", kHex}, Words{"t.py", "--key", "name"}, Words{"", "a", ""},
        Words{"t.py", "--token", ""}, Words{"t.py", "token", "classification"}}) {
    EXPECT_EQ(redactor.Words(words), words);
  }
}

TEST(RedactorTest, NamesOfOnesOwn) {
  const Redactor redactor({"--my-secret-thing", "LICENCE", ""});
  EXPECT_EQ(redactor.Text("--my-secret-thing S3 a.licence=S4 lr=1"),
            "--my-secret-thing REDACTED a.licence=REDACTED lr=1");
  EXPECT_EQ(redactor.Text("--license S3"), "--license S3");
  EXPECT_EQ(redactor.Text("--token S3"), "--token REDACTED");
}

TEST(RedactorTest, OffLeavesAll) {
  const Redactor off = Redactor::Off();
  EXPECT_EQ(off.Text("--token S3"), "--token S3");
  EXPECT_EQ(off.Words({"--token", "S3"}), (Words{"--token", "S3"}));
  EXPECT_EQ(off.Member("token", "S3"), "S3");
}

TEST(RedactorTest, MembersOfJson) {
  EXPECT_EQ(Redactor().Member("token", "S3"), "REDACTED");
  EXPECT_EQ(Redactor().Member("reason", "a token=S3 b"), "a token=REDACTED b");
  EXPECT_EQ(Redactor().Member("pad_token", "<pad>"), "<pad>");
}

// Of parts of the shapes above in any order, cut anywhere: nothing is read outside, what was valid
// UTF-8 stays valid, and what has been redacted stays as it is.
TEST(RedactorTest, AnyText) {
  const std::string parts[] = {"--token",
                               " ",
                               "=",
                               ":",
                               "'",
                               "\"",
                               "\\",
                               "://",
                               "@",
                               "?sig=",
                               "&",
                               "\xC3\xA9",
                               "\xF0\x9F\x99\x82",
                               "S3",
                               "-----BEGIN",
                               "PRIVATE KEY-----",
                               "Authorization",
                               "Bearer",
                               "eyJ",
                               "sshpass",
                               "-p",
                               "{",
                               "[",
                               "]",
                               ",",
                               kHex,
                               "hf_",
                               "\n"};
  std::mt19937 random(1);
  const auto is_valid = [](const std::string& text) {
    int left = 0;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if ((left > 0) != ((byte & 0xC0) == 0x80)) return false;
      left = left > 0 ? left - 1 : byte >= 0xF0 ? 3 : byte >= 0xC0 ? 1 : 0;
    }
    return left == 0;
  };
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    Words words;
    for (size_t n = random() % 12; n > 0; --n) {
      words.push_back(parts[random() % std::size(parts)]);
      text += words.back();
    }
    const std::string redacted = Redactor().Text(text);
    ASSERT_TRUE(is_valid(redacted)) << text;
    for (const std::string& word : Redactor().Words(words)) ASSERT_TRUE(is_valid(word));
    ASSERT_LE(redacted.size(), 8 * text.size() + 8) << text;
  }
}

// Time that grew with the square of the text would be noticed here.
TEST(RedactorTest, LongText) {
  constexpr size_t kBytes = 1 << 15;
  for (const std::string part :
       {"key:",       "key=\"",           "key:[",       "key \\\"", "pwd=/",   "--token -",
        "--token '-", "://a:b/",          "hf_a-",       "sk-",      "eyJ-",    "-----BEGIN ",
        "token:{",    "Authorization:\n", "password",    "key a'",   "key  ",   "\\",
        "a.",         "key=key",          "--key=-----", "?key=&",   "'key', '"}) {
    std::string text;
    while (text.size() < kBytes) text += part;
    EXPECT_LE(Redactor().Text(text).size(), 2 * kBytes) << part;
    EXPECT_EQ(Redactor().Words({text, text}).size(), 2u) << part;
  }
}

}  // namespace
}  // namespace steptrace
