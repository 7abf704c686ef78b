"""A BERT sentence encoder of a folder (`config.json`, `vocab.txt`, `model.safetensors`), in numpy alone.

The weights are the folder's; what belongs here is how text becomes tokens, and tokens one vector of unit
length. Only absolute positions and GELU are implemented: what sentence-transformers' MiniLM models use.
"""

import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

_LONGEST_WORD = 100  # letters; the tokenizer the weights were trained with gives up beyond
_TOKENS = 256  # a text's first ones; all-MiniLM-L6-v2 was trained on at most 256
_BATCH = 64
_HEADER = 8  # bytes of the header's length in a safetensors file
_ROOT_2 = np.float32(2.0**0.5)


def holds_bert(folder: Path) -> bool:
    """Tell whether a folder holds a model that `BertEncoder` runs."""
    if not all((folder / name).is_file() for name in ("config.json", "vocab.txt", "model.safetensors")):
        return False
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return (config.get("model_type"), config.get("hidden_act")) == ("bert", "gelu")


class BertEncoder:
    """The network of one folder for which `holds_bert` is true."""

    def __init__(self, folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._heads = int(config["num_attention_heads"])
        self._epsilon = float(config["layer_norm_eps"])
        self._layers = int(config["num_hidden_layers"])
        vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
        self._ids = {token: number for number, token in enumerate(vocabulary)}
        self._weights = read_safetensors(folder / "model.safetensors")

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return one row of unit length for each text."""
        tokens = [self._tokens(text) for text in texts]
        width = self._weights["embeddings.word_embeddings.weight"].shape[1]
        found = np.zeros((len(texts), width), np.float32)
        order = sorted(range(len(texts)), key=lambda n: len(tokens[n]))  # like lengths pad least
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            found[batch] = self._forward([tokens[n] for n in batch])
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        unit: Floats = (found / np.maximum(lengths, 1e-12)).astype(np.float32)
        return unit

    def _tokens(self, text: str) -> list[int]:
        pieces = [piece for word in split_words(text) for piece in self._pieces(word)]
        return [self._ids["[CLS]"], *pieces[: _TOKENS - 2], self._ids["[SEP]"]]

    def _pieces(self, word: str) -> list[int]:
        """Return a word as the longest pieces that the vocabulary has, from the left."""
        if len(word) > _LONGEST_WORD:
            return [self._ids["[UNK]"]]
        pieces, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = word[start:end] if start == 0 else f"##{word[start:end]}"
                if piece in self._ids:
                    pieces.append(self._ids[piece])
                    start = end
                    break
            else:
                return [self._ids["[UNK]"]]
        return pieces

    def _forward(self, batch: Sequence[Sequence[int]]) -> Floats:
        weights = self._weights
        longest = max(len(tokens) for tokens in batch)
        ids = np.zeros((len(batch), longest), np.int64)
        mask = np.zeros((len(batch), longest), np.float32)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1.0
        state = (
            weights["embeddings.word_embeddings.weight"][ids]
            + weights["embeddings.position_embeddings.weight"][:longest]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        state = self._normal(state, "embeddings.LayerNorm")
        away = (1.0 - mask)[:, None, None, :] * np.float32(-1e9)
        for number in range(self._layers):
            state = self._layer(state, away, f"encoder.layer.{number}")
        summed = (state * mask[:, :, None]).sum(1)
        pooled: Floats = (summed / mask.sum(1, keepdims=True)).astype(np.float32)
        return pooled

    def _layer(self, state: Floats, away: Floats, name: str) -> Floats:
        rows, longest, width = state.shape
        shape = (rows, longest, self._heads, width // self._heads)
        query, key, value = (
            self._linear(state, f"{name}.attention.self.{part}").reshape(shape).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32((width // self._heads) ** 0.5) + away
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        mixed = (scores @ value).transpose(0, 2, 1, 3).reshape(rows, longest, width)
        mixed = self._linear(mixed, f"{name}.attention.output.dense")
        state = self._normal(state + mixed, f"{name}.attention.output.LayerNorm")
        inner = gelu(self._linear(state, f"{name}.intermediate.dense"))
        inner = self._linear(inner, f"{name}.output.dense")
        return self._normal(state + inner, f"{name}.output.LayerNorm")

    def _linear(self, state: Floats, name: str) -> Floats:
        product: Floats = state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return product

    def _normal(self, state: Floats, name: str) -> Floats:
        centred = state - state.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + np.float32(self._epsilon))
        normal: Floats = centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return normal


def gelu(x: Floats) -> Floats:
    """Return GELU with the error function by Abramowitz and Stegun 7.1.26 (off by at most 1.5e-7)."""
    z = np.abs(x) / _ROOT_2
    t = 1.0 / (1.0 + np.float32(0.3275911) * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    error = np.sign(x) * (1.0 - series * np.exp(-z * z))
    found: Floats = (0.5 * x * (1.0 + error)).astype(np.float32)
    return found


def split_words(text: str) -> Iterator[str]:
    """Cut a text as uncased BERT does: folded, marks apart, each Chinese character a word."""
    folded = unicodedata.normalize("NFD", text.lower())
    word = ""
    for letter in folded:
        kind = unicodedata.category(letter)
        if kind == "Mn" or letter in "\0\ufffd":
            continue
        is_apart = kind[0] in "PS" or "\u4e00" <= letter <= "\u9fff"
        if is_apart or letter.isspace() or kind.startswith("C"):
            if word:
                yield word
            word = ""
            if is_apart:
                yield letter
        else:
            word += letter
    if word:
        yield word


def read_safetensors(path: Path) -> Mapping[str, Floats]:
    """Return the tensors of a safetensors file that hold 32-bit floats; raises ValueError for others."""
    data = path.read_bytes()
    size = int.from_bytes(data[:_HEADER], "little")
    header: dict[str, Any] = json.loads(data[_HEADER : _HEADER + size])
    start, found = _HEADER + size, {}
    for name, about in header.items():
        if name == "__metadata__" or about["dtype"] == "I64":
            continue
        if about["dtype"] != "F32":
            raise ValueError(f"{path.name} holds {about['dtype']} weights: name a model with F32 ones")
        first, last = about["data_offsets"]
        values = np.frombuffer(data, np.float32, (last - first) // 4, start + first)
        found[name] = values.reshape(about["shape"])
    return found
