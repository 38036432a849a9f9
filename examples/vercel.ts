/** As a function of Vercel that answers every path. Methods that it does not export would be refused before it. */
import { createApp } from 'dragoman'
import { handle } from 'hono/vercel'
import { config } from './config.ts'

const answer = handle(createApp(config))

export { answer as DELETE, answer as GET, answer as HEAD, answer as OPTIONS, answer as POST }
