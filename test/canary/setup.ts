import { afterEach, expect, vi } from 'vitest'
import { forgetKeys, takeLeaks, watchConsole, watched, watchedAnswer } from './watch.ts'

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

watchConsole()
forgetKeys()

afterEach(() => {
  expect(takeLeaks()).toEqual([])
})
