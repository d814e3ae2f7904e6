#!/bin/sh
# Runs cellstorm's benchmark on this machine's GPU: ./run.sh [FOLDER]. FOLDER receives the records (default: results
# beside this file). The benchmark needs only a Vulkan driver: no Node, no network, no installation.
# To run less, set COUNTS (bodies on the GPU), SCENE_COUNT (bodies of the other scenes), SCENES, GROWTH (bodies for all
# engines, packages included), REPEAT (rounds), DIMENSIONS, QUEUE (steps per wait), LIQUID_CELLS (cells along a tank's
# height), or PARTS (see the end of this file). NVCC names CUDA's compiler if it is neither on the path nor in
# /usr/local/cuda; NVCC= leaves CUDA out.
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
out=${1:-$here/results}
counts=${COUNTS:-1e6,1e7,1e8}
scene_count=${SCENE_COUNT:-1e6}
scenes=${SCENES:-uniform-sparse,uniform-dense,steady,moving,packing,settled,clustered,line-x,line-y,mixed,huge}
growth=${GROWTH:-1e2,3e2,1e3,3e3,1e4,3e4,1e5,3e5,1e6}
repeat=${REPEAT:-9}
dimensions=${DIMENSIONS:-2,3}
parts=${PARTS:-check,exact,step,liquid,large,scenes,one-cell,order,boxes,growth}
queue=${QUEUE:-50}
liquid_cells=${LIQUID_CELLS:-1024}
nvcc=${NVCC-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)}
mkdir -p "$out" || exit 1
out=$(CDPATH= cd -- "$out" && pwd)
if ! (: >"$out/info.txt") 2>/dev/null; then
  printf '%s cannot be written to; choose another FOLDER.\n' "$out" >&2
  exit 1
fi

# Use the packed libraries of a group only if the system lacks one of them.
for folder in "$here"/lib/*/; do
  missing=
  for library in "$folder"*; do
    name=${library##*/}
    found=
    for searched in /lib /lib64 /usr/lib /usr/lib64 /usr/local/lib /lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu; do
      if [ -e "$searched/$name" ]; then found=yes; fi
    done
    if [ -z "$found" ]; then missing=yes; fi
  done
  if [ -n "$missing" ]; then
    LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}${folder%/}"
    export LD_LIBRARY_PATH
  fi
done

cellstorm() {
  "$here/bin/node" "$here/app/cli.js" "$@"
}

failed=
cut=
wrong=
bench() {
  name=$1
  shift
  case ",$parts," in *",$name,"*) ;; *) return ;; esac
  rm -f "$out/$name.json"
  printf '\n== %s: cellstorm bench %s\n\n' "$name" "$*"
  cellstorm bench --out "$out/$name.json" --repeat "$repeat" "$@" ${native:+--native "$native"} 2>"$out/$name.log" | tee "$out/$name.txt"
  # Look at the record, because sh reports only the status of the last command of a pipe.
  if [ ! -s "$out/$name.json" ]; then
    failed="$failed $name"
    cat "$out/$name.log" >&2
  elif ! grep -q '"ended"' "$out/$name.json"; then
    cut="$cut $name"
    cat "$out/$name.log" >&2
  elif grep -Eq '"status": "(wrong|failed)"' "$out/$name.json"; then
    wrong="$wrong $name"
  fi
}

# Runs a command of a part that is not `cellstorm bench`.
script() {
  name=$1
  shift
  case ",$parts," in *",$name,"*) ;; *) return ;; esac
  rm -f "$out/$name.txt"
  printf '\n== %s: %s\n\n' "$name" "$*"
  # A file notes the failure, because sh reports only the status of the last command of a pipe.
  { CELLSTORM_DRIVER=${CELLSTORM_DRIVER:-auto} "$here/bin/node" "$@" 2>&1 || : >"$out/$name.failed"; } | tee "$out/$name.txt"
  if [ -e "$out/$name.failed" ]; then
    rm -f "$out/$name.failed"
    wrong="$wrong $name"
  fi
}

if ! cellstorm info >"$out/info.txt" 2>&1; then
  cat "$out/info.txt" >&2
  printf '\nWebGPU finds no GPU: see README.txt.\n' >&2
  exit 1
fi
cat "$out/info.txt"

# If possible, compile a grid written directly for CUDA. It then runs in all `bench` parts below but order and boxes.
native=
uncompiled=
if [ -z "$nvcc" ]; then
  printf '\nnvcc was not found, so cuda-grid is left out.\n'
elif "$nvcc" -std=c++17 -O3 -arch=native -o "$out/cuda-grid" "$here/native/grid.cu" >"$out/nvcc.log" 2>&1; then
  native=$out/cuda-grid
  printf '\ncuda-grid was compiled by %s.\n' "$nvcc"
else
  uncompiled=yes
  cat "$out/nvcc.log" >&2
fi

bench check --only all --scene uniform,boxes --count 1e3,1e4 --dimensions "$dimensions"
script exact "$here/app/cli.js" verify --exact
script step "$here/app/step.js" --in node --count "$counts" --dimensions "$dimensions" --repeats "$repeat" --queue "$queue" --only separate,unsorted,step,exact --json "$out/step.json"
script liquid "$here/app/liquid.js" --square --cells "$liquid_cells" --substeps "$repeat" --queue 10
bench large --backend gpu --scene uniform --count "$counts" --dimensions "$dimensions" --limit 20
bench scenes --backend gpu --scene "$scenes" --count "$scene_count" --dimensions "$dimensions"
bench one-cell --backend gpu --scene one-cell --count 1e2,1e3,4e3 --dimensions "$dimensions"
bench order --only gpu-grid,gpu-rows,gpu-morton --scene uniform,steady,clustered --count "$scene_count" --dimensions "$dimensions"
bench boxes --only gpu-boxes,cpu-boxes --scene boxes,boxes-mixed,boxes-long --count "$scene_count" --dimensions "$dimensions"
bench growth --scene uniform,mixed --count "$growth" --dimensions "$dimensions"

printf '\nRecords are in %s.\n' "$out"
if [ -n "$wrong" ]; then printf 'An engine was wrong or failed in:%s.\n' "$wrong" >&2; fi
if [ -n "$failed" ]; then printf 'There is no record of:%s. Their logs are beside the records.\n' "$failed" >&2; fi
if [ -n "$cut" ]; then printf 'Cut off, with the results so far:%s.\n' "$cut" >&2; fi
if [ -n "$uncompiled" ]; then printf 'cuda-grid could not be compiled: see nvcc.log.\n' >&2; fi
[ -z "$failed$cut$wrong$uncompiled" ]
