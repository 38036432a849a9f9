import { copied } from './copy.js'
import { action, h } from './dom.js'

/** They name the usual port. */
const LINES = [
  ['an agent, over the demo', 'npm start -- launch claude --model demo-responses --inspect'],
  [
    'one request',
    `curl -s http://127.0.0.1:8787/v1/messages -H 'content-type: application/json' -H 'anthropic-version: 2023-06-01' -d '{"model":"demo-responses","max_tokens":256,"messages":[{"role":"user","content":"Hello"}]}'`,
  ],
  [
    'a stream',
    `curl -sN http://127.0.0.1:8787/v1/responses -H 'content-type: application/json' -d '{"model":"demo-messages","stream":true,"input":"Hello"}'`,
  ],
]

/** Before anything has passed. */
export const emptyList = () =>
  h(
    'div.empty',
    h('h2', 'Nothing has passed yet'),
    h(
      'p',
      'Whatever a client asks the proxy is shown here: the client’s request, the upstream’s request and reply, and what the client was told.',
    ),
    h('h3', 'To try with the demo, in another terminal'),
    ...LINES.map(([name, line]) =>
      h(
        'div.line',
        h('span.soft', name),
        h('code', line),
        action('copy', () => copied(name, line)),
      ),
    ),
    h(
      'p.soft',
      'Exchanges are kept in the memory of the process alone: the last 500, at most 32 MB. Keys are masked.',
    ),
  )
