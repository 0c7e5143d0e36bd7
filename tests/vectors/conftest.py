from __future__ import annotations

from pathlib import Path

import pytest

from stcollection.vectors.model import Embedder, EncoderOptions, _locate, load


@pytest.fixture(scope="session")
def model() -> Embedder:
    """Return the default model, loaded once for all tests, in single precision also on CPUs with bfloat16."""
    return load(options=EncoderOptions(precision="fp32"))


@pytest.fixture(scope="session")
def weights() -> Path:
    """Return the folder of the default model."""
    return Path(_locate("sentence-transformers/all-MiniLM-L6-v2")[0])


def save(weights: Path, folder: Path, *, dim: int, pooling: str, prompts: dict[str, str] | None = None) -> Path:
    """Save another model: the transformer of the default model, another pooling, and a layer to another dimension."""
    import torch
    from sentence_transformers import SentenceTransformer, models

    torch.manual_seed(dim)
    transformer = models.Transformer(str(weights))
    layer = models.Dense(384, dim, activation_function=torch.nn.Identity())
    made = SentenceTransformer(
        modules=[transformer, models.Pooling(384, pooling_mode=pooling), layer], prompts=prompts, device="cpu"
    )
    made.save(str(folder))
    return folder


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory, weights: Path) -> Path:
    """Return the folder of a model with 128 dimensions, cls pooling and prefixes."""
    folder = tmp_path_factory.mktemp("models") / "small"
    return save(weights, folder, dim=128, pooling="cls", prompts={"query": "query: ", "passage": "passage: "})


@pytest.fixture(scope="session")
def wide(tmp_path_factory: pytest.TempPathFactory, weights: Path) -> Path:
    """Return the folder of a model with 2,560 dimensions, which are stored in half precision."""
    return save(weights, tmp_path_factory.mktemp("models") / "wide", dim=2560, pooling="mean")


@pytest.fixture(scope="module")
def static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a static model of three words, without a vector for other words."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    torch.manual_seed(1)
    words = ("[UNK]", "voice", "river", "home")
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token=words[0]))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    weights = torch.randn(len(words), 16)
    weights[0] = 0
    folder = tmp_path_factory.mktemp("models") / "static"
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_weights=weights.numpy())], device="cpu").save(str(folder))
    return folder
