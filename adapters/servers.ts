/** Where a server is found that is known by name. */
export interface Server {
  /** Its hosts, each with all below it; a `*` is one label. None where people run it at an address of their own. */
  hosts?: readonly string[]
  /** Its port on this machine, where nothing else is known to be there by default. */
  port?: number
}

/**
 * Every server that a profile may be named after. The hosts are those of the services' own manuals. Port 8080 of
 * llama.cpp, and 8000 of vLLM, belong to half of all programs, so nothing follows from them.
 */
export const SERVERS = {
  azure: { hosts: ['openai.azure.com'] },
  'bedrock-mantle': { hosts: ['bedrock-mantle.*.api.aws'] },
  cerebras: { hosts: ['api.cerebras.ai'] },
  deepseek: { hosts: ['api.deepseek.com'] },
  fireworks: { hosts: ['api.fireworks.ai'] },
  gemini: { hosts: ['generativelanguage.googleapis.com'] },
  groq: { hosts: ['api.groq.com'] },
  kimi: { hosts: ['api.moonshot.ai', 'api.moonshot.cn', 'api.kimi.com'] },
  litellm: {},
  'llama.cpp': {},
  lmstudio: { port: 1234 },
  minimax: { hosts: ['api.minimax.io', 'api.minimaxi.com'] },
  mistral: { hosts: ['api.mistral.ai', 'codestral.mistral.ai'] },
  ollama: { port: 11434 },
  openai: { hosts: ['api.openai.com'] },
  openrouter: { hosts: ['openrouter.ai'] },
  perplexity: { hosts: ['api.perplexity.ai'] },
  qwen: {
    hosts: ['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com', 'dashscope-us.aliyuncs.com'],
  },
  sglang: {},
  together: { hosts: ['api.together.xyz', 'api.together.ai'] },
  vllm: {},
  xai: { hosts: ['api.x.ai'] },
  zai: { hosts: ['api.z.ai', 'open.bigmodel.cn'] },
} as const satisfies Readonly<Record<string, Server>>

export type ServerName = keyof typeof SERVERS
