"""An OTLP/HTTP receiver with the message types that protoc generates from OpenTelemetry's own definitions.

Prints its port, and then each request that it accepts as one line of JSON. It refuses, with 400 and the reason, what is
not of these types or breaks the rules of the data model.
"""

import base64
import gzip
import json
import math
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.protobuf import json_format, unknown_fields
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces

IDS = {"traceId", "spanId", "parentSpanId"}


def with_ids(value):
    """OTLP's JSON has ids in hex, where protobuf's JSON has base64."""
    if isinstance(value, list):
        return [with_ids(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: base64.b64encode(bytes.fromhex(each)).decode() if name in IDS else with_ids(each)
        for name, each in value.items()
    }


def parse(body, message, is_json):
    """Unknown fields and wrong types are errors. The result went through the binary encoding."""
    if not is_json:
        parsed = message.FromString(body)
        assert len(unknown_fields.UnknownFieldSet(parsed)) == 0, "an unknown field"
        return parsed
    text = body
    parsed = json_format.ParseDict(with_ids(json.loads(text)), message())
    return message.FromString(parsed.SerializeToString())


def attributes(of):
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in of.attributes}


def read_traces(body, is_json):
    request = parse(body, traces.ExportTraceServiceRequest, is_json)
    spans = [
        span
        for of_resource in request.resource_spans
        for of_scope in of_resource.scope_spans
        for span in of_scope.spans
    ]
    known = {(span.trace_id, span.span_id): span for span in spans}
    assert len(known) == len(spans), "a span is there twice"
    for span in spans:
        assert len(span.trace_id) == 16 and any(span.trace_id), "no trace id"
        assert len(span.span_id) == 8 and any(span.span_id), "no span id"
        assert span.name and 0 < span.start_time_unix_nano <= span.end_time_unix_nano, "no time"
        if span.parent_span_id:
            parent = known[(span.trace_id, span.parent_span_id)]
            assert parent.start_time_unix_nano <= span.start_time_unix_nano, "begins before its parent"
            assert span.end_time_unix_nano <= parent.end_time_unix_nano, "ends after its parent"
    return [
        {
            "trace": span.trace_id.hex(),
            "parent": span.parent_span_id.hex(),
            "name": span.name,
            "kind": span.kind,
            "times": [span.start_time_unix_nano, span.end_time_unix_nano],
            "message": span.status.message,
            "status": span.status.code,
            "attributes": attributes(span),
        }
        for span in spans
    ]


def read_metrics(body, is_json):
    request = parse(body, metrics.ExportMetricsServiceRequest, is_json)
    found = {}
    for of_resource in request.resource_metrics:
        for of_scope in of_resource.scope_metrics:
            for metric in of_scope.metrics:
                assert metric.WhichOneof("data") == "gauge", "not a gauge"
                for point in metric.gauge.data_points:
                    assert point.time_unix_nano > 0 and math.isfinite(point.as_double), "no value"
                    key = (metric.name, json.dumps(attributes(point), sort_keys=True))
                    assert key not in found, "a series is there twice"
                    found[key] = {
                        "name": metric.name,
                        "about": [metric.description, metric.unit],
                        "times": [point.time_unix_nano],
                        "attributes": attributes(point),
                        "value": point.as_double,
                    }
    return list(found.values())


def answer_of(path, refused, is_json):
    """A response by OpenTelemetry's own definitions. `refused`: a partial success."""
    is_traces = path.endswith("traces")
    answer = traces.ExportTraceServiceResponse() if is_traces else metrics.ExportMetricsServiceResponse()
    if refused:
        setattr(answer.partial_success, "rejected_spans" if is_traces else "rejected_data_points", 1)
        answer.partial_success.error_message = "one is too old"
    return json_format.MessageToJson(answer).encode() if is_json else answer.SerializeToString()


READERS = {"/v1/traces": read_traces, "/v1/metrics": read_metrics}


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            is_json = self.headers["content-type"] == "application/json"
            assert is_json or self.headers["content-type"] == "application/x-protobuf", "neither JSON nor protobuf"
            refused, path = self.path.startswith("/refuse/"), self.path.removeprefix("/refuse")
            text = gzip.decompress(body) if self.headers["content-encoding"] == "gzip" else body
            line = {"path": path, "items": READERS[path](text, is_json)}
            status, answer = 200, answer_of(path, refused, is_json)
        except Exception as error:
            line = {"path": self.path, "problem": repr(error)}
            status, answer = 400, json.dumps({"message": repr(error)}).encode()
        print(json.dumps(line), flush=True)
        self.send_response(status)
        self.send_header("content-type", self.headers["content-type"])
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(json.dumps({"port": server.server_port}), flush=True)
server.serve_forever()
