/** In a Worker of your own; the package's own Worker needs no program. */
import { createApp } from 'dragoman'
import { config } from './config.ts'

interface Variables {
  CLAUDE_KEY: string
  PROXY_KEY: string
}

export default {
  fetch: (request, { CLAUDE_KEY, PROXY_KEY }) =>
    createApp({ ...config, state: { store: 'off' } }, {}, { CLAUDE_KEY, PROXY_KEY }).fetch(request),
} satisfies ExportedHandler<Variables>
