#!/bin/sh
# The browser that the tests of the explorer look at the page with: Debian's chromium, installed where that may be.
set -u
there() {
    command -v chromium >/dev/null || command -v chromium-browser >/dev/null
}
there && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo 'installing chromium'
    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends chromium >/dev/null
fi
there || echo 'there is no chromium here, so the explorer is not tested in a browser: apt-get install chromium' >&2
exit 0
