import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError } from '../../config/config.ts'
import { type JsonObject, listOf, objectIn } from '../../json/json.ts'
import { readMembers } from './claude.ts'
import {
  type Client,
  given,
  holdsKeys,
  outputBound,
  type LaunchFacts,
  type LaunchModel,
} from './client.ts'

/** Variables that choose another service or another sign-in (Gemini CLI 0.61.0). */
const ELSEWHERE = [
  'GOOGLE_API_KEY',
  'GOOGLE_GENAI_USE_VERTEXAI',
  'GOOGLE_GENAI_USE_GCA',
  'GOOGLE_VERTEX_BASE_URL',
  'GEMINI_CLI_USE_COMPUTE_ADC',
  'GEMINI_API_KEY_AUTH_MECHANISM',
]

const API_KEY = 'gemini-api-key'
const PROFILE = '.gemini'
const SETTINGS = `${PROFILE}/settings.json`

/**
 * Gemini CLI (0.61.0) with a base URL alone chooses a sign-in that its own check refuses, and its settings win over
 * the environment. So it gets a profile of its own, in which everything else is the user's.
 */
export const gemini: Client = {
  name: 'gemini',
  title: 'Gemini CLI',
  npm: '@google/gemini-cli',
  places: ['.local/bin'],
  path: '/v1beta/models/model:streamGenerateContent',
  overruling: [],
  start(facts) {
    checkFolder(facts)
    const headers = facts.environment['GEMINI_CLI_CUSTOM_HEADERS']
    return {
      set: given({
        GEMINI_CLI_HOME: facts.folder,
        GOOGLE_GEMINI_BASE_URL: facts.url,
        GEMINI_API_KEY: facts.key,
        GEMINI_MODEL: facts.model?.id,
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      }),
      unset: holdsKeys(headers) ? [...ELSEWHERE, 'GEMINI_CLI_CUSTOM_HEADERS'] : ELSEWHERE,
      args: [],
      files: { [SETTINGS]: `${JSON.stringify(profileFor(facts), null, 2)}\n` },
      links: linksTo(join(findHome(facts), PROFILE)),
    }
  },
}

const findHome = ({ environment, home }: LaunchFacts): string =>
  environment['GEMINI_CLI_HOME'] || home

const selected = (settings: JsonObject): unknown =>
  objectIn(objectIn(settings['security'])['auth'])['selectedType']

/** The settings of the folder win over those of the user, so they are checked. */
function checkFolder({ directory }: LaunchFacts): void {
  const file = resolve(directory, SETTINGS)
  const type = selected(readMembers(file))
  if (type !== undefined && type !== API_KEY)
    throw new ConfigError(
      file,
      'the settings of this folder choose another way to sign in; start from another folder',
    )
}

function profileFor(facts: LaunchFacts): JsonObject {
  const settings = readMembers(join(findHome(facts), SETTINGS))
  const security = objectIn(settings['security'])
  return {
    ...settings,
    security: { ...security, auth: { ...objectIn(security['auth']), selectedType: API_KEY } },
    ...(facts.model && modelSettings(settings, facts)),
  }
}

/** Gemini CLI takes every unknown model for one of this size, and compresses at a share of it. */
const ASSUMED_WINDOW = 1_048_576
const USUAL_THRESHOLD = 0.5

function modelSettings(settings: JsonObject, { model, small, models }: LaunchFacts): JsonObject {
  const unrouted = (name: string) => models.every(({ id }) => id !== name)
  const own = objectIn(settings['model'])
  const share = own['compressionThreshold']
  const threshold = typeof share === 'number' ? share : USUAL_THRESHOLD
  const window = Math.min(model?.contextWindow ?? ASSUMED_WINDOW, ASSUMED_WINDOW)
  const configs = objectIn(settings['modelConfigs'])
  return {
    ...(window < ASSUMED_WINDOW && {
      model: { ...own, compressionThreshold: (threshold * window) / ASSUMED_WINDOW },
    }),
    modelConfigs: {
      ...configs,
      customOverrides: [
        ...listOf(configs['customOverrides']),
        ...[...new Set([model, small])].flatMap((each) => bound(each)),
        ...SMALL.filter(unrouted).map((name) => override(name, { model: small?.id ?? '' })),
        ...LARGE.filter(unrouted).map((name) => override(name, { model: model?.id ?? '' })),
      ],
    },
  }
}

/** The models that Gemini CLI 0.61.0 asks for by itself: these for small jobs, and others. */
const SMALL = [
  'flash-lite',
  'gemini-2.5-flash-lite',
  'gemini-3.1-flash-lite',
  'gemini-3.5-flash-lite',
]
const LARGE = [
  'gemini-2.5-flash',
  'gemini-2.5-pro',
  'gemini-3-flash-preview',
  'gemini-3-pro-preview',
  'gemini-3.5-flash',
]

const override = (model: string, modelConfig: JsonObject): JsonObject => ({
  match: { model },
  modelConfig,
})

function bound(model: LaunchModel | undefined): JsonObject[] {
  const maxOutputTokens = model && outputBound({ model })
  if (!model || maxOutputTokens === undefined) return []
  return [override(model.id, { generateContentConfig: { maxOutputTokens } })]
}

/** Parts of the user's profile that are kept in the launch's profile. */
const SHARED = [
  'tmp',
  'history',
  'commands',
  'extensions',
  'skills',
  'agents',
  'policies',
  'GEMINI.md',
]

function linksTo(profile: string): Record<string, string> {
  const there = SHARED.filter((name) => existsSync(join(profile, name)))
  return Object.fromEntries(there.map((name) => [`${PROFILE}/${name}`, join(profile, name)]))
}
