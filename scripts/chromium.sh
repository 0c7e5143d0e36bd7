#!/bin/sh
# The browser that the tests of the explorer look at the page with: Debian's chromium, installed where that may be.
set -eu
if command -v chromium >/dev/null || command -v chromium-browser >/dev/null; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo 'installing chromium'
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends chromium >/dev/null
else
    echo 'there is no chromium here, so the explorer is not tested in a browser: apt-get install chromium' >&2
fi
