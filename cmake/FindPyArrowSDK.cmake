# SPDX-License-Identifier: Apache-2.0
# Arrow C++ as the pyarrow wheel brings it.
#   in   PYARROW_PYTHON   interpreter that can import pyarrow
#   out  PyArrowSDK_FOUND, PyArrow_VERSION, PyArrow_SOVERSION, PyArrow_LIBDIR and the imported targets
#        PyArrow::arrow, PyArrow::parquet, PyArrow::compute
execute_process(
  COMMAND "${PYARROW_PYTHON}" -c
    "import pyarrow as p; print(p.__version__, p.get_include(), p.get_library_dirs()[0], sep=';', end='')"
  OUTPUT_VARIABLE pyarrow_facts RESULT_VARIABLE pyarrow_failed ERROR_QUIET)
if(pyarrow_failed)
  message(FATAL_ERROR "pyarrow: ${PYARROW_PYTHON} cannot import it; run tools/setup first")
endif()
list(GET pyarrow_facts 0 PyArrow_VERSION)
list(GET pyarrow_facts 1 PyArrow_INCLUDE)
list(GET pyarrow_facts 2 PyArrow_LIBDIR)

# The header is the authority on the number in the libraries' names.
file(STRINGS "${PyArrow_INCLUDE}/arrow/util/config.h" so_line REGEX "define ARROW_SO_VERSION")
string(REGEX REPLACE ".*\"([0-9]+)\".*" "\\1" PyArrow_SOVERSION "${so_line}")

foreach(library arrow parquet arrow_compute)
  string(REGEX REPLACE "^arrow_" "" target "${library}")
  if(NOT TARGET PyArrow::${target})
    add_library(PyArrow::${target} SHARED IMPORTED)
    set_target_properties(PyArrow::${target} PROPERTIES
      IMPORTED_LOCATION "${PyArrow_LIBDIR}/lib${library}.so.${PyArrow_SOVERSION}"
      INTERFACE_INCLUDE_DIRECTORIES "${PyArrow_INCLUDE}")
  endif()
endforeach()
set_property(TARGET PyArrow::parquet PROPERTY INTERFACE_LINK_LIBRARIES PyArrow::arrow)
set_property(TARGET PyArrow::compute PROPERTY INTERFACE_LINK_LIBRARIES PyArrow::arrow)
set(PyArrowSDK_FOUND TRUE)
message(STATUS "pyarrow ${PyArrow_VERSION} (so ${PyArrow_SOVERSION})")
