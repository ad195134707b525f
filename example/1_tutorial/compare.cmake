# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

# Runs PROGRAM, which must print what the file OUTPUT has: a page quotes that. The models tell how
# many threads there were and how long it took: of them the numbers may be others.
# cmake -DPROGRAM=... -DOUTPUT=... -DGROUP=1_tutorial -P compare.cmake

execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE status OUTPUT_VARIABLE printed)
if(NOT status STREQUAL 0)
    message(FATAL_ERROR "${PROGRAM} has ended with ${status}, and printed:\n${printed}")
endif()
file(READ ${OUTPUT} expected)
set(must_be_as "${expected}")
set(is "${printed}")
if(GROUP STREQUAL 2_models)
    string(REGEX REPLACE "[0-9]+" "#" must_be_as "${expected}")
    string(REGEX REPLACE "[0-9]+" "#" is "${printed}")
endif()
if(NOT is STREQUAL must_be_as)
    message(FATAL_ERROR "${PROGRAM} has printed:\n${printed}${OUTPUT} has:\n${expected}")
endif()
