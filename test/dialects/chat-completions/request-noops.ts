import { isType, SCHEMA, type Entry } from '../../replay/noop.ts'

export const requestNoOps: Entry[] = [
  { path: 'model', why: 'the route says which model is asked' },
  { path: 'stream', why: 'the proxy itself frames the reply' },
  { path: 'stream_options.*', why: 'the proxy itself frames the reply' },
  { path: 'stream_options', why: 'the proxy itself frames the reply' },
  { path: 'tool_choice', values: ['auto'], why: 'the default' },
  { path: 'parallel_tool_calls', values: [true], why: 'the default' },
  { path: 'store', why: 'what is kept is the business of the proxy' },
  ...SCHEMA,
  { path: 'tools.*.function.strict', values: [false, null], why: 'the default' },
  { path: 'messages.*.content.*.image_url.detail', values: ['auto'], why: 'the default' },
  { path: 'messages.*.tool_calls.*.type', values: ['function'], why: 'there is a function in it' },
  { path: 'messages.*.tool_calls.*.index', why: 'calls stand in their order' },
  { path: 'messages.*.content', values: ['', null], why: 'no words' },
  {
    path: 'messages.*.name',
    beside: (parent) => parent['role'] === 'tool',
    why: 'the call names its tool',
  },
  {
    path: 'messages.*.role',
    values: ['developer'],
    why: 'instructions, in the newer word for them',
  },
  { path: 'messages.*.content.*.type', values: ['text'], beside: isType('text'), why: 'words' },
]
