import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { shortenName, toolNames, type NameRule } from '../../src/rules/names.ts'
import type { Request, Tool } from '../../src/model/request.ts'

const RULE: NameRule = { forbidden: /[^a-zA-Z0-9_-]/, maxLength: 64 }
const STARTED: NameRule = { forbidden: /[^a-zA-Z0-9_.-]/, start: /^[a-zA-Z_]/, maxLength: 64 }

const request = (tools: Tool[]): Request => ({
  model: 'm',
  stream: false,
  system: [],
  turns: [],
  tools,
  limits: {},
  sampling: {},
})

describe('a name', () => {
  it('stays as it is where it fits', () => {
    expect(shortenName('get_weather', RULE)).toBe('get_weather')
    expect(shortenName('a.b', STARTED)).toBe('a.b')
  })

  it('always fits, is stable, and stays different from every other', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        for (const rule of [RULE, STARTED]) {
          const fitted = shortenName(one, rule)
          expect(fitted).toMatch(
            rule === RULE ? /^[a-zA-Z0-9_-]{1,64}$/ : /^[a-zA-Z_][\w.-]{0,63}$/,
          )
          expect(shortenName(one, rule)).toBe(fitted)
          if (one !== other) expect(shortenName(other, rule)).not.toBe(fitted)
        }
      }),
      cases(1000),
    )
  })

  it.each(['a b', 'functions.Bash:0', '日本語', 'x'.repeat(200), '', '1st'])(
    'is made to fit: %s',
    (name) => {
      expect(shortenName(name, STARTED)).toMatch(/^[a-zA-Z_][\w.-]{0,63}$/)
      expect(shortenName(shortenName(name, STARTED), STARTED)).toBe(shortenName(name, STARTED))
    },
  )
})

describe('tool names of an exchange', () => {
  it('come back as the caller declared them', () => {
    const tools: Tool[] = [
      { kind: 'function', name: 'read.file', schema: '{}' },
      { kind: 'text', name: 'patch', namespace: 'code' },
      { kind: 'function', name: 'list', namespace: 'mcp:files' },
    ]
    const names = toolNames(request(tools), RULE)
    expect(names.fromWire(names.toWire('read.file'))).toEqual({ name: 'read.file', form: 'json' })
    expect(names.fromWire(names.toWire('patch', 'code'))).toEqual({
      name: 'patch',
      namespace: 'code',
      form: 'text',
    })
    expect(names.fromWire(names.toWire('list', 'mcp:files'))).toEqual({
      name: 'list',
      namespace: 'mcp:files',
      form: 'json',
    })
  })

  it('come back as they are when nobody declared them', () => {
    expect(toolNames(undefined, RULE).fromWire('surprise')).toEqual({
      name: 'surprise',
      form: 'json',
    })
  })
})
