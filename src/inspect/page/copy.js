import { dialog, h } from './dom.js'
import { parsed } from './tree.js'

export async function copied(what, text) {
  const state = h('p', { role: 'status' })
  dialog(what, state, h('pre', { tabIndex: 0 }, text))
  try {
    await navigator.clipboard.writeText(text)
    state.textContent = 'This is in the clipboard.'
  } catch {
    state.textContent = 'The browser did not let it into the clipboard; it can be copied from here.'
  }
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`
/** A key stands there as a variable of the shell: the real one is not known here. */
const withKey = (text) => quoted(text).replaceAll('***', `'"$PROXY_KEY"'`)

export function curlOf(x) {
  const host = x.came.headers.find(([name]) => name === 'host')?.[1] ?? '127.0.0.1:8787'
  const kept = x.came.headers.filter(
    ([name]) =>
      !/^(?:host|content-length|connection|accept-encoding|transfer-encoding|cookie)$/.test(name),
  )
  const headers = kept.map(
    ([name, value]) =>
      `-H ${withKey(`${name}: ${name === 'authorization' && value === '***' ? 'Bearer ***' : value}`)}`,
  )
  const body = x.came.body.text ? [`--data-binary ${quoted(x.came.body.text)}`] : []
  return [
    `curl ${withKey(`http://${host}${x.url}`)}`,
    ...(x.method === 'POST' ? [] : [`-X ${x.method}`]),
    ...headers,
    ...body,
  ].join(' \\\n  ')
}

/** What went and what came back, as one recorded exchange of the upstream's dialect. */
export function replayOf(x, call) {
  if (!call) return ''
  const isStream = /event-stream/.test(call.repliedType ?? '')
  return JSON.stringify({
    id: x.id ?? `exchange-${x.number}`,
    dialect: x.upstreamDialect,
    op: 'create',
    model: x.sentModel,
    kind: isStream ? 'sse' : 'json',
    request: {
      method: call.method,
      path: call.url.replace(/^\w+:\/\/[^/]*/, ''),
      body: parsed(call.body.text ?? '')?.value,
    },
    response: {
      status: call.status,
      ...(isStream ? { sse: call.reply.text } : { body: parsed(call.reply.text ?? '')?.value }),
    },
  })
}
