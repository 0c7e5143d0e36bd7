"""Train a small extractive reader on synthetic questions, in seconds: it finds when, by whom and where something was built."""

from __future__ import annotations

import importlib
import random
from pathlib import Path
from typing import Any

KINDS = {
    "when built": ("in", [str(year) for year in range(1800, 1810)]),
    "who built": ("by", ["anna", "bert", "carl", "dora", "emil", "fred"]),
    "where is": ("near", ["paris", "rome", "oslo", "bern", "lima", "cairo"]),
}
FILLER = ["the", "old", "bridge", "tower", "house", "has", "many", "large", "stone", "gates", "and", "it", "was", "seen", "again"]
POSITIONS = 64
_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
_STEPS = 1500
_ENOUGH = 0.01  # mean loss of ten steps


def passage(facts: dict[str, str], chance: random.Random, *, filler: int = 12) -> str:
    """Write the facts, by question, at random places among other words."""
    parts = [*(f"{KINDS[query][0]} {answer}" for query, answer in facts.items()), *(chance.choice(FILLER) for _ in range(filler))]
    chance.shuffle(parts)
    return " ".join(parts)


def facts(chance: random.Random, *queries: str) -> dict[str, str]:
    return {query: chance.choice(KINDS[query][1]) for query in queries}


def train(folder: Path, *, seed: int = 2, steps: int = _STEPS) -> Path:
    """Save a one-layer BERT for question answering that was trained on random passages; a quarter have no answer."""
    transformers, torch = (importlib.import_module(name) for name in ("transformers", "torch"))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # idle threads would spin
    torch.manual_seed(seed)
    chance = random.Random(seed)
    folder.mkdir()
    words = {*FILLER, *(word for query in KINDS for word in query.split())}
    words |= {word for before, answers in KINDS.values() for word in (before, *answers)}
    (folder / "vocab.txt").write_text("\n".join([*_SPECIAL, *sorted(words)]), encoding="utf-8")
    tokenizer: Any = transformers.BertTokenizer(str(folder / "vocab.txt"))
    model: Any = transformers.BertForQuestionAnswering(
        transformers.BertConfig(
            vocab_size=len(words) + len(_SPECIAL),
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=POSITIONS,
            initializer_range=0.15,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.005)
    losses: list[float] = []
    while len(losses) < steps and not (len(losses) >= 10 and sum(losses[-10:]) < 10 * _ENOUGH):
        queries, texts, targets = [], [], []
        for _ in range(16):
            query = chance.choice([*KINDS])
            others = chance.sample([one for one in KINDS if one != query], chance.randrange(3))
            known = facts(chance, *([query] if chance.random() < 0.75 else []), *others)
            text = passage(known, chance, filler=chance.randrange(53))
            place = len(query.split()) + 2 + text.split().index(known[query]) if query in known else 0
            queries.append(query)
            texts.append(text)
            targets.append(place)
        inputs = tokenizer(queries, texts, padding=True, return_tensors="pt")
        loss = model(**inputs, start_positions=torch.tensor(targets), end_positions=torch.tensor(targets)).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    torch.set_num_threads(threads)
    model.save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return folder
