// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/gpu_peaks.toml.
#include "analyze/device/gpu_peaks.h"

namespace steptrace::analyze {
namespace {

// clang-format off
constexpr std::string_view kWords0[] = {"gb200"};
constexpr GpuPeak kPeaks0[] = {{"FP64", 40e12}, {"FP32", 80e12}, {"TF32", 1250e12}, {"BF16", 2500e12}, {"FP16", 2500e12}, {"FP8", 5000e12}, {"FP4", 10000e12}};
constexpr std::string_view kWords1[] = {"b200"};
constexpr GpuPeak kPeaks1[] = {{"FP64", 37e12}, {"FP32", 75e12}, {"TF32", 1125e12}, {"BF16", 2250e12}, {"FP16", 2250e12}, {"FP8", 4500e12}, {"FP4", 9000e12}};
constexpr std::string_view kWords2[] = {"gh200"};
constexpr GpuPeak kPeaks2[] = {{"FP64", 67e12}, {"FP32", 67e12}, {"TF32", 494.5e12}, {"BF16", 989.5e12}, {"FP16", 989.5e12}, {"FP8", 1979e12}};
constexpr std::string_view kWords3[] = {"h200", "nvl"};
constexpr GpuPeak kPeaks3[] = {{"FP64", 60e12}, {"FP32", 60e12}, {"TF32", 417.5e12}, {"BF16", 835.5e12}, {"FP16", 835.5e12}, {"FP8", 1670.5e12}};
constexpr std::string_view kWords4[] = {"h200"};
constexpr GpuPeak kPeaks4[] = {{"FP64", 67e12}, {"FP32", 67e12}, {"TF32", 494.5e12}, {"BF16", 989.5e12}, {"FP16", 989.5e12}, {"FP8", 1979e12}};
constexpr std::string_view kWords5[] = {"h100", "pcie"};
constexpr GpuPeak kPeaks5[] = {{"FP64", 51e12}, {"FP32", 51e12}, {"TF32", 378e12}, {"BF16", 756e12}, {"FP16", 756e12}, {"FP8", 1513e12}};
constexpr std::string_view kWords6[] = {"h100", "nvl"};
constexpr GpuPeak kPeaks6[] = {{"FP64", 60e12}, {"FP32", 60e12}, {"TF32", 417.5e12}, {"BF16", 835.5e12}, {"FP16", 835.5e12}, {"FP8", 1670.5e12}};
constexpr std::string_view kWords7[] = {"h100"};
constexpr GpuPeak kPeaks7[] = {{"FP64", 67e12}, {"FP32", 67e12}, {"TF32", 494.5e12}, {"BF16", 989.5e12}, {"FP16", 989.5e12}, {"FP8", 1979e12}};
constexpr std::string_view kWords8[] = {"h20"};
constexpr GpuPeak kPeaks8[] = {{"FP64", 1e12}, {"FP32", 44e12}, {"TF32", 74e12}, {"BF16", 148e12}, {"FP16", 148e12}, {"FP8", 296e12}};
constexpr std::string_view kWords9[] = {"a100", "40gb"};
constexpr GpuPeak kPeaks9[] = {{"FP64", 19.5e12}, {"FP32", 19.5e12}, {"TF32", 156e12}, {"BF16", 312e12}, {"FP16", 312e12}, {"INT8", 624e12}};
constexpr std::string_view kWords10[] = {"a100", "80gb", "pcie"};
constexpr GpuPeak kPeaks10[] = {{"FP64", 19.5e12}, {"FP32", 19.5e12}, {"TF32", 156e12}, {"BF16", 312e12}, {"FP16", 312e12}, {"INT8", 624e12}};
constexpr std::string_view kWords11[] = {"a100"};
constexpr GpuPeak kPeaks11[] = {{"FP64", 19.5e12}, {"FP32", 19.5e12}, {"TF32", 156e12}, {"BF16", 312e12}, {"FP16", 312e12}, {"INT8", 624e12}};
constexpr std::string_view kWords12[] = {"a30"};
constexpr GpuPeak kPeaks12[] = {{"FP64", 10.3e12}, {"FP32", 10.3e12}, {"TF32", 82e12}, {"BF16", 165e12}, {"FP16", 165e12}, {"INT8", 330e12}};
constexpr std::string_view kWords13[] = {"a40"};
constexpr GpuPeak kPeaks13[] = {{"FP32", 37.4e12}, {"TF32", 74.8e12}, {"BF16", 149.7e12}, {"FP16", 149.7e12}, {"INT8", 299.3e12}};
constexpr std::string_view kWords14[] = {"a10"};
constexpr GpuPeak kPeaks14[] = {{"FP32", 31.2e12}, {"TF32", 62.5e12}, {"BF16", 125e12}, {"FP16", 125e12}, {"INT8", 250e12}};
constexpr std::string_view kWords15[] = {"l40s"};
constexpr GpuPeak kPeaks15[] = {{"FP32", 91.6e12}, {"TF32", 183e12}, {"BF16", 362e12}, {"FP16", 362e12}, {"FP8", 733e12}, {"INT8", 733e12}};
constexpr std::string_view kWords16[] = {"l40"};
constexpr GpuPeak kPeaks16[] = {{"FP32", 90.5e12}, {"TF32", 90.5e12}, {"BF16", 181e12}, {"FP16", 181e12}, {"FP8", 362e12}, {"INT8", 362e12}};
constexpr std::string_view kWords17[] = {"l4"};
constexpr GpuPeak kPeaks17[] = {{"FP32", 30.3e12}, {"TF32", 60e12}, {"BF16", 121e12}, {"FP16", 121e12}, {"FP8", 242.5e12}, {"INT8", 242.5e12}};
constexpr std::string_view kWords18[] = {"t4"};
constexpr GpuPeak kPeaks18[] = {{"FP32", 8.1e12}, {"FP16", 65e12}, {"INT8", 130e12}};
constexpr std::string_view kWords19[] = {"v100s"};
constexpr GpuPeak kPeaks19[] = {{"FP64", 8.2e12}, {"FP32", 16.4e12}, {"FP16", 130e12}};
constexpr std::string_view kWords20[] = {"v100", "pcie"};
constexpr GpuPeak kPeaks20[] = {{"FP64", 7e12}, {"FP32", 14e12}, {"FP16", 112e12}};
constexpr std::string_view kWords21[] = {"v100"};
constexpr GpuPeak kPeaks21[] = {{"FP64", 7.8e12}, {"FP32", 15.7e12}, {"FP16", 125e12}};
constexpr std::string_view kWords22[] = {"rtx", "3090"};
constexpr GpuPeak kPeaks22[] = {{"FP32", 35.6e12}, {"TF32", 35.6e12}, {"BF16", 71e12}, {"FP16", 71e12}};
constexpr std::string_view kWords23[] = {"rtx", "4090"};
constexpr GpuPeak kPeaks23[] = {{"FP32", 82.6e12}, {"TF32", 82.6e12}, {"BF16", 165.2e12}, {"FP16", 165.2e12}, {"FP8", 330.3e12}};
constexpr std::string_view kWords24[] = {"rtx", "5090"};
constexpr GpuPeak kPeaks24[] = {{"FP32", 104.8e12}, {"TF32", 104.8e12}, {"BF16", 209.5e12}, {"FP16", 209.5e12}, {"FP8", 419e12}};
constexpr std::string_view kWords25[] = {"rtx", "a6000"};
constexpr GpuPeak kPeaks25[] = {{"FP32", 38.7e12}, {"TF32", 77.4e12}, {"BF16", 154.8e12}, {"FP16", 154.8e12}};
constexpr std::string_view kWords26[] = {"mi355x"};
constexpr GpuPeak kPeaks26[] = {{"FP64", 78.6e12}, {"FP32", 157.3e12}, {"BF16", 2516.6e12}, {"FP16", 2516.6e12}, {"FP8", 5033.2e12}};
constexpr std::string_view kWords27[] = {"mi325x"};
constexpr GpuPeak kPeaks27[] = {{"FP64", 163.4e12}, {"FP32", 163.4e12}, {"TF32", 653.7e12}, {"BF16", 1307.4e12}, {"FP16", 1307.4e12}, {"FP8", 2614.9e12}, {"INT8", 2614.9e12}};
constexpr std::string_view kWords28[] = {"mi300x"};
constexpr GpuPeak kPeaks28[] = {{"FP64", 163.4e12}, {"FP32", 163.4e12}, {"TF32", 653.7e12}, {"BF16", 1307.4e12}, {"FP16", 1307.4e12}, {"FP8", 2614.9e12}, {"INT8", 2614.9e12}};
constexpr std::string_view kWords29[] = {"mi250x"};
constexpr GpuPeak kPeaks29[] = {{"FP64", 47.9e12}, {"FP32", 47.9e12}, {"BF16", 191.5e12}, {"FP16", 191.5e12}};
constexpr GpuPeaks kGpus[] = {
    {kWords0, kPeaks0, 0, "NVIDIA GB200 NVL72, data sheet (2024), a 72nd", "2026-11-30"},
    {kWords1, kPeaks1, 148, "NVIDIA Blackwell, HGX B200, data sheet (2024), an eighth", "2026-11-30"},
    {kWords2, kPeaks2, 132, "NVIDIA GH200 Grace Hopper, data sheet (2023), with HBM3", ""},
    {kWords3, kPeaks3, 132, "NVIDIA H200 Tensor Core GPU, data sheet (2024)", ""},
    {kWords4, kPeaks4, 132, "NVIDIA H200 Tensor Core GPU, data sheet (2024)", "2026-11-30"},
    {kWords5, kPeaks5, 114, "NVIDIA H100 Tensor Core GPU, data sheet (2022)", "2026-11-30"},
    {kWords6, kPeaks6, 132, "NVIDIA H100 Tensor Core GPU, data sheet (2024)", ""},
    {kWords7, kPeaks7, 132, "NVIDIA H100 Tensor Core GPU, data sheet (2024), SXM", "2026-11-30"},
    {kWords8, kPeaks8, 78, "NVIDIA H20, data sheet (2023)", ""},
    {kWords9, kPeaks9, 108, "NVIDIA A100 Tensor Core GPU, data sheet (2021), 40 GB", "2026-11-30"},
    {kWords10, kPeaks10, 108, "NVIDIA A100 Tensor Core GPU, data sheet (2021), 80 GB PCIe", "2026-11-30"},
    {kWords11, kPeaks11, 108, "NVIDIA A100 Tensor Core GPU, data sheet (2021), 80 GB SXM", "2026-11-30"},
    {kWords12, kPeaks12, 56, "NVIDIA A30 Tensor Core GPU, data sheet (2022)", ""},
    {kWords13, kPeaks13, 84, "NVIDIA A40, data sheet (2021)", "2026-11-30"},
    {kWords14, kPeaks14, 72, "NVIDIA A10 Tensor Core GPU, data sheet (2021)", ""},
    {kWords15, kPeaks15, 142, "NVIDIA L40S, data sheet (2023)", "2026-11-30"},
    {kWords16, kPeaks16, 142, "NVIDIA L40, data sheet (2023)", "2026-11-30"},
    {kWords17, kPeaks17, 58, "NVIDIA L4 Tensor Core GPU, data sheet (2023)", ""},
    {kWords18, kPeaks18, 40, "NVIDIA T4 Tensor Core GPU, data sheet (2019)", "2026-11-30"},
    {kWords19, kPeaks19, 80, "NVIDIA V100 Tensor Core GPU, data sheet (2020)", ""},
    {kWords20, kPeaks20, 80, "NVIDIA V100 Tensor Core GPU, data sheet (2020)", "2026-11-30"},
    {kWords21, kPeaks21, 80, "NVIDIA V100 Tensor Core GPU, data sheet (2020), SXM2", "2026-11-30"},
    {kWords22, kPeaks22, 82, "NVIDIA Ampere GA102 GPU architecture, white paper (2021)", ""},
    {kWords23, kPeaks23, 128, "NVIDIA Ada GPU architecture, white paper (2023)", "2026-11-30"},
    {kWords24, kPeaks24, 170, "NVIDIA RTX Blackwell GPU architecture, white paper (2025)", ""},
    {kWords25, kPeaks25, 84, "NVIDIA Ampere GA102 GPU architecture, white paper (2021)", ""},
    {kWords26, kPeaks26, 256, "AMD Instinct MI355X, data sheet (2025)", ""},
    {kWords27, kPeaks27, 304, "AMD Instinct MI325X, data sheet (2024)", ""},
    {kWords28, kPeaks28, 304, "AMD Instinct MI300X, data sheet (2023)", ""},
    {kWords29, kPeaks29, 110, "AMD Instinct MI250X, data sheet (2021), one of its two dies: each is a device", "2026-11-30"},
};
// clang-format on

}  // namespace

std::span<const GpuPeaks> KnownGpus() {
  return kGpus;
}

}  // namespace steptrace::analyze
