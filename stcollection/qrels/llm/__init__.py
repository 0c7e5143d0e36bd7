"""Language models as judges, over any endpoint that speaks OpenAI's protocol.

``template`` reads prompt files, ``endpoint`` says where a model is and ``client`` asks it one question, ``asking`` many at once
within a ``budget``; none of these knows what is asked. ``grades`` reads answers, ``store`` keeps them, ``judge`` puts all together.
"""
