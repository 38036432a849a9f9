/** As a function of Vercel that answers every path. */
import { createApp } from 'dragoman'
import { handle } from 'hono/vercel'
import { config } from './config.ts'

const answer = handle(createApp(config))

export { answer as DELETE, answer as GET, answer as POST }
