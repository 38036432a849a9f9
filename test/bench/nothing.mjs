/** The smallest server there is: what a process costs that does nothing. */
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  request.resume().on('end', () => response.end('{}'))
})
server.listen(0, '127.0.0.1', () => {
  console.log(`listens on http://127.0.0.1:${server.address().port}`)
})
process.on('SIGTERM', () => process.exit())
