/** Where a server with a profile is found. */
export interface Server {
  /**
   * Its hosts; each includes its subdomains. A `*` is one label, or the beginning of one. Absent where everyone runs
   * the server at an address of their own.
   */
  hosts?: readonly string[]
  /** Its cloud, where models there take other things than at their own service. */
  cloud?: string
  /** Its port on this machine, where no other program listens by default. */
  port?: number
}

/**
 * Every server that can have a profile. The hosts are from the services' own manuals. llama.cpp (port 8080) and vLLM
 * (8000) have no port here, because many other programs use the same ones.
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
