#!/bin/sh
# Install Debian's chromium, the browser for the explorer's tests, if apt and root are available.
set -u
there() {
    command -v chromium >/dev/null || command -v chromium-browser >/dev/null
}
there && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo 'installing chromium'
    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends chromium >/dev/null
fi
there || echo 'chromium is not installed, so browser tests of the explorer are skipped: apt-get install chromium' >&2
exit 0
