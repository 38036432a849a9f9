/** In Next.js, as app/llm/[[...path]]/route.ts. */
import { createApp } from 'dragoman'
import { Hono } from 'hono'
import { handle } from 'hono/vercel'
import { config } from './config.ts'

const answer = handle(new Hono().route('/llm', createApp(config)))

export { answer as DELETE, answer as GET, answer as POST }
