#!/bin/sh
# build.sh LIBRARY: LIBRARY is a clone whose lease.hpp gets lease.patch.
set -e
cd "$(dirname "$0")"
lib=${1:?}
grep -q 'bool acquire' "$lib/include/asio_ewyk/detail/frame/lease.hpp" || (cd "$lib" && git apply "$OLDPWD/lease.patch")
for p in order bench bed; do nice g++ -std=c++20 -O2 -I"$lib/include" $p.cpp -o $p -pthread; done
# ./order; ./run.py 5; ./bed; for i in spike spike_visits spike_0; do ./bench stress $i 60; done
# for s in 5 200 1500; do for i in today spike; do ./bench first $i $s 5 1 0; ./bench first $i $s 5 0 0; done; done
