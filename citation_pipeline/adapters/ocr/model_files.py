"""The two networks that the rapidocr wheel carries: where they lie, and how they are loaded on one thread.

Only the model files are used (PP-OCR, Apache-2.0); the wheel's own pipeline would fetch what it misses and
needs five times the CPU. Nothing here downloads: a missing file is an error that names the package.

The recognizer ends in a dense layer over 18,710 characters, a third of its time for letters no claim holds.
Its ONNX file is cut in front of that layer, and the layer's columns for the alphabet are multiplied here.
The few fields that this needs are read from the file's bytes: the `onnx` package would bring protobuf into
every parser process for them, and has no other use here.
"""

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

DETECTOR = "PP-OCRv6_det_small.onnx"
RECOGNIZER = "PP-OCRv6_rec_small.onnx"

# English and its neighbours: Latin-1 letters, what is on a keyboard, typographic marks, boxes of forms; the
# letters of Polish, Czech, Slovak, Hungarian, Romanian and Croatian. A small alphabet confuses fewer letters;
# lines in other letters of the network (Chinese, Japanese) are read with all of them.
# No superscripts and ordinals: a text layer has them as plain digits and letters too.
_SYMBOLS = frozenset(
    "ĄąĆćĘęŁłŃńŚśŹźŻżČčĎďĚěŇňŘřŤťŮůŐőŰűĂăȘșȚțŞşŢţĐđƠơƯưŒœŠšŽž¡¿£§©®°±¢¥«»×÷–—‘’“”†‡•…€™☐☑☒✓✔✗✘■□●○←→−≤≥"
)

# field numbers of onnx.proto
_MODEL_GRAPH, _MODEL_METADATA = 7, 14
_GRAPH_NODE, _GRAPH_INITIALIZER, _GRAPH_OUTPUT = 1, 5, 12
_NODE_INPUT, _NODE_OUTPUT, _NODE_KIND = 1, 2, 4
_TENSOR_NAME, _TENSOR_RAW = 8, 9


class MissingModelError(Exception):
    """A model file is not where its package should have put it."""

    def __init__(self, file: str) -> None:
        super().__init__(f"{file} is missing: install the pinned rapidocr wheel, which carries it")
        self.file = file


