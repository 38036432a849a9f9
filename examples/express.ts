/** In Express, below a path, in front of whatever parses bodies. */
import { getRequestListener } from '@hono/node-server'
import { createApp } from 'dragoman'
import express from 'express'
import { config } from './config.ts'

const server = express()
server.use('/llm', getRequestListener(createApp(config).fetch))
server.listen(3000)
