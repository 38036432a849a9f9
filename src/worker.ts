export default {
  fetch(): Response {
    return new Response('not yet', { status: 501 })
  },
}
