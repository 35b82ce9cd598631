// SPDX-License-Identifier: Apache-2.0
#include "probe/stack_frames.h"

#include <string.h>
#include <sys/mman.h>

#include "probe/python_held.h"
#include "transport/writer/fixed_text.h"
#include "transport/writer/writer.h"
#include "wire/stack_control.h"
#include "wire/vocabulary.h"

namespace steptrace::probe {
namespace {

constexpr auto kStackCategory = static_cast<uint16_t>(wire::Category::kStack);

// Before 3.11 code has no qualified name: classes of its module are asked for it, at most so many.
constexpr int kMaxGlobalsChecked = 4096;
// A comprehension in a comprehension, and so on.
constexpr int kMaxInner = 4;
constexpr size_t kMaxFunctionBytes = 512;
constexpr size_t kMaxFileBytes = 1024;

// Names of attributes, made once.
struct AttributeNames {
  PyObject *f_back, *f_code, *f_lasti, *f_lineno, *f_globals, *co_name, *co_qualname, *co_filename,
      *code, *func, *fget, *qualname;
};
AttributeNames g_attributes;

bool MakeAttributeNames() {
  if (g_attributes.qualname != nullptr) return true;
  const struct {
    PyObject** name;
    const char* text;
  } kAll[] = {
      {&g_attributes.f_back, "f_back"},
      {&g_attributes.f_code, "f_code"},
      {&g_attributes.f_lasti, "f_lasti"},
      {&g_attributes.f_lineno, "f_lineno"},
      {&g_attributes.f_globals, "f_globals"},
      {&g_attributes.co_name, "co_name"},
      {&g_attributes.co_qualname, "co_qualname"},
      {&g_attributes.co_filename, "co_filename"},
      {&g_attributes.code, "__code__"},
      {&g_attributes.func, "__func__"},
      {&g_attributes.fget, "fget"},
      {&g_attributes.qualname, "__qualname__"},
  };
  for (const auto& one : kAll) {
    *one.name = PyUnicode_InternFromString(one.text);
    if (*one.name == nullptr) {
      PyErr_Clear();
      return false;
    }
  }
  return true;
}

int32_t NumberOf(PyObject* object) {
  if (object == nullptr || object == Py_None) return 0;
  const long number = PyLong_AsLong(object);
  if (number == -1 && PyErr_Occurred() != nullptr) PyErr_Clear();
  return static_cast<int32_t>(number);
}

// A JSON array of texts, each cut to what it may take.
class JsonTexts {
 public:
  void Add(const char* text, size_t most) {
    Put(bytes_ == 0 ? '[' : ',');
    Put('"');
    const size_t end = bytes_ + most;
    while (*text != 0) {
      size_t bytes = 1;  // of a character of UTF-8, which is not to be cut
      while ((static_cast<uint8_t>(text[bytes]) & 0xC0) == 0x80) ++bytes;
      if (bytes_ + (bytes > kMostOfACharacter ? bytes : kMostOfACharacter) > end) break;
      for (; bytes > 0; --bytes) PutEscaped(static_cast<uint8_t>(*text++));
    }
    Put('"');
  }
  void Add(PyObject* object, size_t most) {
    Held bytes(object == nullptr ? nullptr
                                 : PyUnicode_AsEncodedString(object, "utf-8", "backslashreplace"));
    const char* text = bytes ? PyBytes_AsString(bytes.get()) : "?";
    Add(text == nullptr ? "?" : text, most);
  }
  // 0: the arena is full.
  uint32_t Intern() {
    Put(']');
    return full_ ? 0 : transport::Name(text_, bytes_, kStackCategory);
  }

 private:
  void Put(char c) {
    full_ |= bytes_ == sizeof text_;
    if (!full_) text_[bytes_++] = c;
  }
  void PutEscaped(uint8_t c) {
    constexpr char kHex[] = "0123456789abcdef";
    if (c < 0x20) {
      for (const char one : {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]}) Put(one);
      return;
    }
    if (c == '"' || c == '\\') Put('\\');
    Put(static_cast<char>(c));
  }

  static constexpr size_t kMostOfACharacter = 6;  // \\u001f
  char text_[wire::kMaxStackTextBytes];
  size_t bytes_ = 0;
  bool full_ = false;
};

// The function that a class's attribute is, or has inside. A new reference.
PyObject* FunctionInside(PyObject* member, const StackTools& tools) {
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(member));
  if (type == tools.function) {
    Py_INCREF(member);
    return member;
  }
  PyObject* within = nullptr;
  if (type == tools.class_method || type == tools.static_method) {
    within = PyObject_GetAttr(member, g_attributes.func);
  } else if (type == tools.property) {
    within = PyObject_GetAttr(member, g_attributes.fget);
  } else {
    return nullptr;
  }
  Held function(within);
  const bool plain =
      function && reinterpret_cast<PyObject*>(Py_TYPE(function.get())) == tools.function;
  return plain ? function.Release() : nullptr;
}

