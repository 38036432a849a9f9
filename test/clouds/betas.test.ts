import { describe, expect, it } from 'vitest'
import {
  answer,
  ASKED,
  cloudSite,
  MESSAGE,
  type CloudSite,
  type Sent,
  type Upstream,
} from './site.ts'

const KEY = 'a-key-of-the-cloud-0123'
const HOSTS: Record<string, string> = {
  bedrock: 'https://bedrock-runtime.us-east-1.amazonaws.com/anthropic',
  'bedrock-mantle': 'https://bedrock-mantle.us-east-1.api.aws/anthropic',
  'bedrock-invoke': 'https://bedrock-runtime.us-east-1.amazonaws.com',
  vertex: 'https://aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/anthropic',
  foundry: 'https://r.services.ai.azure.com/anthropic',
}

/** As Claude Code sends them. */
const ALL = [
  'claude-code-20250219',
  'oauth-2025-04-20',
  'interleaved-thinking-2025-05-14',
  'context-management-2025-06-27',
  'prompt-caching-scope-2026-01-05',
  'fast-mode-2026-02-01',
  'unheard-of-2027-01-01',
]

const siteOf = (profile: string, more: Partial<Upstream> = {}): CloudSite =>
  cloudSite(
    { c: { dialect: 'messages', url: HOSTS[profile] ?? '', key: KEY, profile, ...more } },
    () => answer(MESSAGE),
  )

const lossesOf = (reply: Response): string => reply.headers.get('x-dragoman-losses') ?? ''

const betasSent = ({ sent }: CloudSite, at = 0): string[] => {
  const listed = sent[at]?.body['anthropic_beta']
  if (Array.isArray(listed)) return listed.map(String)
  return (sent[at]?.headers['anthropic-beta'] ?? '').split(',').filter(Boolean)
}

const managed = (edits: unknown[]) => ({ ...ASKED, context_management: { edits } })

