export { StateObject } from './state/durable.ts'

export default {
  fetch(): Response {
    return new Response('not yet', { status: 501 })
  },
}
