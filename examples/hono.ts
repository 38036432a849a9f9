/** In an app of Hono on Node, below a path: clients are told http://127.0.0.1:3000/llm. */
import { serve } from '@hono/node-server'
import { createApp } from 'dragoman'
import { Hono } from 'hono'
import { config } from './config.ts'

const app = new Hono()
app.get('/', (context) => context.text('Hello'))
app.route('/llm', createApp(config, { log: (entry) => console.log(JSON.stringify(entry)) }))

serve({ fetch: app.fetch, port: 3000 })
