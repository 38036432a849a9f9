import { dialog, escaped, h, el } from './dom.js'
import { parsed } from './tree.js'

const NOT_WHOLE = 'The body was not kept whole, or is no text.'

export async function copied(what, text, note = '') {
  const state = el('p', { role: 'status' })
  if (!text) return dialog(what, h('p', NOT_WHOLE))
  dialog(what, state, h('p.warn', note), el('pre', { tabIndex: 0 }, text))
  try {
    await navigator.clipboard.writeText(text)
    state.textContent = 'This is in the clipboard.'
  } catch {
    state.textContent = 'The browser did not let it into the clipboard; it can be copied from here.'
  }
}

/** For a shell. Signs of control would be keys to the terminal that it is pasted into. */
const quoted = (text) =>
  /[^\P{Cc}\n\t]/u.test(text)
    ? `$'${text.replace(/['\\]/g, '\\$&').replace(/\p{Cc}/gu, escaped)}'`
    : `'${text.replaceAll("'", `'\\''`)}'`
/** A key stands there as a variable of the shell: the real one is not known here. */
const withKey = (text) => text.split('***').map(quoted).join('"$PROXY_KEY"')

export const copiedCurl = (x) => {
  const { text, cut } = x.came.body
  return copied('curl', curlOf(x), cut || text === undefined ? NOT_WHOLE : '')
}

/** The body was unpacked before it was kept. */
const UNSENT =
  /^(?:host|connection|cookie|content-(?:length|encoding)|accept-encoding|transfer-encoding)$/

function curlOf({
  method,
  url,
  came: {
    headers,
    body: { text },
  },
}) {
  const host = headers.find(([name]) => name === 'host')?.[1] ?? '127.0.0.1:8787'
  const sent = headers
    .filter(([name]) => !UNSENT.test(name))
    .map(
      ([name, value]) =>
        `-H ${withKey(`${name}: ${name === 'authorization' && value === '***' ? 'Bearer ***' : value}`)}`,
    )
  return [
    `curl ${withKey(`http://${host}${url}`)}`,
    // Brackets in an address are patterns to curl, and so is an @ before a body the name of a file.
    ...(/[[{]/.test(url) ? ['-g'] : []),
    ...(method === 'POST' && text ? [] : [`-X ${method}`]),
    ...sent,
    ...(text ? [`--data-${text.startsWith('@') ? 'raw' : 'binary'} ${quoted(text)}`] : []),
  ].join(' \\\n  ')
}

/** What went and upstream reply, as one recorded exchange of the upstream's dialect. */
export function replayOf(x, call) {
  if (!call?.status || call.body.cut || call.reply.cut) return ''
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
