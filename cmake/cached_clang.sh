#!/bin/sh
# Launcher of Clang under a compiler cache: cached_clang.sh CCACHE COMPILER ARGUMENTS...
#
# Clang writes the paths of its tree into a precompiled header, so that what another clone compiled with its own never
# fits. So a checksum of what a header was made from stands beside it, which ccache takes instead (CCACHE_PCH_EXTSUM),
# and the header is named relative to the folder of the build.

made=
before=
left=$#
while [ "$left" -gt 0 ]; do
  argument=$1
  left=$((left - 1))
  shift
  case $argument in "$PWD"/*/cmake_pch.hxx) argument=${argument#"$PWD"/} ;; esac
  [ "$before" != -o ] || made=$argument
  before=$argument
  set -- "$@" "$argument"
done
case $made in *.pch) ;; *) exec "$@" ;; esac

shift              # not from the cache: it could have the header of another tree
rm -f "$made.sum"  # of what stood there before
"$@" || exit
command -v sha256sum > /dev/null || exit 0

left=$#
while [ "$left" -gt 0 ]; do
  argument=$1
  left=$((left - 1))
  shift
  case $argument in
    -MD | -MMD) ;;
    -MF | -MT | -MQ | -o)
      left=$((left - 1))
      shift
      ;;
    -emit-pch) set -- "$@" -fno-pch-timestamp ;;
    *) set -- "$@" "$argument" ;;
  esac
done
# without a checksum the header itself is compared; half a one would let any header pass
{ "$@" -E -P -dD -o "$made.text" && sha256sum < "$made.text" > "$made.sum"; } || rm -f "$made.sum"
rm -f "$made.text"
