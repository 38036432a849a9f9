import { adapters } from '../../adapters/index.ts'
import { writeSample } from '../exchange/sample.ts'

const ORIGIN = 'http://127.0.0.1'

/** The explanation of one request, by the same route that answers it over HTTP. */
export async function explainFile(
  answer: (request: Request) => Promise<Response>,
  path: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<{ text: string; ok: boolean }> {
  const response = await answer(
    new Request(`${ORIGIN}/explain${path}`, { method: 'POST', headers: headersFor(path), body }),
  )
  return { text: indented(await response.text()), ok: response.ok }
}

/** The headers that a client of the path's dialect sends: its version, where there is one. */
function headersFor(path: string): Record<string, string> {
  const url = new URL(path, ORIGIN)
  const incoming = { method: 'POST', path: url.pathname, query: url.searchParams }
  const adapter = adapters.find(({ caller }) => caller.match(incoming))
  return { 'content-type': 'application/json', ...(adapter && writeSample(adapter, 'any').headers) }
}

/** Readable, where that changes nothing but white space: numbers beyond the exact ones stay as they came. */
function indented(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
}
