# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

# Runs PROGRAM, which must print what the file OUTPUT has: the page of the tutorial quotes that.
# cmake -DPROGRAM=... -DOUTPUT=... -P compare.cmake

execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE status OUTPUT_VARIABLE printed)
if(NOT status STREQUAL 0)
    message(FATAL_ERROR "${PROGRAM} has ended with ${status}, and printed:\n${printed}")
endif()
file(READ ${OUTPUT} expected)
if(NOT printed STREQUAL expected)
    message(FATAL_ERROR "${PROGRAM} has printed:\n${printed}${OUTPUT} has:\n${expected}")
endif()
