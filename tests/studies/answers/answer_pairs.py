"""Labelled pairs for training: sixty small queries from three templates, in which agreement follows from the wording."""

from __future__ import annotations

from tests.studies.answers.answer_worlds import Doc, Question

_THINGS = [
    "绿茶",
    "咖啡",
    "海鱼",
    "榴莲",
    "西瓜",
    "冰块",
    "香菜",
    "芒果",
    "豆浆",
    "牛奶",
    "花生",
    "菠菜",
    "白酒",
    "蜂蜜",
    "月饼",
    "螃蟹",
    "羊肉",
    "辣椒",
    "土豆",
    "莲藕",
]


def questions() -> list[Question]:
    """Return queries of three templates: may, howlong (Chinese) and need (English)."""
    found = []
    for number, thing in enumerate(_THINGS):
        yes = {f"{thing}是可以吃的": "yes", f"可以适量吃{thing}": "yes"}
        no = {f"不可以吃{thing}": "no", f"{thing}最好别吃": "no"}
        aside = {f"{thing}的产地在南方": "aside"}
        found.append(_question(f"感冒能吃{thing}吗", "may", [yes, no, aside]))
        days = number + 2
        short = {f"大概{days}天": "short", f"冷藏{days}日左右": "short"}
        long = {f"大概{days * 9}天": "long", f"能放{days * 9}日": "long"}
        found.append(_question(f"{thing}能放多久", "howlong", [short, long, {f"{thing}要洗干净": "aside"}]))
        must = {f"Yes, you must bring form {number}": "yes", f"form {number} is required": "yes"}
        not_ = {f"No, you need not bring form {number}": "no", f"form {number} is not required": "no"}
        found.append(_question(f"do I need form {number}", "need", [must, not_, {"Offices close on Sunday": "aside"}]))
    return found


def _question(query: str, template: str, stands: list[dict[str, str]]) -> Question:
    docs = [Doc(f"d{place}", query, "。".join(answers), answers) for place, answers in enumerate(stands, start=1)]
    return Question(query, docs, [], template, ["aside"])
