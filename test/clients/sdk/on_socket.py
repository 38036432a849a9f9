"""`openai` on a socket: python on_socket.py URL MODEL. A reply, its continuation, an unknown one, and a summary.

Without arguments it shows that its packages are there.
"""
import sys

import websockets  # noqa: F401, what a socket needs besides
from openai import OpenAI

if len(sys.argv) == 1:
    sys.exit()
url, model = sys.argv[1:]
CALL = {"call_id": "call_1", "name": "read"}
WORKED = [
    {"type": "message", "role": "user", "content": "Read it."},
    {"type": "function_call", "arguments": "{}", **CALL},
    {"type": "function_call_output", "call_id": "call_1", "output": "copper"},
]


def next_reply(connection):
    """The text and the response of the next turn, or the error that it ended with."""
    text = ""
    for event in connection:
        if event.type == "response.output_text.delta":
            text += event.delta
        elif event.type == "response.completed":
            return text, event.response
        elif event.type in ("error", "response.failed"):
            return text, event
    raise SystemExit("the socket has ended")


def turn(connection, **members):
    connection.response.create(model=model, store=False, **members)
    return next_reply(connection)


client = OpenAI(base_url=f"{url}/v1", api_key="any")
with client.responses.connect() as connection:
    said, first = turn(connection, input="the word is copper")
    assert said == "You said: the word is copper", (said, first)
    said, second = turn(connection, previous_response_id=first.id, input="go on")
    assert said == "You said: go on", (said, second)
    _, lost = turn(connection, previous_response_id="resp_x", input="x")
    assert lost.error.code == "previous_response_not_found", lost
    _, summed = turn(connection, input=[*WORKED, {"type": "compaction_trigger"}])
    assert [item.type for item in summed.output] == ["compaction"], summed
    items = [item.model_dump(exclude_none=True) for item in summed.output]
    said, last = turn(connection, input=[*items, {"role": "user", "content": "so?"}])
    assert "so?" in said, (said, last)
print("All is done.")
