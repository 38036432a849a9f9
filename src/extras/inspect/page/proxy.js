// What the proxy is asked.

// The token comes in the fragment, which no request carries; it is not left in the address.
const fragment = location.hash.slice(1)
if (fragment) {
  sessionStorage.setItem('token', fragment)
  history.replaceState(null, '', '/')
}
// A proxy that was started again on the same port has another token, and an address that differs in it loads nothing.
addEventListener('hashchange', () => location.reload())
export const ask = (path, body) =>
  fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${sessionStorage.getItem('token') ?? ''}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
export const asked = async (path, body) => {
  const reply = await ask(path, body)
  if (!reply.ok) throw new Error(`${path}: ${reply.status}`)
  return reply.status === 204 ? undefined : reply.json()
}
