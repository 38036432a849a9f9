"""`openai-agents` with a session that is compacted thrice: python session.py URL MODEL FACTS.

Without arguments it shows that its packages are there.
"""
import asyncio
import sys

from agents import Agent, Runner, function_tool, set_default_openai_client, set_tracing_disabled
from agents.memory import OpenAIResponsesCompactionSession, SQLiteSession
from openai import AsyncOpenAI

if len(sys.argv) == 1:
    sys.exit()
url, model, facts = sys.argv[1:]


@function_tool
def exec_command(cmd: str) -> str:
    """Runs a command."""
    return facts if cmd == "cat facts.txt" else "nothing"


async def main():
    client = AsyncOpenAI(base_url=f"{url}/v1", api_key="any")
    set_default_openai_client(client)
    set_tracing_disabled(True)
    agent = Agent(name="worker", model=model, tools=[exec_command])
    kept = SQLiteSession("long")
    session = OpenAIResponsesCompactionSession("long", kept, client=client, model=model)
    for words in ("Go through it.", "Go on.", "Go on."):
        await Runner.run(agent, words, session=session)
        await session.run_compaction({"force": True})
    result = await Runner.run(agent, "What is known?", session=session)
    print(result.final_output)


asyncio.run(main())
