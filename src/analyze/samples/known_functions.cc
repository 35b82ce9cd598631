// SPDX-License-Identifier: Apache-2.0
#include "analyze/samples/known_functions.h"

#include <array>
#include <cctype>
#include <string>

#include "analyze/samples/code_place.h"

namespace steptrace::analyze {
namespace {

using enum WorkStage;

// By stage. The longest entry that fits wins, so a package's line may have exceptions.
constexpr KnownFunctions kKnown[] = {
    // Reading from files systems, object stores and the network.
    {"fsspec", "*", kStorageRead},
    {"s3fs", "*", kStorageRead},
    {"gcsfs", "*", kStorageRead},
    {"adlfs", "*", kStorageRead},
    {"smart_open", "*", kStorageRead},
    {"boto3", "*", kStorageRead},
    {"botocore", "*", kStorageRead},
    {"s3transfer", "*", kStorageRead},
    {"s3torchconnector", "*", kStorageRead},
    {"aiobotocore", "*", kStorageRead},
    {"google.cloud.storage", "*", kStorageRead},
    {"azure.storage", "*", kStorageRead},
    {"urllib3", "*", kStorageRead},
    {"requests", "*", kStorageRead},
    {"httpx", "*", kStorageRead},
    {"aiohttp", "*", kStorageRead},
    {"urllib.request", "*", kStorageRead},
    {"http.client", "*", kStorageRead},
    {"socket", "*", kStorageRead},
    {"ssl", "*", kStorageRead},
    {"ftplib", "*", kStorageRead},
    {"pathlib", "*read_*", kStorageRead},
    {"pathlib", "*open", kStorageRead},
    {"glob", "*", kStorageRead},
    {"os", "walk", kStorageRead},
    {"os", "_walk", kStorageRead},
    {"shutil", "*", kStorageRead},
    {"pyarrow.fs", "*", kStorageRead},
    {"builtins", "open", kStorageRead},
    {"os", "*read*", kStorageRead},
    {"os", "open", kStorageRead},
    {"os", "listdir", kStorageRead},
    {"os", "scandir", kStorageRead},
    {"os", "*stat", kStorageRead},
    {"numpy", "fromfile", kStorageRead},
    {"webdataset.gopen", "*", kStorageRead},
    {"huggingface_hub", "*", kStorageRead},
    {"streaming.base.storage", "*", kStorageRead},
    // Tables, arrays and records.
    {"pyarrow", "*", kDecode},
    {"fastparquet", "*", kDecode},
    {"polars", "*", kDecode},
    {"duckdb", "*", kDecode},
    {"sqlite3", "*", kDecode},
    {"pandas.io", "*", kDecode},
    {"pandas.io.formats", "*", kUserCode},
    {"pandas", "read_*", kDecode},
    {"pandas._libs.parsers", "*", kDecode},
    {"h5py", "*", kDecode},
    {"tables", "*", kDecode},
    {"zarr", "*", kDecode},
    {"numcodecs", "*", kDecode},
    {"netCDF4", "*", kDecode},
    {"xarray.backends", "*", kDecode},
    {"numpy.lib.npyio", "*", kDecode},
    {"numpy.lib._npyio_impl", "*", kDecode},
    {"numpy.lib.format", "*", kDecode},
    {"numpy.lib._format_impl", "*", kDecode},
    {"scipy.io", "*", kDecode},
    {"datasets.arrow_dataset", "*", kDecode},
    {"datasets.formatting", "*", kDecode},
    {"datasets.features", "*", kDecode},
    {"datasets.table", "*", kDecode},
    {"fastavro", "*", kDecode},
    {"avro", "*", kDecode},
    {"tfrecord", "*", kDecode},
    {"google.protobuf", "*", kDecode},
    {"msgpack", "*", kDecode},
    {"lmdb", "*", kDecode},
    {"webdataset.tariterators", "*", kDecode},
    {"webdataset.autodecode", "*", kDecode},
    {"streaming.base.format", "*", kDecode},
    {"safetensors", "*", kDecode},
    {"torch.serialization", "*", kDecode},
    {"torch._weights_only_unpickler", "*", kDecode},
    {"pickle", "*", kDecode},
    {"pickle", "dump*", kUserCode},
    // Images and video.
    {"PIL", "*", kDecode},
    {"imageio", "*", kDecode},
    {"tifffile", "*", kDecode},
    {"skimage.io", "*", kDecode},
    {"pydicom", "*", kDecode},
    {"nibabel", "*", kDecode},
    {"rasterio", "*", kDecode},
    {"openslide", "*", kDecode},
    {"simplejpeg", "*", kDecode},
    {"simplejpeg", "encode*", kUserCode},
    {"turbojpeg", "*", kDecode},
    {"torchvision.io", "*", kDecode},
    {"torchvision.datasets.folder", "*loader", kDecode},
    {"torchcodec", "*", kDecode},
    {"decord", "*", kDecode},
    {"av", "*", kDecode},
    {"cv2", "*", kAugmentation},
    {"cv2", "imdecode*", kDecode},
    {"cv2", "imread*", kDecode},
    {"cv2", "VideoCapture*", kDecode},
    {"cv2", "cvtColor*", kDecode},
    {"cv2", "imwrite*", kUserCode},
    {"cv2", "imencode*", kUserCode},
    {"cv2", "imshow", kUserCode},
    {"cv2", "waitKey*", kUserCode},
    {"cv2", "putText", kUserCode},
    {"cv2", "VideoWriter*", kUserCode},
    {"pyvips", "*", kDecode},
    {"jpeg4py", "*", kDecode},
    // Sound.
    {"soundfile", "*", kDecode},
    {"audioread", "*", kDecode},
    {"pydub", "*", kDecode},
    {"wave", "*", kDecode},
    {"torchaudio", "load*", kDecode},
    {"torchaudio.io", "*", kDecode},
    {"torchaudio.backend", "*", kDecode},
    {"torchaudio._backend", "*", kDecode},
    {"librosa.core.audio", "*", kDecode},
    // Text formats and archives.
    {"json", "*", kDecode},
    {"json", "dump*", kUserCode},
    {"json.encoder", "*", kUserCode},
    {"simplejson", "*", kDecode},
    {"csv", "*", kDecode},
    {"csv", "*writ*", kUserCode},
    {"csv", "DictWriter*", kUserCode},
    {"xml", "*", kDecode},
    {"lxml", "*", kDecode},
    {"bs4", "*", kDecode},
    {"html", "*", kDecode},
    {"yaml", "*", kDecode},
    {"tomllib", "*", kDecode},
    {"configparser", "*", kDecode},
    {"base64", "*", kDecode},
    {"binascii", "a2b*", kDecode},
    {"binascii", "unhexlify", kDecode},
    {"struct", "*unpack*", kDecode},
    {"marshal", "load*", kDecode},
    {"orjson", "loads", kDecode},
    {"ujson", "*load*", kDecode},
    {"simdjson", "*", kDecode},
    {"cysimdjson", "*", kDecode},
    {"rapidjson", "load*", kDecode},
    {"zlib", "*", kDecode},
    {"zlib", "compress*", kUserCode},
    {"lz4", "*", kDecode},
    {"lz4", "compress*", kUserCode},
    {"snappy", "*", kDecode},
    {"snappy", "compress*", kUserCode},
    {"brotli", "decompress*", kDecode},
    {"cramjam", "*decompress*", kDecode},
    {"isal", "*decompress*", kDecode},
    {"pyzstd", "*decompress*", kDecode},
    {"gzip", "*", kDecode},
    {"gzip", "compress*", kUserCode},
    {"bz2", "*", kDecode},
    {"bz2", "compress*", kUserCode},
    {"lzma", "*", kDecode},
    {"lzma", "compress*", kUserCode},
    {"_compression", "*", kDecode},
    {"compression", "*", kDecode},
    {"zipfile", "*", kDecode},
    {"tarfile", "*", kDecode},
    {"zstandard", "*", kDecode},
    {"blosc", "*", kDecode},
    {"blosc2", "*", kDecode},
    // Augmentation: transforms, and the random choices that they rest on.
    {"torchvision.transforms", "*", kAugmentation},
    {"torchvision.prototype.transforms", "*", kAugmentation},
    {"albumentations", "*", kAugmentation},
    {"albucore", "*", kAugmentation},
    {"kornia", "*", kAugmentation},
    {"imgaug", "*", kAugmentation},
    {"augly", "*", kAugmentation},
    {"monai.transforms", "*", kAugmentation},
    {"torchio.transforms", "*", kAugmentation},
    {"batchgenerators", "*", kAugmentation},
    {"volumentations", "*", kAugmentation},
    {"audiomentations", "*", kAugmentation},
    {"torch_audiomentations", "*", kAugmentation},
    {"torchaudio.transforms", "*", kAugmentation},
    {"torchaudio.functional", "*", kAugmentation},
    {"librosa", "*", kAugmentation},
    {"nlpaug", "*", kAugmentation},
    {"textattack.augmentation", "*", kAugmentation},
    {"timm.data", "*", kAugmentation},
    {"skimage", "*", kAugmentation},
    {"scipy.ndimage", "*", kAugmentation},
    {"scipy.signal", "*", kAugmentation},
    {"random", "*", kAugmentation},
    {"numpy.random", "*", kAugmentation},
    // An order is chosen, and nothing about a sample.
    {"random", "*shuffle", kUserCode},
    {"numpy.random", "*shuffle", kUserCode},
    {"numpy.random", "*permutation", kUserCode},
    {"transformers", "read_video*", kDecode},
    {"transformers", "load_video*", kDecode},
    {"transformers", "load_image*", kDecode},
    {"transformers.image_transforms", "*", kAugmentation},
    {"transformers.image_processing*", "*", kAugmentation},
    {"transformers.feature_extraction*", "*", kAugmentation},
    {"transformers.models.*.image_processing*", "*", kAugmentation},
    {"transformers.models.*.feature_extraction*", "*", kAugmentation},
    {"PIL.ImageOps", "*", kAugmentation},
    {"PIL.ImageEnhance", "*", kAugmentation},
    {"PIL.ImageFilter", "*", kAugmentation},
    {"PIL.ImageChops", "*", kAugmentation},
    {"PIL.ImageDraw", "*", kAugmentation},
    {"PIL.Image", "*", kAugmentation},  // resize, rotate, crop, ...
    {"PIL.Image", "*open*", kDecode},
    {"PIL.Image", "*init", kDecode},
    {"PIL.Image", "from*", kDecode},
    {"PIL.Image", "Image.from*", kDecode},
    {"PIL.Image", "Image.load", kDecode},
    {"PIL.Image", "Image.draft", kDecode},
    {"PIL.Image", "Image.verify", kDecode},
    {"PIL.Image", "Image.convert", kDecode},
    {"PIL.Image", "Image.tobytes", kDecode},
    {"PIL.Image", "Image.getdata", kDecode},
    {"PIL.Image", "Image.__array*", kDecode},
    // Text into tokens; regular expressions are the usual way to write one's own.
    {"tokenizers", "*", kTokenise},
    {"tiktoken", "*", kTokenise},
    {"sentencepiece", "*", kTokenise},
    {"transformers.tokenization*", "*", kTokenise},
    {"transformers.models.*.tokenization*", "*", kTokenise},
    {"nltk.tokenize", "*", kTokenise},
    {"nltk", "*tokenize*", kTokenise},
    {"spacy.tokenizer", "*", kTokenise},
    {"spacy.language", "*", kTokenise},
    {"sacremoses", "*", kTokenise},
    {"subword_nmt", "*", kTokenise},
    {"jieba", "*", kTokenise},
    {"janome", "*", kTokenise},
    {"pythainlp.tokenize", "*", kTokenise},
    {"torchtext", "*", kTokenise},
    {"mistral_common", "*", kTokenise},
    {"ftfy", "*", kTokenise},
    {"regex", "*", kTokenise},
    {"re", "*", kTokenise},
    // Samples into a batch, and copies.
    {"torch.utils.data._utils.collate", "*", kCollate},
    {"transformers.data.data_collator", "*", kCollate},
    {"torch_geometric.data.collate", "*", kCollate},
    {"torch.nn.utils.rnn", "pad_sequence", kCollate},
    {"torch.nn.utils.rnn", "pack_*", kCollate},
    {"copy", "*", kCopy},
    {"torch.utils.data._utils.pin_memory", "*", kCopy},
    {"torch.multiprocessing.reductions", "*", kCopy},
    {"multiprocessing.reduction", "*", kCopy},
    {"multiprocessing.shared_memory", "*", kCopy},
    // What a training tells of itself.
    {"torch.utils.tensorboard", "*", kLogging},
    {"tensorboard", "*", kLogging},
    {"tensorboardX", "*", kLogging},
    {"wandb", "*", kLogging},
    {"mlflow", "*", kLogging},
    {"neptune", "*", kLogging},
    {"comet_ml", "*", kLogging},
    {"clearml", "*", kLogging},
    {"swanlab", "*", kLogging},
    {"matplotlib", "*", kLogging},
    {"logging", "*", kLogging},
    {"loguru", "*", kLogging},
    {"builtins", "print", kLogging},
    {"os", "fsync", kLogging},
    {"os", "fdatasync", kLogging},
    // Waiting for other threads and processes.
    {"threading", "*", kLock},
    {"queue", "*", kLock},
    {"multiprocessing.synchronize", "*", kLock},
    {"multiprocessing.queues", "*", kLock},
    {"multiprocessing.managers", "*", kLock},
    {"multiprocessing.connection", "*", kLock},
    {"multiprocessing.pool", "*", kLock},
    {"asyncio", "run_coroutine_threadsafe", kLock},
    {"concurrent.futures", "*", kLock},
    {"joblib", "Parallel.*", kLock},
    {"ray", "get", kLock},
    {"ray", "wait", kLock},
    {"filelock", "*", kLock},
    {"fasteners", "*", kLock},
    {"portalocker", "*", kLock},
};

struct OwnName {
  std::string_view pattern;
  WorkStage stage;
};

// The words that people use for nothing else, in small letters and without underscores.
constexpr OwnName kOwnNames[] = {
    {"*augment*", kAugmentation},
    {"*tokeniz*", kTokenise},
    {"*tokenis*", kTokenise},
    {"*decode*", kDecode},
    {"*decompress*", kDecode},
    {"*randomcrop*", kAugmentation},
    {"*randomresized*", kAugmentation},
    {"*randomflip*", kAugmentation},
    {"*randomhorizontal*", kAugmentation},
    {"*randomrotat*", kAugmentation},
    {"*randomeras*", kAugmentation},
    {"*colorjitter*", kAugmentation},
    {"*mixup*", kAugmentation},
    {"*cutmix*", kAugmentation},
    {"*cutout*", kAugmentation},
    {"logmetric*", kLogging},
    {"logscalar*", kLogging},
    {"logstep*", kLogging},
    {"logtrain*", kLogging},
    {"logjson*", kLogging},
    {"*writelog*", kLogging},
    {"*appendlog*", kLogging},
    {"*writemetric*", kLogging},
    {"*savemetric*", kLogging},
};

// Methods of C code, of whose object nothing is known but its name: those of tokenizers, tiktoken
// and sentencepiece, which nothing else that loads data has. A query is what no other
// package calls so: "self.con.execute", "cursor.fetchmany". What LMDB hands out lies in its file's
// pages.
constexpr OwnName kMethods[] = {
    {"*tokenizer.encode*", kTokenise},
    {"*bpe.encode*", kTokenise},
    {"*tok.encode*", kTokenise},
    {"*.encode_batch*", kTokenise},
    {"*.encode_ordinary*", kTokenise},
    {"*.EncodeAs*", kTokenise},
    {"*.execute", kDecode},
    {"*fetchone", kDecode},
    {"*fetchmany", kDecode},
    {"*fetchall", kDecode},
    {"*txn.get", kStorageRead},
};

std::string InSmallLetters(std::string_view name) {
  std::string lower;
  for (const char c : name) {
    if (c != '_') lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return lower;
}

// "Flip" of "Flip.forward"; nothing of a function that is none of a class's.
std::string_view ClassOf(std::string_view function) {
  const size_t dot = function.rfind('.');
  return dot == std::string_view::npos ? std::string_view()
                                       : ShortFunction(function.substr(0, dot));
}

}  // namespace

std::span<const KnownFunctions> BuiltInFunctions() {
  return kKnown;
}

std::optional<WorkStage> StageOfOwnName(std::string_view function) {
  const std::string_view name = ShortFunction(function);
  const std::string of_class = InSmallLetters(ClassOf(function));
  // What is called as its class is: a transform, a module.
  const bool called = name == "__call__" || name == "forward";
  const std::string own = called ? of_class : InSmallLetters(name);
  for (const OwnName& one : kOwnNames) {
    if (FitsGlob(own, one.pattern)) return one.stage;
  }
  if (of_class.ends_with("logger")) return kLogging;
  return std::nullopt;
}

std::optional<WorkStage> StageOfMethod(std::string_view method) {
  for (const OwnName& known : kMethods) {
    if (FitsGlob(method, known.pattern)) return known.stage;
  }
  return std::nullopt;
}

}  // namespace steptrace::analyze
