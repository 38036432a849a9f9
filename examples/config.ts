import type { Config } from 'dragoman'

/** One upstream for every model; the key is looked up in the variables of the process. */
export const config: Config = {
  upstreams: {
    claude: { dialect: 'messages', url: 'https://upstream.example', key: 'env:CLAUDE_KEY' },
  },
  routes: [{ model: '*', upstream: 'claude', as: 'claude-opus-4-8' }],
  callers: { keys: ['env:PROXY_KEY'] },
}