// The qualified name of the method of `owner` that has this code; null: none has.
PyObject* MethodName(PyObject* owner, PyObject* name, PyObject* code, const StackTools& tools) {
  const Held members(PyObject_CallFunctionObjArgs(tools.class_dict, owner, nullptr));
  if (!members) return nullptr;
  const Held member(PyObject_GetItem(members.get(), name));
  if (!member) return nullptr;
  const Held function(FunctionInside(member.get(), tools));
  if (!function) return nullptr;
  const Held its_code(PyObject_GetAttr(function.get(), g_attributes.code));
  if (its_code.get() != code) return nullptr;
  PyObject* qualified = PyObject_GetAttr(function.get(), g_attributes.qualname);
  if (qualified == nullptr) PyErr_Clear();
  return qualified;
}

PyObject* NameByClass(PyObject* frame, PyObject* name, PyObject* code, const StackTools& tools) {
  const Held globals(PyObject_GetAttr(frame, g_attributes.f_globals));
  if (!globals) return nullptr;
  PyObject* key;
  PyObject* value;
  Py_ssize_t at = 0;
  for (int i = 0; i < kMaxGlobalsChecked && PyDict_Next(globals.get(), &at, &key, &value) != 0;
       ++i) {
    if ((PyType_GetFlags(Py_TYPE(value)) & Py_TPFLAGS_TYPE_SUBCLASS) == 0) continue;
    if (PyObject* qualified = MethodName(value, name, code, tools)) return qualified;
  }
  return nullptr;
}

bool IsComprehension(PyObject* name) {
  const Held bytes(PyUnicode_AsEncodedString(name, "utf-8", "backslashreplace"));
  const char* text = bytes ? PyBytes_AsString(bytes.get()) : nullptr;
  return text != nullptr && (strcmp(text, "<listcomp>") == 0 || strcmp(text, "<dictcomp>") == 0 ||
                             strcmp(text, "<setcomp>") == 0);
}

// A new reference to a name, qualified as far as can be told; null: it has none.
PyObject* QualifiedName(PyObject* code, PyObject* frame, const StackTools& tools, int inner);

// Of a comprehension: its caller is what it stands in.
PyObject* InnerName(PyObject* name, PyObject* frame, const StackTools& tools, int inner) {
  const Held caller(PyObject_GetAttr(frame, g_attributes.f_back));
  if (!caller || caller.get() == Py_None || inner >= kMaxInner) return nullptr;
  const Held code(PyObject_GetAttr(caller.get(), g_attributes.f_code));
  if (!code) return nullptr;
  const Held outer(QualifiedName(code.get(), caller.get(), tools, inner + 1));
  if (!outer) return nullptr;
  PyObject* whole = PyUnicode_FromFormat("%U.<locals>.%U", outer.get(), name);
  if (whole == nullptr) PyErr_Clear();
  return whole;
}

PyObject* QualifiedName(PyObject* code, PyObject* frame, const StackTools& tools, int inner) {
  if (PyObject* qualified = PyObject_GetAttr(code, g_attributes.co_qualname)) return qualified;
  PyErr_Clear();
  Held name(PyObject_GetAttr(code, g_attributes.co_name));
  if (!name) return nullptr;
  PyObject* qualified = IsComprehension(name.get()) ? InnerName(name.get(), frame, tools, inner)
                                                    : NameByClass(frame, name.get(), code, tools);
  return qualified != nullptr ? qualified : name.Release();
}

// splitmix64's finalizer (Steele, Lea, Flood 2014).
uint64_t Mixed(uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

}  // namespace

bool ReadStackTools(PyObject* tuple, StackTools* tools) {
  PyObject** const all[] = {&tools->current_frames, &tools->gc_enabled,    &tools->gc_disable,
                            &tools->gc_enable,      &tools->class_dict,    &tools->function,
                            &tools->class_method,   &tools->static_method, &tools->property};
  if (PyTuple_Size(tuple) != static_cast<Py_ssize_t>(sizeof all / sizeof all[0])) {
    PyErr_Clear();
    return false;
  }
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    *all[i] = PyTuple_GetItem(tuple, static_cast<Py_ssize_t>(i));
  }
  return MakeAttributeNames();
}

