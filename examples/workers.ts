/** In a Worker of your own; the package's own Worker needs no program. */
import { type App, createApp } from 'dragoman'
import { config } from './config.ts'

interface Variables {
  CLAUDE_KEY: string
  PROXY_KEY: string
}

/** One for all requests of an isolate: limits of callers and breakers count in it. */
let app: App | undefined

export default {
  fetch(request, { CLAUDE_KEY, PROXY_KEY }) {
    app ??= createApp({ ...config, state: { store: 'off' } }, {}, { CLAUDE_KEY, PROXY_KEY })
    return app.fetch(request)
  },
} satisfies ExportedHandler<Variables>
