/**
 * Node's server, without an import of its module: an import asks for all names of a module, and some of these load
 * `fetch` and the classes of the web, which takes as long as all else that a bare server needs to start.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