class UnknownModelError(Exception):
    """A model file is built otherwise than the pinned one."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file}: {reason}; install the rapidocr version that the lock file pins")
        self.file = file
        self.reason = reason


@dataclass(frozen=True, eq=False)
class Recognizer:
    """The recognizer up to its features, and the last layer reduced to the alphabet.

    `alphabet[0]` is CTC's blank; `weights` (features, letters), `bias` (letters,). `whole_alphabet`,
    `whole_weights` and `whole_bias` are the same for all letters that the network knows.
    """

    session: onnxruntime.InferenceSession
    alphabet: tuple[str, ...]
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    whole_alphabet: tuple[str, ...]
    whole_weights: NDArray[np.float32]
    whole_bias: NDArray[np.float32]


def load_detector() -> onnxruntime.InferenceSession:
    """Return the text detector: (1, 3, h, w) in -1..1 to (1, 1, h, w) probabilities."""
    return onnxruntime.InferenceSession(
        _model_path(DETECTOR).read_bytes(), _one_thread(), providers=["CPUExecutionProvider"]
    )


def load_recognizer() -> Recognizer:
    """Return the line recognizer: (1, 3, 48, w) in -1..1 to (1, w / 8, features)."""
    model = _model_path(RECOGNIZER).read_bytes()
    characters: list[str] = []
    around: list[bytes] = []
    graph = b""
    for number, value, raw in _fields(model):
        if number == _MODEL_GRAPH:
            graph = value
            continue
        around.append(raw)
        if number == _MODEL_METADATA:
            pair = {key: text for key, text, _ in _fields(value)}
            if pair.get(1) == b"character":
                characters = pair[2].decode().splitlines()
    if not characters:
        raise UnknownModelError(RECOGNIZER, "it does not list its characters")
    short_graph, weights, bias = _cut(graph)
    letters = ["", *characters, " "]
    if weights.shape[1] != len(letters):
        raise UnknownModelError(RECOGNIZER, f"{weights.shape[1]} outputs for {len(letters)} characters")
    kept = [0] + [number for number, letter in enumerate(letters) if number and _is_wanted(letter)]
    session = onnxruntime.InferenceSession(
        b"".join([*around, _field(_MODEL_GRAPH, short_graph)]),
        _one_thread(),
        providers=["CPUExecutionProvider"],
    )
    return Recognizer(
        session=session,
        alphabet=tuple(letters[number] for number in kept),
        weights=np.ascontiguousarray(weights[:, kept]),
        bias=bias[kept],
        whole_alphabet=tuple(letters),
        whole_weights=weights,
        whole_bias=bias,
    )


def _model_path(file: str) -> Path:
    found = importlib.util.find_spec("rapidocr")  # not imported: that would load its whole pipeline
    if found is None or found.origin is None:
        raise MissingModelError(file)
    path = Path(found.origin).parent / "models" / file
    if not path.is_file():
        raise MissingModelError(file)
    return path


def _one_thread() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # one process per core: more threads only fight over it
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # the arena keeps a large page's memory for ever
    options.log_severity_level = 4
    return options


def _is_wanted(letter: str) -> bool:
    return len(letter) == 1 and (letter.isascii() or "À" <= letter <= "ÿ" or letter in _SYMBOLS)


def _cut(graph: bytes) -> tuple[bytes, NDArray[np.float32], NDArray[np.float32]]:
    """Return the graph that ends before its last dense layer, and that layer's weights and bias."""
    nodes = [
        (_names(value, _NODE_INPUT), _names(value, _NODE_OUTPUT), _names(value, _NODE_KIND), raw)
        for number, value, raw in _fields(graph)
        if number == _GRAPH_NODE
    ]
    layer = max((at for at, node in enumerate(nodes) if node[2] == ["MatMul"]), default=-1)
    if layer < 0 or len(nodes[layer][0]) != 2 or nodes[layer + 1][2] != ["Add"]:
        raise UnknownModelError(RECOGNIZER, "it does not end in one dense layer")
    features, weight_name = nodes[layer][0]
    bias_name = next(name for name in nodes[layer + 1][0] if name not in nodes[layer][1])
    last_layer: dict[str, NDArray[np.float32]] = {}
    kept = [node[3] for node in nodes[:layer]]
    for number, value, raw in _fields(graph):
        if number == _GRAPH_INITIALIZER:
            name = _names(value, _TENSOR_NAME)[0]
            if name in (weight_name, bias_name):
                data = next(part for key, part, _ in _fields(value) if key == _TENSOR_RAW)
                last_layer[name] = np.frombuffer(data, "<f4")
                continue
        if number not in (_GRAPH_NODE, _GRAPH_OUTPUT):
            kept.append(raw)
    if len(last_layer) != 2:
        raise UnknownModelError(RECOGNIZER, "its last layer's weights are not stored in it")
    bias = last_layer[bias_name]
    float_tensor = _field(2, _field(1, b"\x08\x01"))  # ValueInfo.type: tensor of float32, any shape
    kept.append(_field(_GRAPH_OUTPUT, _field(1, features.encode()) + float_tensor))
    return b"".join(kept), last_layer[weight_name].reshape(-1, len(bias)), bias


def _names(message: bytes, number: int) -> list[str]:
    return [value.decode() for found, value, _ in _fields(message) if found == number]


def _fields(message: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield number, content and raw bytes of each field of a protobuf message (scalars as their bytes)."""
    at = 0
    while at < len(message):
        begin = at
        key, at = _varint(message, at)
        number, wire = key >> 3, key & 7
        if wire == 2:
            length, at = _varint(message, at)
            end = at + length
        elif wire == 0:
            _, end = _varint(message, at)
        else:
            end = at + (8 if wire == 1 else 4)
        yield number, message[at:end], message[begin:end]
        at = end


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _field(number: int, content: bytes) -> bytes:
    return _encoded(number << 3 | 2) + _encoded(len(content)) + content


def _encoded(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
