"""Health check of a service: python3 answers.py [URL], by default the explorer's address, where status 401 also means healthy."""

import os
import sys
import urllib.error
import urllib.request

url = sys.argv[1] if len(sys.argv) > 1 else f"http://127.0.0.1:{os.environ.get('STC_EXPLORE_PORT') or 8766}/"
try:
    status = urllib.request.urlopen(url, timeout=4).status  # noqa: S310  (our own address)
except urllib.error.HTTPError as error:
    status = error.code
except OSError as error:
    sys.exit(f"{url}: {error}")
sys.exit(0 if status in (200, 401) else f"{url}: status {status}")
