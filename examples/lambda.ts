/** On AWS Lambda, with answers that stream. */
import { createApp } from 'dragoman'
import { handle, streamHandle } from 'hono/aws-lambda'
import { config } from './config.ts'

const app = createApp(config)

export const handler = streamHandle(app)
/** Behind what cannot stream. */
export const whole = handle(app)
