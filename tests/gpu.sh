#!/usr/bin/env bash
# What has to hold on a GPU: it computes what the CPU computes, the same bits as another revision, and not more slowly.
#
#   tests/gpu.sh [--other FOLDER] [--commit COMMIT] [--other-commit COMMIT] [--out FILE] [--dry]
#
# FOLDER holds the other revision; without it nothing is compared with another revision. COMMIT says
# which revisions these are, where there is no git history. FILE is the result, benchmarks/results/<date>-gpu.json where
# it is left out. --dry runs the script on a few grains in numba's simulator, without a GPU. It takes less than 8 minutes
# on an H200 with 16 cores. Exit code 0: all is fine; 1: something is wrong or too slow; 3: something was not measured.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

other='' commit='' other_commit='' dry='' out=''
usage() { sed -n 's/^# \{0,1\}//; 2,10p' "${BASH_SOURCE[0]}" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --dry) dry=yes; shift ;;
    --other|--commit|--other-commit|--out)
      [ $# -gt 1 ] || usage
      name=${1#--}; printf -v "${name//-/_}" %s "$2"; shift 2 ;;
    *) usage ;;
  esac
done
[ -z "$other" ] || [ -d "$other/src/barchan" ] || { echo "--other $other: has no src/barchan; give a folder" >&2; exit 2; }

python=${PYTHON:-python3}
[ -n "${PYTHON:-}" ] || [ ! -x .venv/bin/python ] || python=$PWD/.venv/bin/python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONUNBUFFERED=1
[ -z "$dry" ] || export NUMBA_ENABLE_CUDASIM=1
began=$SECONDS

step() { printf '\n== %s (after %d s)\n' "$1" $((SECONDS - began)); }

with_source() { # with the sources of a folder and its own kernel cache: a command
  local folder=$1 mark=$2
  shift 2
  PYTHONPATH=$folder/src:${PYTHONPATH:-} BARCHAN_CACHE=$work/kernels-$mark NUMBA_CACHE_DIR=$work/kernels-$mark/numba "$@"
}

# The simulator is slow; the test of it stands in for those that need a device.
chosen=(-m gpu) patience=270 few=()
[ -z "$dry" ] || chosen=(-k simulator) patience=900 few=(--tiny --benches moving-bed)
many=()
[ -n "$dry" ] || ! "$python" -c 'import xdist' 2>/dev/null || many=(-n 4)

# Each revision writes its frames by its own script, which knows what its modules are called.
theirs=$other/tests/gpu/bits.py
[ -f "$theirs" ] || theirs=tests/gpu/bits.py

step 'correctness against the CPU, and bits'
with_source "$PWD" new timeout $patience "$python" tests/gpu/bits.py "$work/new" ${dry:+--dry} &
[ -z "$other" ] || with_source "$other" other timeout $patience "$python" "$theirs" "$work/other" ${dry:+--dry} &
PYTHONPATH=$PWD/src:${PYTHONPATH:-} timeout $patience "$python" -m pytest tests/solvers "${chosen[@]}" "${many[@]}" -q \
  -o timeout=$patience --junitxml "$work/tests.xml"
wait

if [ -n "$other" ]; then
  step 'speed beside the other revision'
  PYTHONPATH=$PWD/benchmarks:$PWD/src:${PYTHONPATH:-} timeout $patience "$python" -P -m speed "$other" \
    --device cuda --precision mixed --minutes 3 --commit "$commit" --out "$work/speed.json" "${few[@]}"
fi

step 'result'
PYTHONPATH=$PWD/src:${PYTHONPATH:-} "$python" tests/gpu/result.py "$work" --seconds $((SECONDS - began)) \
  --commit "$commit" --other-commit "$other_commit" ${other:+--other} ${dry:+--dry} ${out:+--out "$out"}
