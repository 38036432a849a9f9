import { KNOWN_PROFILES, type ProfileRow } from '../config/profiles.ts'

/**
 * Where the facts of each profile come from, by its dialect and name: the version with which they were seen (a day
 * where the server has no versions), and the recorded traffic, the manual, or the issue that shows them. It is for
 * people, so a Worker is not given it.
 */
const SOURCES: Readonly<Record<string, readonly [version: string, source: string]>> = {
  'chat-completions azure': ['/openai/v1', 'recorded traffic'],
  'chat-completions cerebras': ['2026-11', 'req_llm, guide for cerebras; recorded traffic'],
  'chat-completions deepseek': [
    'v3.2, v4',
    'manual, thinking mode; recorded traffic; pi-mono#3636; qwen-code#3578',
  ],
  'chat-completions fireworks': ['2026-11', 'manual; litellm#26879'],
  'chat-completions gemini': ['v1beta/openai', 'recorded traffic; openclaude#67; securo#884'],
  'chat-completions groq': ['2026-11', 'manual, openai compatibility; jan#8136; recorded traffic'],
  'chat-completions kimi': ['k2.5 to k3', 'goose#6902, goose#7222; opencode#16318; continue#11711'],
  'chat-completions litellm': ['1.106.2', 'measured; the rest is for the model behind it to say'],
  'chat-completions llama.cpp': ['b10488', 'measured; recorded traffic'],
  'chat-completions lmstudio': ['0.3.29', 'pi-mono; not measured'],
  'chat-completions minimax': ['m2 to m3', 'manual, text openai api'],
  'chat-completions mistral': [
    '2026-11',
    'recorded traffic; litellm#6323; ironclaw#1241; manual, reasoning',
  ],
  'chat-completions ollama': ['0.13 to 0.33', 'manual, openai compatibility; recorded traffic'],
  'chat-completions openai': [
    'openai 7.57.0',
    'types of the npm package; replies recorded without thoughts',
  ],
  'chat-completions openrouter': [
    '2026-11',
    'recorded traffic; agent-framework#2947; ai-sdk-provider#491',
  ],
  'chat-completions perplexity': ['sonar', 'recorded traffic'],
  'chat-completions qwen': ['dashscope 2026-11', 'recorded traffic; opencodex#196'],
  'chat-completions sglang': ['2026-11', 'manual'],
  'chat-completions together': ['2026-11', 'manual; pi-mono'],
  'chat-completions vllm': ['0.12 to 0.23', 'vllm#43203, vllm#41114, vllm#38488; PR#33402'],
  'chat-completions xai': ['2026-11', 'recorded traffic'],
  'chat-completions zai': ['glm 4.5 to 5', 'manual, thinking mode; recorded traffic'],
  'messages deepseek': ['2026-11', 'manual, anthropic api; 9router#2397'],
  'messages kimi': ['2026-11', 'manual; not measured'],
  'messages litellm': ['1.106.2', 'measured; the rest is for the model behind it to say'],
  'messages llama.cpp': ['b10488', 'measured'],
  'messages lmstudio': ['0.4.1', 'manual, changes of the api'],
  'messages minimax': ['2026-11', 'manual; not measured'],
  'messages ollama': ['0.14 to 0.33', 'manual, anthropic compatibility'],
  'messages qwen': ['2026-11', 'manual; not measured'],
  'messages sglang': ['2026-11', 'sglang PR#18630, PR#25876'],
  'messages vllm': ['0.11 to 0.23', 'vllm PR#53058'],
  'messages zai': ['2026-11', 'manual; not measured'],
  'responses azure': ['/openai/v1', 'recorded traffic'],
  'responses bedrock-mantle': [
    '2026-11',
    'litellm#36528, litellm#36545, litellm#36546, litellm#38227; PR#33228',
  ],
  'responses deepseek': ['litellm 1.106', 'litellm#30722, codex#37822'],
  'responses fireworks': ['2026-11', 'manual: replies are kept for 30 days unless declined'],
  'responses groq': ['2026-11', 'not measured'],
  'responses litellm': ['1.106.2', 'measured; the rest is for the model behind it to say'],
  'responses llama.cpp': [
    'b10488',
    'measured; llama.cpp#20156, llama.cpp#22389, llama.cpp#10635, llama.cpp#23465',
  ],
  'responses lmstudio': ['0.3.29', 'lmstudio-bug-tracker#1810, lmstudio-bug-tracker#1812; lms#537'],
  'responses ollama': [
    '0.13.3 to 0.33',
    'ollama#13595, ollama#18284, ollama#17618, ollama#17673; codex#23186',
  ],
  'responses openai': ['openai 7.57.0', 'types of the npm package'],
  'responses openrouter': ['beta', 'manual, error handling; ai-sdk-provider#482'],
  'responses sglang': ['before 2026-09', 'sglang PR#38690, PR#35216'],
  'responses vllm': [
    '0.10 to 0.23',
    'vllm#46631, PR#22137, PR#46737, PR#45273; PR#56285, PR#57322',
  ],
  'responses xai': [
    '2026-11',
    'CLIProxyAPI#3704, CLIProxyAPI#4434, CLIProxyAPI#5257; sub2api#4237; CliRelay#696; opencodex#1105',
  ],
}

/** A profile with where its facts come from. */
interface SourcedProfile extends ProfileRow {
  version: string
  source: string
}

export const SOURCED_PROFILES: readonly SourcedProfile[] = KNOWN_PROFILES.map((row) => {
  const [version = '', source = ''] = SOURCES[`${row.dialect} ${row.name}`] ?? []
  return { ...row, version, source }
})
