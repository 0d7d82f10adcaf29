"""Writes what passes through mitmproxy as an HTTP Archive (HAR 1.2):

    mitmdump -s har_addon.py --set har_file=capture.har

Bodies that are text are kept as they are, others in base64. The file is whole when mitmproxy ends."""
import base64
import datetime
import json

from mitmproxy import ctx


def moment(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat()


def headers_of(message):
    return [{"name": name, "value": value} for name, value in message.headers.items(multi=True)]


def body_of(message):
    """The body without its content encoding, as fields of the archive."""
    content = message.get_content(strict=False) or b""
    body = {"mimeType": message.headers.get("content-type", ""), "size": len(content)}
    try:
        body["text"] = content.decode("utf-8")
    except UnicodeDecodeError:
        body["text"] = base64.b64encode(content).decode("ascii")
        body["encoding"] = "base64"
    return body


def entry_of(flow):
    request = flow.request
    response = flow.response
    entry = {
        "startedDateTime": moment(request.timestamp_start),
        "request": {"method": request.method, "url": request.pretty_url, "httpVersion": request.http_version,
                    "headers": headers_of(request), "postData": body_of(request)},
        "response": {"status": 0, "headers": []},
        "time": 0,
    }
    if response is not None:
        end = response.timestamp_end or response.timestamp_start or request.timestamp_start
        entry["time"] = round((end - request.timestamp_start) * 1000, 3)
        entry["response"] = {"status": response.status_code, "httpVersion": response.http_version,
                             "headers": headers_of(response), "content": body_of(response)}
    return entry


class HarWriter:
    """Collects the exchanges; a request that failed has no answer."""

    def __init__(self):
        self.entries = []

    def load(self, loader):
        loader.add_option("har_file", str, "capture.har", "where the archive goes")

    def response(self, flow):
        self.entries.append(entry_of(flow))

    def error(self, flow):
        self.entries.append(entry_of(flow))

    def done(self):
        archive = {"log": {"version": "1.2", "creator": {"name": "har_addon", "version": "1"}, "entries": self.entries}}
        with open(ctx.options.har_file, "w", encoding="utf-8") as file:
            json.dump(archive, file, indent=1)
            file.write("\n")


addons = [HarWriter()]
