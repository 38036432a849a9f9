/** Alone, on Node. */
import { serve } from '@hono/node-server'
import { createApp } from 'dragoman'
import { config } from './config.ts'

serve(createApp(config), ({ port }) => console.log(`listens on ${port}`))
