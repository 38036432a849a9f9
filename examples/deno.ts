/** On Deno: `deno run --allow-net --allow-env examples/deno.ts`. */
import { createApp } from 'dragoman'
import { config } from './config.ts'

Deno.serve({ port: 3000 }, createApp(config, {}, Deno.env.toObject()).fetch)
