import type { ServerName } from './servers.ts'

/**
 * Where the facts of each profile come from, by server and dialect: the version that was looked at (a month where the
 * server has no versions), and the recorded traffic, the manual or the issue that shows them. Only people read this
 * table, so it is in no Worker.
 */
export const SOURCES: Readonly<Record<ServerName, Readonly<Record<string, Source>>>> = {
  azure: {
    'chat-completions': ['/openai/v1', 'recorded traffic'],
    responses: ['/openai/v1', 'recorded traffic'],
  },
  bedrock: {
    messages: ['2026-11', 'litellm 1.110.2, table of betas; CLIProxyAPI#4750; not measured'],
  },
  'bedrock-invoke': {
    messages: [
      'bedrock-sdk 1.1.3',
      'types of the npm package; @ai-sdk/amazon-bedrock 4.0.186; litellm#19875, litellm#26320; ai#11878',
    ],
  },
  'bedrock-mantle': {
    messages: ['bedrock-sdk 1.1.3', 'types of the npm package; litellm 1.110.2, table of betas'],
    responses: ['2026-11', 'litellm#36528, litellm#36545, litellm#36546, litellm#38227; PR#33228'],
  },
  cerebras: {
    'chat-completions': ['2026-11', 'req_llm, guide for cerebras; recorded traffic'],
  },
  'claude-aws': { messages: ['aws-sdk 1.1.2', 'types of the npm package; not measured'] },
  deepseek: {
    'chat-completions': [
      'v3.2, v4',
      'manual, thinking mode; recorded traffic; pi-mono#3636; qwen-code#3578',
    ],
    messages: ['2026-11', 'manual, anthropic api; 9router#2397'],
    responses: ['litellm 1.106', 'litellm#30722, codex#37822'],
  },
  fireworks: {
    'chat-completions': ['2026-11', 'manual; litellm#26879'],
    responses: ['2026-11', 'manual: replies are kept for 30 days unless declined'],
  },
  foundry: {
    messages: ['foundry-sdk 1.1.1', 'types of the npm package; litellm 1.110.2, table of betas'],
  },
  gemini: {
    'chat-completions': [
      'v1beta/openai',
      'recorded traffic; openclaude#67; securo#884; openhanako#394; guide: logs and datasets',
    ],
  },
  groq: {
    'chat-completions': ['2026-11', 'manual, openai compatibility; jan#8136; recorded traffic'],
    responses: ['2026-11', 'not measured'],
  },
  kimi: {
    'chat-completions': ['k2.5 to k3', 'goose#6902, goose#7222; opencode#16318; continue#11711'],
    messages: ['2026-11', 'manual; not measured'],
  },
  litellm: {
    'chat-completions': ['1.106.2', 'measured; the rest is for the model behind it to say'],
    messages: ['1.106.2', 'measured; the rest is for the model behind it to say'],
    responses: ['1.106.2', 'measured; the rest is for the model behind it to say'],
  },
  'llama.cpp': {
    'chat-completions': ['b10488', 'measured; recorded traffic'],
    messages: ['b10488', 'measured'],
    responses: [
      'b10488',
      'measured; llama.cpp#20156, llama.cpp#22389, llama.cpp#10635, llama.cpp#23465',
    ],
  },
  lmstudio: {
    'chat-completions': ['0.3.29', 'pi-mono; not measured'],
    messages: ['0.4.1', 'manual, changes of the api'],
    responses: ['0.3.29', 'lmstudio-bug-tracker#1810, lmstudio-bug-tracker#1812; lms#537'],
  },
  minimax: {
    'chat-completions': ['m2 to m3', 'manual, text openai api'],
    messages: ['2026-11', 'manual; not measured'],
  },
  mistral: {
    'chat-completions': [
      '2026-11',
      'recorded traffic; litellm#6323; ironclaw#1241; manual, reasoning',
    ],
  },
  ollama: {
    'chat-completions': ['0.13 to 0.33', 'manual, openai compatibility; recorded traffic'],
    messages: ['0.14 to 0.33', 'manual, anthropic compatibility'],
    responses: [
      '0.13.3 to 0.33',
      'ollama#13595, ollama#18284, ollama#17618, ollama#17673; codex#23186',
    ],
  },
  openai: {
    'chat-completions': [
      'openai 7.57.0',
      'types of the npm package; replies recorded without thoughts',
    ],
    responses: ['openai 7.57.0', 'types of the npm package'],
  },
  openrouter: {
    'chat-completions': ['2026-11', 'recorded traffic; agent-framework#2947; ai-sdk-provider#491'],
    responses: ['beta', 'manual, error handling; ai-sdk-provider#482'],
  },
  perplexity: {
    'chat-completions': ['sonar', 'recorded traffic'],
  },
  qwen: {
    'chat-completions': ['dashscope 2026-11', 'recorded traffic; opencodex#196'],
    messages: ['2026-11', 'manual; not measured'],
  },
  sglang: {
    'chat-completions': ['2026-11', 'manual'],
    messages: ['2026-11', 'sglang PR#18630, PR#25876'],
    responses: ['before 2026-09', 'sglang PR#38690, PR#35216'],
  },
  together: {
    'chat-completions': ['2026-11', 'manual; pi-mono'],
  },
  vertex: {
    messages: ['vertex-sdk 1.1.3', 'types of the npm package; claude-code#12429; litellm#22321'],
  },
  vllm: {
    'chat-completions': ['0.12 to 0.23', 'vllm#43203, vllm#41114, vllm#38488; PR#33402'],
    messages: ['0.11 to 0.23', 'vllm PR#53058'],
    responses: ['0.10 to 0.23', 'vllm#46631, PR#22137, PR#46737, PR#45273; PR#56285, PR#57322'],
  },
  xai: {
    'chat-completions': ['2026-11', 'recorded traffic'],
    responses: [
      '2026-11',
      'CLIProxyAPI#3704, CLIProxyAPI#4434, CLIProxyAPI#5257; sub2api#4237; CliRelay#696; opencodex#1105',
    ],
  },
  zai: {
    'chat-completions': ['glm 4.5 to 5', 'manual, thinking mode; recorded traffic'],
    messages: ['2026-11', 'manual; not measured'],
  },
}

type Source = readonly [version: string, source: string]
