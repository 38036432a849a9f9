/** Where a server is found that is known by name. */
export interface Server {
  /**
   * Its hosts, each with all below it; a `*` is one label, or the beginning of one. None where people run it at an
   * address of their own.
   */
  hosts?: readonly string[]
  /** The cloud that it is a part of, where that takes other things of models than their own service does. */
  cloud?: string
  /** Its port on this machine, where nothing else is known to be there by default. */
  port?: number
}

/**
 * Every server that a profile may be named after. The hosts are those of the services' own manuals. Port 8080 of
 * llama.cpp, and 8000 of vLLM, belong to half of all programs, so nothing follows from them.
 */
export const SERVERS = {
  azure: {
    hosts: ['openai.azure.com', 'services.ai.azure.com', 'cognitiveservices.azure.com'],
    cloud: 'azure',
  },
  bedrock: {
    hosts: [
      'bedrock-runtime.*.amazonaws.com',
      'bedrock-runtime.*.amazonaws.com.cn',
      'bedrock-runtime.*.amazonaws.eu',
    ],
    cloud: 'bedrock',
  },
  'bedrock-invoke': { cloud: 'bedrock' },
  'bedrock-mantle': { hosts: ['bedrock-mantle.*.api.aws'], cloud: 'bedrock' },
  cerebras: { hosts: ['api.cerebras.ai'] },
  'claude-aws': { hosts: ['aws-external-anthropic.*.api.aws'] },
  deepseek: { hosts: ['api.deepseek.com'] },
  fireworks: { hosts: ['api.fireworks.ai'] },
  foundry: { hosts: ['services.ai.azure.com'], cloud: 'azure' },
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
  vertex: {
    hosts: [
      'aiplatform.googleapis.com',
      '*-aiplatform.googleapis.com',
      'aiplatform.*.rep.googleapis.com',
    ],
    cloud: 'vertex',
  },
  vllm: {},
  xai: { hosts: ['api.x.ai'] },
  zai: { hosts: ['api.z.ai', 'open.bigmodel.cn'] },
} as const satisfies Readonly<Record<string, Server>>

export type ServerName = keyof typeof SERVERS
