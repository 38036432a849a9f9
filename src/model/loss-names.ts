import type {
  Block,
  Caching,
  Format,
  Limits,
  ReasoningOptions,
  Request,
  Sampling,
  Usage,
} from './request.ts'

/** The members of all kinds of a value. */
type MembersOf<T> = T extends object ? keyof T & string : never

/** Places of a request; those that the model holds in an object grow with it. */
type RequestName =
  | MembersOf<Request>
  | 'cache'
  | 'cache.ttl'
  | 'compaction'
  | `compaction.${'length' | 'threshold' | 'turns'}`
  | 'context_management'
  | 'text'
  | 'toolChoice.names'
  | `caching.${MembersOf<Caching>}`
  | `format.${MembersOf<Format>}`
  | `limits.${MembersOf<Limits>}`
  | `reasoning.${MembersOf<ReasoningOptions>}`
  | `sampling.${MembersOf<Sampling>}`

type HostedName =
  | 'code-execution'
  | 'computer'
  | 'file-search'
  | 'tool-search'
  | 'web-fetch'
  | 'web-search'

type ToolName =
  | `tools.${HostedName}`
  | 'tools.computer.environment'
  | 'tools.computer.size'
  | 'tools.deferred'
  | 'tools.late'

/** Places of a reply. */
type ReplyName =
  | `reply.${Block['kind']}`
  | `reply.usage.${MembersOf<Usage>}`
  | 'reply.blocks'
  | 'reply.cacheMiss'
  | 'reply.candidates'
  | 'reply.citations'
  | `reply.citations.${'fileId' | 'quote' | 'text' | 'title'}`
  | 'reply.code.language'
  | 'reply.computer'
  | 'reply.computer.pending_safety_checks'
  | 'reply.finish'
  | 'reply.logprobs'
  | `reply.logprobs.${'bytes' | 'tokenId'}`
  | 'reply.refusal.category'
  | `reply.search.${'failed' | 'page' | 'queries' | 'sources' | 'title'}`
  | 'reply.service_tier'
  | 'reply.stopSequence'
  | 'reply.text.seal'
  | `reply.tool-call.${'input' | 'name'}`
  | 'reply.urlContextMetadata'
  | 'reply.withheld'

/** What is lost, where that is no turn, block or tool of the caller. */
export type LossName = RequestName | ToolName | ReplyName

/** What is lost of a turn, a block or a tool. */
export type LostMember =
  | 'allowedDomains'
  | 'async'
  | 'blockedDomains'
  | 'blocks'
  | 'citations'
  | 'compaction'
  | 'content'
  | 'contextSize'
  | 'detail'
  | 'format'
  | 'input'
  | 'language'
  | 'location'
  | 'maxUses'
  | 'mediaType'
  | 'name'
  | 'namespace'
  | 'passing'
  | 'results'
  | 'role'
  | 'schema'
  | 'seal'
  | 'source'
  | 'strict'
  | 'tools'

/** A name of one kind of loss, as pages list it: `*` stands for a number, or for a name of the caller's. */
export type LossKind =
  | LossName
  | 'betas.*'
  | Placed<'turns.*' | 'turns.*.blocks.*' | 'tools.*' | `tools.${HostedName}`>

type Placed<Place extends string> = Place | `${Place}.${LostMember}`

/** What an element says that it loses: all of it, or what belongs to it. Where it stands is not for it to say. */
export type LostPart = '' | `.${LostMember}`

/** Where elements stand: in a list of the request or the reply, or of what they stand in themselves. */
export type ListName =
  | 'betas'
  | 'reply'
  | 'system'
  | 'tools'
  | 'turns'
  | '.blocks'
  | '.content'
  | Extensible

/** What may have members that only its own dialect knows. */
type Extensible =
  | 'compaction'
  | 'format'
  | 'reasoning'
  | 'reply.citations'
  | 'reply.logprobs'
  | 'reply.usage'
  | 'toolChoice'
  | ''
  | '.cache'
  | '.citations'
  | '.sources'
