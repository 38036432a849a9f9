/**
 * In Next.js, as app/llm/[[...path]]/route.ts with config.ts beside it; `"allowImportingTsExtensions": true` belongs
 * into its tsconfig.json.
 */
import { type App, createApp } from 'dragoman'
import { config } from './config.ts'

let app: App | undefined

/** The first request makes the app, because `next build` loads this file too, and often without the keys. */
function answer(request: Request): Response | Promise<Response> {
  app ??= createApp(config, { basePath: '/llm' })
  return app.fetch(request)
}

export { answer as DELETE, answer as GET, answer as OPTIONS, answer as POST }
