import { createGoogle } from '@ai-sdk/google'
import {
  checkCount,
  checkCreate,
  checkWrappedCount,
  normalise,
} from '../../../adapters/generate-content/wire.ts'
import { isObject, type Json } from '../../../src/json/json.ts'
import { genaiClient, genaiDriver } from '../../sdk/driver-genai.ts'
import { FROM_CONTENTS } from '../../sdk/odd-generate-content.ts'
import { ODD_REPLIES } from '../../sdk/odd-replies-generate-content.ts'
import { MODEL } from '../../sdk/script.ts'
import { BASE, CALLER_KEY } from '../../sdk/stage.ts'
import { checkRequest } from '../../wire/zod-generate-content.ts'
import { gathered, type Official } from './official.ts'
import { rare } from './rare-generate-content.ts'

function shapes(body: Json, counting: boolean): unknown {
  if (!counting) return checkCreate(body)
  const isWrapped = isObject(body) && body['generateContentRequest'] !== undefined
  return isWrapped ? checkWrappedCount(body) : checkCount(body)
}

export const generateContent: Official = {
  driver: genaiDriver,
  provider: {
    name: '@ai-sdk/google',
    asked: 'gemini-3-pro',
    model: ({ fetch }) =>
      createGoogle({ apiKey: CALLER_KEY, baseURL: `${BASE}/v1beta`, fetch })('gemini-3-pro'),
  },
  async ask(staged) {
    const { models } = genaiClient(staged)
    return (await models.generateContent({ model: 'gemini-3-pro', contents: 'Hello' })).text
  },
  repeats: false,
  iterate: async (staged) =>
    gathered(
      await genaiClient(staged).models.generateContentStream({ model: MODEL, contents: 'x' }),
    ),
  oddRequests: FROM_CONTENTS,
  oddReplies: ODD_REPLIES,
  // All spellings of a member are brought to one before it is checked.
  wire: { shapes, schemas: checkRequest, prepare: normalise, rare },
}
