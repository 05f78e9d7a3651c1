"""electd-arbiter-web in Python: an arbiter on any web server that keeps what is
PUT and honours If-Match and If-None-Match."""

import http.client
import os
import urllib.parse

import arbiter_pb2 as pb
import electd_plugin as electd


class WebArbiter:
    """A register with compare-and-swap, one record a key."""

    name = "web"
    version = "1.0.0"
    doc = "Keeps lease records on a web server that honours If-Match."
    schema = pb.Schema(attributes=[
        pb.Attribute(name="url", type=pb.ATTRIBUTE_TYPE_STRING, required=True,
                     doc="Where the records are kept; keys are put behind it."),
        pb.Attribute(name="token", type=pb.ATTRIBUTE_TYPE_STRING, sensitive=True,
                     doc="Sent as a bearer token."),
    ])
    capabilities = pb.Capabilities()

    def configure(self, attributes):
        """Takes the attributes, checked against the schema. It must not need the
        store: that may be away while electd starts."""
        url = urllib.parse.urlsplit(attributes["url"])
        if url.scheme not in ("http", "https") or not url.hostname:
            raise electd.AttributeProblem("url", "is no web address", "begin it with https://")
        self.connection = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}[url.scheme]
        self.address = url.netloc
        self.path = url.path.rstrip("/") + "/"
        self.headers = {"Authorization": "Bearer " + attributes["token"]} if "token" in attributes else {}

    def read(self, key, seconds):
        """Returns (version, record); empty for a key that was never written."""
        try:
            status, etag, body = self.ask("GET", key, None, {}, seconds)
        except OSError as problem:
            raise electd.Failure(pb.ERROR_CODE_UNAVAILABLE, str(problem)) from problem
        if status == 404:
            return b"", b""
        if status != 200:
            raise refusal(status) or electd.Failure(pb.ERROR_CODE_UNAVAILABLE, f"the server answered {status}")
        return etag, body

    def compare_and_swap(self, key, expected, record, seconds):
        """Returns the new version. Conflict and Failure say that nothing was
        written; any other exception leaves it unknown. It never tries twice."""
        condition = {"If-Match": expected.decode("latin-1")} if expected else {"If-None-Match": "*"}
        try:
            status, etag, _ = self.ask("PUT", key, record, condition, seconds)
        except ConnectionRefusedError as problem:
            raise electd.Failure(pb.ERROR_CODE_UNAVAILABLE, str(problem)) from problem
        if status == 412:
            raise electd.Conflict("the record is another one by now")
        if status // 100 != 2:
            raise refusal(status) or RuntimeError(f"the server answered {status}")
        return etag

    def ask(self, method, key, body, headers, seconds):
        connection = self.connection(self.address, timeout=seconds)
        try:
            connection.request(method, self.path + urllib.parse.quote(key, safe=""), body, self.headers | headers)
            answer = connection.getresponse()
            received = answer.read()
        finally:
            connection.close()
        etag = answer.getheader("ETag", "")
        if answer.status // 100 == 2 and (not etag or etag.startswith("W/")):
            raise RuntimeError(f"the server gave no strong ETag, but {etag!r}")
        return answer.status, etag.encode("latin-1"), received


def refusal(status):
    """The failure that an answer stands for, if it says that nothing was done."""
    if status in (401, 403):
        return electd.Failure(pb.ERROR_CODE_DENIED, f"the server answered {status}; check token")
    if status == 429:
        return electd.Failure(pb.ERROR_CODE_THROTTLED, f"the server answered {status}")
    if status in (400, 404, 405):
        return electd.Failure(pb.ERROR_CODE_INVALID, f"the server answered {status}; check url")
    return None


if __name__ == "__main__":
    os._exit(electd.serve(WebArbiter()))
