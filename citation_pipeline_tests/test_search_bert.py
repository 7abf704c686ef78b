"""A MiniLM folder is run without any further package: vectors depend on the text alone, not on its batch."""

import json
from pathlib import Path

import numpy as np
import pytest

from citation_pipeline.adapters.search_index.bert import BertEncoder, gelu, holds_bert, split_words
from citation_pipeline.adapters.search_index.embeddings import LocalEmbeddings

WIDTH, INNER, HEADS = 8, 16, 2
TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "date", "of", "birth", "in", "##jury", "day", "."]


def weights(layers: int) -> dict[str, np.ndarray]:
    chance = np.random.default_rng(3)

    def some(*shape: int) -> np.ndarray:
        return chance.normal(0, 0.5, shape).astype(np.float32)

    found = {
        "embeddings.word_embeddings.weight": some(len(TOKENS), WIDTH),
        "embeddings.position_embeddings.weight": some(32, WIDTH),
        "embeddings.token_type_embeddings.weight": some(2, WIDTH),
        "embeddings.LayerNorm.weight": some(WIDTH),
        "embeddings.LayerNorm.bias": some(WIDTH),
    }
    for number in range(layers):
        name = f"encoder.layer.{number}"
        for part, shape in {
            "attention.self.query": (WIDTH, WIDTH),
            "attention.self.key": (WIDTH, WIDTH),
            "attention.self.value": (WIDTH, WIDTH),
            "attention.output.dense": (WIDTH, WIDTH),
            "intermediate.dense": (INNER, WIDTH),
            "output.dense": (WIDTH, INNER),
        }.items():
            found[f"{name}.{part}.weight"], found[f"{name}.{part}.bias"] = some(*shape), some(shape[0])
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            found[f"{name}.{part}.weight"], found[f"{name}.{part}.bias"] = some(WIDTH), some(WIDTH)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    config = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "num_attention_heads": HEADS,
        "num_hidden_layers": 2,
        "layer_norm_eps": 1e-12,
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "vocab.txt").write_text("\n".join(TOKENS))
    header, data = {}, b""
    for name, values in weights(2).items():
        end = len(data) + values.nbytes
        header[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": [len(data), end]}
        data += values.tobytes()
    head = json.dumps(header).encode()
    (tmp_path / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + data)
    return tmp_path


def test_a_text_has_one_vector_of_length_one_whatever_it_is_encoded_with(folder: Path) -> None:
    encoder = BertEncoder(folder)
    alone = encoder.encode(["date of birth"])
    together = encoder.encode(["in.", "date of birth", "day of injury in day of injury"])
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-5)
    assert np.allclose(together[1], alone[0], atol=1e-5)
    assert not np.allclose(together[1], together[2], atol=1e-5)


def test_case_accents_and_unknown_words_are_read_as_the_model_was_taught(folder: Path) -> None:
    encoder = BertEncoder(folder)
    same = encoder.encode(["Date of Bírth", "date of birth", "date of zebra", "date of yak"])
    assert np.allclose(same[0], same[1], atol=1e-6)
    assert np.allclose(same[2], same[3], atol=1e-6)
    assert list(split_words("Injury, 3/4 (left)")) == ["injury", ",", "3", "/", "4", "(", "left", ")"]


def test_the_local_provider_runs_it_and_names_it(folder: Path) -> None:
    assert holds_bert(folder)
    provider = LocalEmbeddings(folder)
    assert provider.embed(["date", "day"]).shape == (2, WIDTH)
    assert provider.name.startswith("local:")


def test_another_kind_of_model_is_not_taken_for_one(folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps({"model_type": "t5"}))
    assert not holds_bert(folder)


def test_the_activation_is_the_published_one() -> None:
    found = gelu(np.array([-3.0, -1.0, 0.0, 1.0, 3.0], np.float32))
    assert np.allclose(found, [-0.00404951, -0.15865526, 0.0, 0.84134474, 2.99595049], atol=1e-5)
