import { adapters } from '../../../adapters/index.ts'
import type { ServerName } from '../../../adapters/servers.ts'
import { readProfile, serversAt } from '../profiles.ts'
import { formAt, readBase, versionsOf } from '../values.ts'
import type { Examination } from './examination.ts'
import { ConfigError } from './finding.ts'
import { membersAt, textAt, valueAt } from './place.ts'

/** Google Cloud's paths have the version in front of the project, and each dialect has its own end behind it. */
const PROJECT =
  /^(.*\/v1(?:alpha1?|beta1)?\/(?:projects\/[^/]+\/locations\/[^/]+|(?=publishers\/)))/

/** What may be meant instead of the end that is named. */
const OTHERWISE: Readonly<Partial<Record<ServerName, string>>> = {
  bedrock: '; the older endpoint of messages is "profile": "bedrock-invoke"',
  azure: '; a dated version takes the whole endpoint, with "query": {"api-version": …}',
}

/** Warns of paths that no cloud has: where they lead is a 404, which says nothing of the right one. */
export function warnOfClouds({ config, found }: Examination): void {
  for (const [name] of membersAt(config, ['upstreams'])) {
    const at = ['upstreams', name]
    const [dialect, text] = [textAt(config, [...at, 'dialect']), textAt(config, [...at, 'url'])]
    if (dialect === undefined || text === undefined || !URL.canParse(text)) continue
    const url = new URL(text)
    const said = [...at, 'profile']
    const profile = textAt(config, said) ?? textAt(config, [...said, 'extends'])
    const { server } = readProfile({ dialect, ...(profile !== undefined && { profile }) })
    const form = textAt(config, [...said, 'form']) ?? server?.form
    const right = form === undefined ? rightPath(url, dialect) : undefined
    if (right !== undefined)
      found.warn([...at, 'url'], `nothing is at what this becomes; expected ${right}`)
    else if (isDated(url) && valueAt(config, [...at, 'query', 'api-version']) === undefined)
      found.warn([...at, 'url'], DATED)
  }
}

const DATED =
  'this path takes a dated version; expected "query": {"api-version": …} beside it, or a url that ends in /openai/v1'

/** Azure's, without a version between. */
const isDated = ({ hostname, pathname }: URL): boolean =>
  hostname.endsWith('.azure.com') &&
  /\/openai\/(?:responses|deployments\/.+)$/.test(withoutEnd(pathname))

const withoutEnd = (pathname: string): string => pathname.replace(/\/+$/, '')

/** The address that would be right; undefined where this one is, or where that is not known. */
function rightPath(url: URL, dialect: string): string | undefined {
  const path = withoutEnd(url.pathname)
  const place = placeOf(url.origin + path, dialect)
  const ends = adapters.find((adapter) => adapter.dialect === dialect)?.upstream.ends ?? {}
  const isEndpoint = place?.version === ''
  // The vendor's own API on Google Cloud has a project in its path, too.
  if (!place || isEndpoint || formAt(dialect, place.base) || path.endsWith('/invoke'))
    return undefined
  const [, project] = PROJECT.exec(path) ?? []
  const name = project === undefined ? knownIn(ends, url) : 'vertex'
  const end = name && ends[name]
  if (name === undefined || end === undefined || isRight(end, path, place.base)) return undefined
  const before = project === undefined ? '' : withoutEnd(project)
  return `${url.origin}${before}${end}${OTHERWISE[name] ?? ''}`
}

const knownIn = (
  ends: Readonly<Partial<Record<ServerName, string>>>,
  { href }: URL,
): ServerName | undefined => serversAt(href).find((name) => ends[name] !== undefined)

/** Where a version is at the end, what stands before it differs from service to service. */
const isRight = (end: string, path: string, base: string): boolean =>
  end.endsWith('/v1') ? path.endsWith('/v1') : base.endsWith(end)

function placeOf(url: string, dialect: string): ReturnType<typeof readBase> | undefined {
  try {
    return readBase(url, '', versionsOf(dialect))
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}