describe('betas at clouds', () => {
  it.each(Object.keys(HOSTS))('%s is sent those that it takes, passing', async (profile) => {
    const site = siteOf(profile)
    const reply = await site.fetch('/v1/messages', ASKED, { 'anthropic-beta': ALL.join(',') })
    expect(reply.status).toBe(200)
    const sent = betasSent(site)
    expect(sent).toContain('claude-code-20250219')
    expect(sent).toContain('context-management-2025-06-27')
    for (const out of ['oauth-2025-04-20', 'fast-mode-2026-02-01', 'unheard-of-2027-01-01']) {
      expect(sent).not.toContain(out)
      expect(lossesOf(reply)).toContain(`dropped betas.${out}`)
    }
  })

  it('what a beta is for goes with it, and the rest of the bytes stay', async () => {
    const site = siteOf('bedrock')
    const system = [
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral', scope: 'global' } },
    ]
    const tools = [
      { name: 'f', input_schema: { type: 'object' } },
      { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-5' },
      { type: 'web_fetch_20250910', name: 'web_fetch' },
    ]
    const body = { ...ASKED, speed: 'fast', system, tools }
    const betas = 'fast-mode-2026-02-01,advisor-tool-2026-03-01,prompt-caching-scope-2026-01-05'
    const reply = await site.fetch('/v1/messages', body, { 'anthropic-beta': betas })
    expect(site.sent[0]?.body).toEqual({
      ...ASKED,
      system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }],
      tools: [tools[0]],
    })
    expect(site.sent[0]?.headers).not.toHaveProperty('anthropic-beta')
    for (const lost of [
      'dropped betas.fast-mode-2026-02-01',
      'dropped tier',
      'dropped betas.advisor-tool-2026-03-01',
      'dropped tools.web-fetch',
      'dropped betas.prompt-caching-scope-2026-01-05',
    ])
      expect(lossesOf(reply)).toContain(lost)
  })

  it('what translation adds goes through the same sieve', async () => {
    const site = siteOf('bedrock', {
      profile: { extends: 'bedrock', betas: ['!mcp-client-2025-11-20'] },
    })
    const reply = await site.fetch('/v1/responses', {
      model: 'claude-sonnet-4-5',
      input: 'hi',
      tools: [
        {
          type: 'mcp',
          server_label: 's',
          server_url: 'https://mcp.example',
          require_approval: 'never',
        },
        { type: 'function', name: 'f', parameters: { type: 'object' } },
      ],
    })
    expect(site.sent[0]?.headers).not.toHaveProperty('anthropic-beta')
    expect(site.sent[0]?.body).not.toHaveProperty('mcp_servers')
    expect(JSON.stringify(site.sent[0]?.body['tools'])).not.toContain('mcp_toolset')
    expect(lossesOf(reply)).toContain('dropped betas.mcp-client-2025-11-20')
  })

  it.each(['bedrock', 'bedrock-mantle', 'bedrock-invoke', 'vertex'])(
    'so do the blocks of the conversation that need it: %s',
    async (profile) => {
      const site = siteOf(profile)
      const file = { type: 'document', title: 'a.pdf', source: { type: 'file', file_id: 'file_1' } }
      const call = {
        type: 'mcp_tool_use',
        id: 'mcptoolu_1',
        name: 'f',
        server_name: 's',
        input: {},
      }
      const result = { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', content: [] }
      const said = { type: 'text', text: 'b' }
      const asked = [
        { role: 'user', content: [said, file] },
        { role: 'assistant', content: [call, result, said] },
        { role: 'user', content: 'a' },
        { role: 'assistant', content: [call, result] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [file] }] },
      ]
      const reply = await site.fetch(
        '/v1/messages',
        { ...ASKED, messages: asked },
        { 'anthropic-beta': 'mcp-client-2025-11-20,files-api-2025-04-14' },
      )
      const left = { type: 'text', text: '[a.pdf left out]' }
      expect(site.sent[0]?.body['messages']).toEqual([
        { role: 'user', content: [said, left] },
        { role: 'assistant', content: [said] },
        asked[2],
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [left] }] },
      ])
      for (const lost of [
        'betas.mcp-client-2025-11-20',
        'betas.files-api-2025-04-14',
        'turns.0.blocks.1',
        'turns.1.blocks.0',
        'turns.3.blocks.1',
      ])
        expect(lossesOf(reply)).toContain(`dropped ${lost}`)
      const taken = siteOf('foundry')
      await taken.fetch('/v1/messages', { ...ASKED, messages: asked })
      expect(taken.sent[0]?.body['messages']).toEqual(asked)
    },
  )

  it('a summary goes with its beta, and other edits of the context stay', async () => {
    const site = siteOf('foundry')
    const cleared = { type: 'clear_tool_uses_20250919' }
    const betas = { 'anthropic-beta': 'context-management-2025-06-27,compact-2026-01-12' }
    await site.fetch('/v1/messages', managed([cleared, { type: 'compact_20260112' }]), betas)
    expect(site.sent[0]?.body).toEqual(managed([cleared]))
    expect(site.sent[0]?.headers['anthropic-beta']).toBe('context-management-2025-06-27')
    await site.fetch('/v1/messages', managed([{ type: 'compact_20260112' }]), betas)
    expect(site.sent[1]?.body).toEqual(ASKED)
  })

  it('the search for tools has another name at clouds', async () => {
    const site = siteOf('vertex')
    await site.fetch('/v1/messages', ASKED, { 'anthropic-beta': 'advanced-tool-use-2025-11-20' })
    expect(betasSent(site)).toEqual(['tool-search-tool-2025-10-19'])
  })

  it('the configuration says which pass', async () => {
    const allowed = siteOf('bedrock', { profile: { extends: 'bedrock', betas: ['oauth-*'] } })
    await allowed.fetch('/v1/messages', ASKED, { 'anthropic-beta': ALL.join(', ') })
    expect(betasSent(allowed)).toEqual(['oauth-2025-04-20'])
    const refused = siteOf('bedrock', { profile: { betas: ['!oauth-*', '!fast-mode-2026-02-01'] } })
    await refused.fetch('/v1/messages', ASKED, { 'anthropic-beta': ALL.join(',') })
    expect(betasSent(refused)).toEqual(ALL.filter((beta) => !/^(?:oauth|fast-mode)-/.test(beta)))
  })

  it('all pass where nothing is said, byte for byte', async () => {
    const site = cloudSite(
      { c: { dialect: 'messages', url: 'https://api.anthropic.com', key: KEY } },
      () => answer(MESSAGE),
    )
    const text = JSON.stringify({ ...ASKED, speed: 'fast' }, null, 1)
    const reply = await site.fetch('/v1/messages', text, { 'anthropic-beta': ALL.join(',') })
    expect(site.sent[0]?.text).toBe(text)
    expect(site.sent[0]?.headers['anthropic-beta']).toBe(ALL.join(','))
    expect(lossesOf(reply)).toBe('')
  })
})

