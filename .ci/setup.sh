# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)
#
# Sourced by the scripts that build. `install_missing <tool>...` makes tools available: with apt-get
# where that is allowed; else it says in one line what to install, and returns 1.
# EWYK_NO_INSTALL=1 forbids apt-get. `configure` needs $root, the directory of the sources.

declare -A package_of=(
    [clang++]='clang libclang-rt-dev'
    [clang++-16]=clang-16
    [ninja]=ninja-build
    [boost]=libboost1.81-dev
    [boost_test]=libboost-test1.81-dev
    [boost_program_options]=libboost-program-options1.81-dev
    [boost_context]=libboost-context1.81-dev
    [openssl_headers]=libssl-dev
    [relacy]=relacy-dev
    [b2]=libboost1.81-tools-dev
    [rouge]=ruby-rouge
    [browser]='chromium-headless-shell fonts-liberation'
    [gnuplot]=gnuplot-nox
    [libc++]='libc++-dev libc++abi-dev'
    [io_uring]=liburing-dev
    [websocketpp]=libwebsocketpp-dev
    [restinio]=librestinio-dev
    [x86_64-w64-mingw32-g++-posix]=g++-mingw-w64-x86-64-posix
    [wine]='wine wine64'
    [aarch64-linux-gnu-g++]=g++-aarch64-linux-gnu
    [arm-linux-gnueabihf-g++]=g++-arm-linux-gnueabihf
    [qemu-aarch64-static]=qemu-user-static
    [qemu-arm-static]=qemu-user-static
    [boost_filesystem]=libboost-filesystem1.81-dev
)

# The compiler is asked, not the package manager: a Boost from elsewhere is as good.
any_compiler() { command -v g++ || command -v clang++ || echo false; }
has_library() { [[ $("$(any_compiler)" -print-file-name="lib$1.so") == /* ]]; }
has_header() { echo "#include <$2>" | "$1" -std=c++20 "${@:3}" -E -x c++ - >/dev/null 2>&1; }
has_file()
{
    printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" \
        | "$(any_compiler)" -E -x c++ - >/dev/null 2>&1
}

has_boost()
{
    printf '#include <boost/version.hpp>\n#if BOOST_VERSION < 108100\n#error\n#endif\n' \
        | "$(any_compiler)" -E -x c++ - >/dev/null 2>&1
}

has_relacy()
{
    printf '#include <relacy/defs.hpp>\n' | "$(any_compiler)" -E -x c++ - >/dev/null 2>&1
}

is_available()
{
    case $1 in
        boost) has_boost ;;
        relacy) has_relacy ;;
        boost_test) has_library boost_unit_test_framework ;;
        boost_program_options) has_library boost_program_options ;;
        boost_context) has_library boost_context ;;
        openssl_headers) has_header "$(any_compiler)" openssl/ssl.h ;;
        libc++) has_header clang++ version -stdlib=libc++ ;;
        boost_filesystem) has_library boost_filesystem ;;
        # Found by name: they include what this library's standard has no more.
        websocketpp) has_file websocketpp/server.hpp ;;
        restinio) has_file restinio/all.hpp ;;
        io_uring) has_header "$(any_compiler)" liburing.h ;;
        browser) command -v chromium-headless-shell chromium >/dev/null ;;
        rouge) ruby -e 'require "rouge"' 2>/dev/null ;;
        *) command -v "$1" >/dev/null ;;
    esac
}

# The names above are Debian 12's, whose default Boost is too old. Where it is not, as in Debian 13,
# the packages of the default have no version in their names, and there is no 1.81.
names_of_boost()
{
    local default
    default=$(apt-cache policy libboost-dev 2>/dev/null | sed -n 's/^ *Candidate: //p')
    if [[ $default == [0-9]* ]] && dpkg --compare-versions "$default" ge 1.81; then
        sed -E 's/^(libboost.*)1\.81(-.*)$/\1\2/'
    else
        cat
    fi
}

missing_packages()
{
    local tool
    for tool in "$@"; do
        # Unquoted: one line for each package.
        is_available "$tool" || printf '%s\n' ${package_of[$tool]:-${tool/clang++/clang}}
    done | awk '!seen[$0]++' | names_of_boost
}

may_install()
{
    [[ -z ${EWYK_NO_INSTALL:-} ]] && command -v apt-get >/dev/null \
        && { [[ $EUID -eq 0 ]] || sudo -n true 2>/dev/null; }
}

apt_get()
{
    local as_root=()
    [[ $EUID -eq 0 ]] || as_root=(sudo -n)
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq -o DPkg::Lock::Timeout=120 "$@" </dev/null >/dev/null
}

install_missing()
{
    local packages
    mapfile -t packages < <(missing_packages "$@")
    if [[ ${#packages[@]} -gt 0 ]] && may_install; then
        # Without apt's lists it was not known how Boost's packages are called.
        apt_get update && mapfile -t packages < <(missing_packages "$@")
        echo "installing ${packages[*]}"
        # --no-remove: a user's other version of Boost stays; then the packages remain missing.
        apt_get install -y --no-install-recommends --no-remove "${packages[@]}" || true
        mapfile -t packages < <(missing_packages "$@")
    fi
    [[ ${#packages[@]} -eq 0 ]] && return
    echo "please install as root: apt-get install -y ${packages[*]}" >&2
    return 1
}

# configure <compiler> <sanitizers, or nothing> <option of cmake>...: makes ready $build, the
# directory for that and, if it is not empty, $variant, and $launch, what programs of it are to be
# started with. The rest is in CMakePresets.json.
configure()
{
    local config=${2:-plain} name=${1##*/} preset=gcc
    name=${name/clang++/clang}
    config=${config/,/-}
    build=$root/build/${name/g++/gcc}-$config${variant:+-$variant}
    [[ $name != clang* ]] || preset=clang

    # ThreadSanitizer of these compilers does not know every layout that a recent kernel may
    # randomize memory into; containers may forbid to change it.
    launch=()
    if [[ $2 == thread ]] && setarch --addr-no-randomize true 2>/dev/null; then
        launch=(setarch --addr-no-randomize)
    fi

    cmake -S "$root" --preset "$preset-$config" -B "$build" -DCMAKE_CXX_COMPILER="$1" "${@:3}"
}
