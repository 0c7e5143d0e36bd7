#!/usr/bin/env bash
# Runs make image-check with a temporary Docker engine, for a machine where none runs: as root, tools/engine.sh [FOLDER]
#
# It needs Debian's docker.io, mmdebstrap, iptables and iproute2. The engine has mounts and processes of its own. To build images it uses
# the machine's network; to run them a second engine on the same data has a network of its own, so that the machine's stays unchanged.
# FOLDER keeps the images for the next time; without it everything is removed.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-$(mktemp --directory --tmpdir stc-engine-XXXX)}
mkdir -p "$folder/config/cli-plugins"
folder=$(realpath "$folder")
export DOCKER_HOST=unix://$folder/docker.sock DOCKER_CONFIG=$folder/config COMPOSE_PROGRESS=plain
client=/usr/bin/docker # of docker.io: newer clients need a plugin to build images
base=debian:forky-slim
download=(/usr/lib/apt/apt-helper download-file) # with apt's proxies and certificates
engine=

# start OPTIONS_OF_UNSHARE... -- OPTIONS_OF_DOCKERD...
start() {
  local own=()
  while [ "$1" != -- ]; do own+=("$1"); shift; done
  shift
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child --mount-proc "${own[@]}" sh -c 'ip link set lo up && exec dockerd "$@"' dockerd \
    --data-root "$folder/data" --exec-root "$folder/exec" --host "$DOCKER_HOST" --pidfile "$folder/pid" --storage-driver overlay2 "$@" \
    >>"$folder/engine.log" 2>&1 &
  engine=$!
  for _ in $(seq 200); do
    "$client" version >/dev/null 2>&1 && return
    sleep 0.3
  done
  echo "dockerd does not start: $(tail -n 1 "$folder/engine.log")" >&2
  return 1
}

inner() { cat "/proc/$engine/task/$engine/children"; }

stop() {
  [ -n "$engine" ] || return 0
  # shellcheck disable=SC2046
  kill $(inner) && wait "$engine" || true # its processes end with it
  engine=
  rm -f "$folder/pid"
}

finish() {
  stop
  [ -n "$keep" ] || rm -rf "$folder"
}

keep=${1:-}
trap finish EXIT
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(REPO_URI) $(LABEL)' 'Created-By: Packages' | awk '$2 == "Debian" { print $1; exit }')
mirror=${mirror:?apt has no mirror of Debian}
mirror=${mirror%/}

if ! "$client" compose version >/dev/null 2>&1; then # Debian has the plugin since trixie
  "${download[@]}" "$mirror/dists/trixie/main/binary-$(dpkg --print-architecture)/Packages.xz" "$folder/Packages.xz"
  read -r path sum < <(xz -dc "$folder/Packages.xz" |
    awk '$1 == "Package:" { p = $2 } p == "docker-compose" && /^(Filename|SHA256):/ { print $2 }' | xargs)
  "${download[@]}" "$mirror/$path" "$folder/compose.deb"
  echo "$sum $folder/compose.deb" | sha256sum --check --quiet
  dpkg-deb --fsys-tarfile "$folder/compose.deb" | tar -xO ./usr/libexec/docker/cli-plugins/docker-compose >"$DOCKER_CONFIG/cli-plugins/docker-compose"
  chmod +x "$DOCKER_CONFIG/cli-plugins/docker-compose"
fi

start -- --bridge=none --iptables=false
if [ -z "$("$client" images --quiet "$base")" ]; then # of Debian's packages, with this machine's certificates and indexes of pip
  certificates=${PIP_CERT:-${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}}
  {
    printf '[global]\ncert = /etc/machine-ca.crt\n'
    python3 -m pip config list | grep -v file: | sed -nE "s/^[a-z]+\.((extra-)?index-url|trusted-host|proxy|(default-)?timeout)='(.*)'$/\1 = \4/p"
  } >"$folder/pip.conf"
  mapfile -t proxies < <(apt-config dump Acquire | sed -nE 's/^(Acquire::https?::Proxy[: ].*)/--aptopt=\1/p')
  mmdebstrap --quiet --variant=minbase --aptopt='Acquire::Check-Valid-Until "false"' "${proxies[@]}" \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/lintian/*' \
    --customize-hook="upload $folder/pip.conf /etc/pip.conf" --customize-hook="upload $certificates /etc/machine-ca.crt" \
    forky "$folder/base.tar" "$mirror"
  "$client" import "$folder/base.tar" "$base"
  rm "$folder/base.tar"
fi
make image DOCKER="$client" BUILD='--network host'
stop

start --net --
PATH=/usr/bin:$PATH nsenter --target "$(inner | xargs)" --net .venv/bin/python -m tests.image.use
