"""What every electd plugin does beside its arbiter: the handshake, the services
electd.arbiter.v1 and those of go-plugin, and ending at the right moment. Nothing
in it is about the web; take it for an arbiter of your own."""

import concurrent.futures
import os
import signal
import sys
import threading

import grpc
from google.protobuf import any_pb2

import arbiter_pb2 as pb


class AttributeProblem(Exception):
    """An attribute of the configuration is wrong."""

    def __init__(self, attribute, problem, advice=""):
        super().__init__(f"{attribute}: {problem}")
        self.diagnostic = pb.Diagnostic(attribute=attribute, problem=problem, advice=advice)


class Conflict(Exception):
    """The stored version was not the expected one."""


class Failure(Exception):
    """Nothing was done, and nothing will be."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def serve(arbiter):
    """Serves the arbiter until the host is done with it; returns the exit status."""
    if os.environ.get("ELECTD_ARBITER_PLUGIN") != "electd.arbiter":
        print(f"{arbiter.name} {arbiter.version} is an arbiter plugin of electd: {arbiter.doc}\n"
              f"It is not run by hand. Put it into electd's plugin directory as electd-arbiter-{arbiter.name}.",
              file=sys.stderr)
        return 1
    if "PLUGIN_CLIENT_CERT" in os.environ:
        # grpcio cannot use go-plugin's certificates (curve P-521). Never leave
        # TLS out by yourself: the user decides.
        print("[ERROR] this plugin cannot do TLS: write insecure = true into its plugin block", file=sys.stderr)
        return 1
    # The signals that end a whole group must leave the plugin to its host, which
    # may still need it to release.
    for ignored in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    threading.Thread(target=exit_with_host, daemon=True).start()

    stop = threading.Event()
    path = os.path.join(os.environ["PLUGIN_UNIX_SOCKET_DIR"], "plugin1")
    # The stream of go-plugin's stdio service holds one worker for good.
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=32),
                         options=[("grpc.max_receive_message_length", 16 << 20)])
    server.add_generic_rpc_handlers([plugin_service(arbiter), arbiter_service(arbiter), *go_plugin_services(stop)])
    if not server.add_insecure_port("unix:" + path):
        print("[ERROR] cannot listen on", path, file=sys.stderr)
        return 1
    server.start()
    # go-plugin's version, ours, network, address, protocol. Nothing may be
    # printed to standard output before.
    print(f"1|1|unix|{path}|grpc", flush=True)
    stop.wait()
    server.stop(grace=1).wait()
    return 0


def exit_with_host():
    """Ends the process when its standard input does: the host holds the other
    end and writes nothing, so an end means that the host is gone."""
    while os.read(0, 4096):
        pass
    os._exit(3)


def plugin_service(arbiter):
    def get_info(_, context):
        return pb.GetInfoResponse(name=arbiter.name, version=arbiter.version, doc=arbiter.doc, sdk="Python example")

    def get_schema(_, context):
        return pb.GetSchemaResponse(schema=arbiter.schema)

    def configure(request, context):
        try:
            arbiter.configure({name: plain(value) for name, value in request.attributes.attributes.items()})
        except AttributeProblem as problem:
            return pb.ConfigureResponse(diagnostics=[problem.diagnostic])
        return pb.ConfigureResponse(capabilities=arbiter.capabilities)

    return service("electd.arbiter.v1.Plugin", {
        "GetInfo": unary(get_info, pb.GetInfoRequest),
        "GetSchema": unary(get_schema, pb.GetSchemaRequest),
        "Configure": unary(configure, pb.ConfigureRequest),
    })


def arbiter_service(arbiter):
    def read(request, context):
        try:
            version, record = arbiter.read(request.key, context.time_remaining())
        except Failure as failure:
            abort(context, pb.Failure(code=failure.code), str(failure))
        return pb.ReadResponse(snapshot=pb.Snapshot(version=version, record=record))

    def compare_and_swap(request, context):
        try:
            version = arbiter.compare_and_swap(request.key, request.expected, request.record, context.time_remaining())
        except Conflict as conflict:
            return pb.CompareAndSwapResponse(conflict=pb.Conflict(message=str(conflict)))
        except Failure as failure:
            abort(context, pb.NotApplied(code=failure.code), str(failure))
        except Exception as problem:  # nobody knows whether the write happened
            return pb.CompareAndSwapResponse(unknown=pb.Unknown(message=repr(problem)))
        return pb.CompareAndSwapResponse(applied=pb.Applied(version=version))

    return service("electd.arbiter.v1.Arbiter", {
        "Read": unary(read, pb.ReadRequest),
        "CompareAndSwap": unary(compare_and_swap, pb.CompareAndSwapRequest),
    })


def go_plugin_services(stop):
    """The services that go-plugin looks for. Their messages are so small that
    they stand here as bytes."""
    serving = b"\x08\x01"  # grpc.health.v1.HealthCheckResponse{status: SERVING}
    empty = b""

    def shutdown(_, context):
        stop.set()
        return empty

    def stdio(_, context):
        # We print to the real standard error; this stream only has to stay open.
        ended = threading.Event()
        if context.add_callback(ended.set):
            ended.wait()
        return iter(())

    return [
        service("grpc.health.v1.Health", {"Check": grpc.unary_unary_rpc_method_handler(lambda _, context: serving)}),
        service("plugin.GRPCController", {"Shutdown": grpc.unary_unary_rpc_method_handler(shutdown)}),
        service("plugin.GRPCStdio", {"StreamStdio": grpc.unary_stream_rpc_method_handler(stdio)}),
    ]


def service(name, methods):
    return grpc.method_handlers_generic_handler(name, methods)


def unary(method, request):
    return grpc.unary_unary_rpc_method_handler(
        method, request_deserializer=request.FromString, response_serializer=lambda answer: answer.SerializeToString())


def plain(value):
    """The Python value of an attribute."""
    kind = value.WhichOneof("kind")
    if kind == "duration":
        return value.duration.ToNanoseconds() / 1e9
    if kind == "string_list":
        return list(value.string_list.items)
    if kind == "string_map":
        return dict(value.string_map.items)
    if kind == "block":
        return {name: plain(inner) for name, inner in value.block.attributes.items()}
    return getattr(value, kind)


def abort(context, detail, message):
    """Answers with a gRPC error that carries a detail, as google.rpc.Status in
    the trailer where gRPC puts it."""
    code = grpc.StatusCode.UNAVAILABLE
    packed = any_pb2.Any()
    packed.Pack(detail)
    status = (b"\x08" + varint(code.value[0]) +
              b"\x12" + delimited(message.encode()) +
              b"\x1a" + delimited(packed.SerializeToString()))
    context.set_trailing_metadata((("grpc-status-details-bin", status),))
    context.abort(code, message)


def delimited(data):
    return varint(len(data)) + data


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])
