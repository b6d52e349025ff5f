"""A headless Chromium, driven through the DevTools protocol over two pipes: no driver and no network are needed.

It is the one named by BARCHAN_CHROMIUM, or one that is found on the PATH.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-dev-shm-usage",
    "--hide-scrollbars", "--force-device-scale-factor=1", "--remote-debugging-pipe",
)  # fmt: skip
BLANK = "about:blank"  # without it a tab of Chromium's own is opened, which asks for things


def chromium() -> str | None:
    """Where a Chromium is; None where there is none."""
    named = os.environ.get("BARCHAN_CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One page in one Chromium; `console` holds what it said that sounds like an error."""

    def __init__(self, width: int = 900, height: int = 600) -> None:
        program = chromium()
        assert program is not None
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()

        def place() -> None:  # Chromium reads from descriptor 3 and writes to 4
            high = (os.dup2(theirs_in, 100), os.dup2(theirs_out, 101))
            os.dup2(high[0], 3), os.dup2(high[1], 4)

        self._process = subprocess.Popen(
            [program, *FLAGS, f"--window-size={width},{height}", f"--user-data-dir={self._profile.name}", BLANK],
            pass_fds=(3, 4), preexec_fn=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in), os.close(theirs_out)
        self._out, self._in = os.fdopen(ours_out, "wb"), os.fdopen(ours_in, "rb")
        self._rest, self._number, self._session = b"", 0, ""
        self.console: list[str] = []
        self.requests: list[str] = []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in targets if one["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Runtime", "Page", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask Chromium something and wait for its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])
            self._hear(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._in.fileno(), 1 << 20)
            if not more:
                raise RuntimeError("Chromium has gone")
            self._rest += more
        one, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(one))

    def _hear(self, event: dict[str, Any]) -> None:
        told = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.console.append(str(told["exceptionDetails"]))
        elif event.get("method") == "Runtime.consoleAPICalled" and told["type"] in ("error", "assert", "warning"):
            self.console.append(f"{told['type']}: {[one.get('value') for one in told['args']]}")
        elif event.get("method") == "Log.entryAdded" and told["entry"]["level"] == "error":
            self.console.append(told["entry"]["text"])
        elif event.get("method") == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])

    def evaluate(self, script: str) -> Any:
        """The value of an expression on the page, awaited."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"].get("exception", answer)))
        return answer["result"].get("value")

    def open(self, url: str, *, offline: bool = False) -> None:
        """Load a page; `offline` takes the network away before."""
        if offline:
            self.call(
                "Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0
            )
        self.call("Page.navigate", url=url)

    def until(self, condition: str, seconds: float = 60.0) -> None:
        """Wait until an expression is true on the page."""
        end = time.monotonic() + seconds
        while not self.evaluate(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s: {condition}; console: {self.console}")
            time.sleep(0.05)

    def click(self, x: float, y: float) -> None:
        """Press and let go of the mouse there."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def picture(self, path: Path | str) -> Path:
        """What the page looks like, as a PNG."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        Path(path).write_bytes(base64.b64decode(data))
        return Path(path)

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._out.close(), self._in.close()
        self._profile.cleanup()
