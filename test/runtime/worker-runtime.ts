import { type BuildOptions, build } from 'esbuild'
import { Miniflare } from 'miniflare'

interface WorkerParts {
  /** What is bundled, as the Worker is for a deploy. */
  source: Pick<BuildOptions, 'entryPoints' | 'stdin'>
  variables: Readonly<Record<string, string>>
  /** Told what it writes to its log. */
  hear?: (line: string) => void
}

/** A Worker in its own runtime, which listens on this machine. */
export async function startWorker({ source, variables, hear }: WorkerParts): Promise<Miniflare> {
  const { outputFiles } = await build({
    ...source,
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    external: ['cloudflare:*', 'node:*'],
    conditions: ['workerd', 'worker', 'browser'],
  })
  const contents = outputFiles[0]?.text ?? ''
  const values = Object.entries(variables).map(([name, value]) => [name, { type: 'text', value }])
  return new Miniflare({
    host: '127.0.0.1',
    port: 0,
    ...(hear && { handleStructuredLogs: ({ message }: { message: string }) => hear(message) }),
    workers: [
      {
        config: {
          name: 'dragoman',
          compatibilityDate: '2026-10-20',
          compatibilityFlags: ['enable_request_signal'],
          manifest: {
            mainModule: 'worker.mjs',
            modules: { 'worker.mjs': { type: 'esm', contents } },
          },
          env: Object.fromEntries(values),
        },
      },
    ],
  })
}
