/** What a client has to be told. */
export interface Told {
  /** Where the proxy is. */
  url: string
  model: string
  /** As a shell says it: a word, or a variable. */
  key: string
}

const PROVIDER = (url: string): string =>
  `model_providers.dragoman={name="dragoman",base_url="${url}/v1",wire_api="responses",env_key="PROXY_KEY"}`

/** The clients that most people have, each with the one line that leads it here. */
const CLIENTS: readonly (readonly [string, (told: Told) => string])[] = [
  [
    'Claude Code',
    ({ url, model, key }) =>
      `ANTHROPIC_BASE_URL=${url} ANTHROPIC_AUTH_TOKEN=${key} claude --model ${model}`,
  ],
  [
    'Codex',
    ({ url, model, key }) =>
      `PROXY_KEY=${key} codex -c model_provider='"dragoman"' -c '${PROVIDER(url)}' -m ${model}`,
  ],
  // It takes the key only where its settings say so: the variables alone make it choose another way.
  [
    'Gemini CLI',
    ({ url, model, key }) =>
      `GOOGLE_GEMINI_BASE_URL=${url} GEMINI_API_KEY=${key} gemini -m ${model}  # with "selectedType": "gemini-api-key" in its settings`,
  ],
  ['SDKs', ({ url }) => `base URL ${url}, for those of OpenAI and the AI SDK ${url}/v1`],
]

/** One row per client. */
export const clientRows = (told: Told): string[][] =>
  CLIENTS.map(([name, line]) => [name, line(told)])