/** A service that refuses some of the betas, by their names or without. */
const refusing =
  (out: readonly string[], isNamed = true) =>
  ({ headers, body }: Sent) => {
    const listed = body['anthropic_beta']
    const sent = Array.isArray(listed)
      ? listed.map(String)
      : (headers['anthropic-beta'] ?? '').split(',')
    const bad = sent.filter((beta) => out.includes(beta))
    if (bad.length === 0) return answer(MESSAGE)
    const message = isNamed
      ? `Unexpected value(s) \`${bad.join('`, `')}\` for the \`anthropic-beta\` header.`
      : 'invalid beta flag'
    return answer({ type: 'error', error: { type: 'invalid_request_error', message } }, 400)
  }

describe('a beta that a cloud refuses', () => {
  const OUT = 'context-management-2025-06-27'
  const body = { ...ASKED, context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }
  const betas = { 'anthropic-beta': `claude-code-20250219,${OUT}` }
  const sited = (profile: string, isNamed = true, more: Partial<Upstream> = {}) =>
    cloudSite(
      { c: { dialect: 'messages', url: HOSTS[profile] ?? '', key: KEY, profile, ...more } },
      refusing([OUT], isNamed),
    )

  it.each(Object.keys(HOSTS))(
    'is learnt, and the request is repeated once: %s',
    async (profile) => {
      const site = sited(profile)
      const reply = await site.fetch('/v1/messages', body, betas)
      expect(reply.status).toBe(200)
      expect(site.sent).toHaveLength(2)
      expect(betasSent(site, 1)).toEqual(['claude-code-20250219'])
      expect(site.sent[1]?.body).not.toHaveProperty('context_management')
      expect(lossesOf(reply)).toContain(`dropped betas.${OUT}`)
      expect(lossesOf(reply)).toContain('dropped context_management')
      const next = await site.fetch('/v1/messages', body, betas)
      expect(next.status).toBe(200)
      expect(site.sent).toHaveLength(3)
      expect(lossesOf(next)).toContain(`dropped betas.${OUT}`)
    },
  )

  it('is learnt of what translation adds, too, and of a count', async () => {
    const site = cloudSite(
      { c: { dialect: 'messages', url: HOSTS['foundry'] ?? '', key: KEY, profile: 'foundry' } },
      refusing(['mcp-client-2025-11-20', OUT]),
    )
    const reply = await site.fetch('/v1/responses', {
      model: 'claude-sonnet-4-5',
      input: 'hi',
      tools: [
        {
          type: 'mcp',
          server_label: 's',
          server_url: 'https://mcp.example',
          require_approval: 'never',
        },
        { type: 'function', name: 'f', parameters: { type: 'object' } },
      ],
    })
    expect(reply.status).toBe(200)
    expect(site.sent).toHaveLength(2)
    expect(site.sent[1]?.body).not.toHaveProperty('mcp_servers')
    await site.fetch('/v1/messages/count_tokens', { model: 'm', messages: ASKED.messages }, betas)
    expect(site.sent).toHaveLength(4)
  })

  it('is told as it is where the refusal names none, with what to say of it', async () => {
    const site = sited('bedrock', false)
    const reply = await site.fetch('/v1/messages', body, betas)
    expect(reply.status).toBe(400)
    expect(site.sent).toHaveLength(1)
    const { error } = (await reply.json()) as { error: { message: string } }
    expect(error.message).toContain('invalid beta flag')
    expect(error.message).toContain('upstreams.c.profile: {"extends":"bedrock","betas":["!NAME"]}')
  })

  it('is refused as ever where nothing is said of betas', async () => {
    const site = sited('bedrock', true, { profile: 'none' })
    expect((await site.fetch('/v1/messages', body, betas)).status).toBe(400)
    expect(site.sent).toHaveLength(1)
  })

  it('another refusal is told word for word, and nothing is repeated', async () => {
    const words = { type: 'error', error: { type: 'invalid_request_error', message: `no ${OUT}` } }
    const site = cloudSite(
      { c: { dialect: 'messages', url: HOSTS['bedrock'] ?? '', key: KEY, profile: 'bedrock' } },
      () => answer(words, 400),
    )
    const reply = await site.fetch('/v1/messages', body, betas)
    expect(await reply.json()).toEqual(words)
    expect(site.sent).toHaveLength(1)
  })
})
