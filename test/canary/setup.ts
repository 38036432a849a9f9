import { afterEach, expect, vi } from 'vitest'
import { look, takeLeaks, watched, watchedAnswer } from './watch.ts'

/** Before every file of the suite: whatever its apps say is looked at, and a secret in it fails its test. */

vi.mock('../../src/http/router.ts', async (original) => {
  const real = await original<typeof import('../../src/http/router.ts')>()
  const answerRequest: typeof real.answerRequest = (site, ...rest) =>
    real.answerRequest(watched(site), ...rest)
  return { ...real, answerRequest }
})
vi.mock('../../src/http/respond.ts', async (original) => {
  const real = await original<typeof import('../../src/http/respond.ts')>()
  const toResponse: typeof real.toResponse = (answer, ...rest) =>
    real.toResponse(watchedAnswer(answer), ...rest)
  return { ...real, toResponse }
})

for (const level of ['log', 'info', 'warn', 'error'] as const) {
  const real = console[level]
  console[level] = (...values: unknown[]) => {
    look(values.map(String).join(' '), `console.${level}`)
    real(...values)
  }
}

afterEach(() => {
  expect(takeLeaks()).toEqual([])
})
