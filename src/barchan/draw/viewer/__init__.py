"""The viewer: a page in the browser that shows a recording, served from this machine or written as one file.

`data.py` says what the page is told, `server.py` tells it, `page.py` puts all of it into one file. The page itself is
in `static/`; it draws with three.js, which is bundled there.
"""