bool StackFrames::Begin() {
  if (tables_ == nullptr) {
    void* memory = mmap(nullptr, sizeof(Tables), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    tables_ = static_cast<Tables*>(memory);
  }
  // First of all, so that there is room for them.
  return Named(&cut_, "(outer frames)") != 0 && Named(&too_many_, "(too many stacks)") != 0;
}

uint32_t StackFrames::Named(uint32_t* id, const char* function) {
  if (*id != 0) return *id;
  JsonTexts texts;
  texts.Add(function, kMaxFunctionBytes);
  texts.Add("", kMaxFileBytes);
  const uint32_t code = texts.Intern();
  if (code != 0) *id = PlaceId(0, code, 0, nullptr);
  return *id;
}

uint32_t StackFrames::CodeId(PyObject* code, PyObject* frame, const StackTools& tools) {
  uint64_t slot = Mixed(reinterpret_cast<uintptr_t>(code)) % kCodeSlots;
  for (; tables_->codes[slot].id != 0; slot = (slot + 1) % kCodeSlots) {
    if (tables_->codes[slot].code == code) return tables_->codes[slot].id;
  }
  if (codes_ == kMaxCodes) return 0;
  const Held function(QualifiedName(code, frame, tools, 0));
  const Held file(PyObject_GetAttr(code, g_attributes.co_filename));
  JsonTexts texts;
  texts.Add(function.get(), kMaxFunctionBytes);
  texts.Add(file.get(), kMaxFileBytes);
  const uint32_t id = texts.Intern();
  if (id == 0) {
    codes_ = kMaxCodes;  // each further try would be counted as a name that was lost
    return 0;
  }
  Py_INCREF(code);
  tables_->codes[slot] = {code, id};
  ++codes_;
  return id;
}

uint32_t StackFrames::PlaceId(uint32_t caller, uint32_t code, int32_t instruction,
                              PyObject* frame) {
  const uint64_t key = uint64_t{caller} << 32 | code;
  uint64_t slot = Mixed(Mixed(key) + static_cast<uint32_t>(instruction)) % kPlaceSlots;
  for (; tables_->places[slot].id != 0; slot = (slot + 1) % kPlaceSlots) {
    const Place& place = tables_->places[slot];
    if (place.caller == caller && place.code == code && place.instruction == instruction) {
      return place.id;
    }
  }
  if (places_ == kMaxPlaces) return 0;
  const Held number(frame == nullptr ? nullptr : PyObject_GetAttr(frame, g_attributes.f_lineno));
  const int32_t line = NumberOf(number.get());
  char text[48];
  transport::FixedText json(text, sizeof text);
  json.Add("[").Add(uint64_t{caller}).Add(",").Add(uint64_t{code}).Add(",");
  json.Add(static_cast<uint64_t>(line > 0 ? line : 0)).Add("]");
  const uint32_t id = transport::Name(text, json.size(), kStackCategory);
  if (id == 0) {
    places_ = kMaxPlaces;
    return 0;
  }
  tables_->places[slot] = {caller, code, instruction, id};
  ++places_;
  return id;
}

uint32_t StackFrames::IdOf(PyObject* frame, const StackTools& tools) {
  // Innermost first. All but the first are references of ours, let go at the end: each belongs to
  // its thread, which cannot run meanwhile.
  PyObject* frames[wire::kMaxReportedFrames];
  uint32_t count = 0;
  Py_INCREF(frame);
  while (frame != nullptr && frame != Py_None && count < wire::kMaxReportedFrames) {
    frames[count++] = frame;
    frame = PyObject_GetAttr(frame, g_attributes.f_back);
    if (frame == nullptr) PyErr_Clear();
  }
  const bool cut = frame != nullptr && frame != Py_None;
  Py_XDECREF(frame);
  uint32_t id = cut ? cut_ : 0;
  for (uint32_t i = count; i-- > 0;) {
    if (id != too_many_) {
      const Held code(PyObject_GetAttr(frames[i], g_attributes.f_code));
      const Held instruction(PyObject_GetAttr(frames[i], g_attributes.f_lasti));
      const uint32_t code_id = code ? CodeId(code.get(), frames[i], tools) : 0;
      const uint32_t place =
          code_id == 0 ? 0 : PlaceId(id, code_id, NumberOf(instruction.get()), frames[i]);
      id = place != 0 ? place : too_many_;
    }
    Py_DECREF(frames[i]);
  }
  return id;
}

}  // namespace steptrace::probe
