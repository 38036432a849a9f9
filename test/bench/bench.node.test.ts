import { describe, expect, it } from 'vitest'
import { translator } from '../../src/index.ts'
import { stampReader } from './delays.ts'
import { lanesAgainst, modelFor } from './against.ts'
import { pickBetter, excused, findingsOf, type Finding, verdictOn } from './goals.ts'
import { LANES, readLanes, withBases } from './lanes.ts'
import { readOptions } from './options.ts'
import { writeOverview } from './overview.ts'
import { withTable } from './pages.ts'
import { greediest } from './profile.ts'
import { faultIn, replyIn } from './replies.ts'
import { askersFor } from './asker.ts'
import { bodyTexts } from './requests.ts'
import { readScenarios } from './scenarios.ts'
import { DIALECTS, type Manner, modelOf, stamp } from './shared.ts'
import { added, median, quantile, ratios, rotated, sumUpSeries } from './statistics.ts'
import { digits, markdownTable, textTable } from './table.ts'

describe('statistics', () => {
  it('finds middles', () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([])]).toEqual([2, 2.5, Number.NaN])
    expect(quantile([5, 1, 4, 2, 3], 0.99)).toBe(5)
    expect(sumUpSeries([2, undefined, 8, Number.NaN, 4])).toEqual({ middle: 4, least: 2, most: 8 })
    expect(sumUpSeries([undefined])).toBeUndefined()
  })

  it('compares within a round', () => {
    expect(ratios([2, 9, undefined], [1, 3, 5])).toEqual([2, 3, undefined])
    expect(ratios([1], [0])).toEqual([undefined])
    expect(added([5, 3], [9, 2])).toBe(1)
    expect(added([5], [])).toBeUndefined()
  })

  it('gives everybody every place', () => {
    expect([0, 1, 2, 3].map((by) => rotated(['a', 'b', 'c'], by).join(''))).toEqual([
      'abc',
      'bca',
      'cab',
      'abc',
    ])
  })
})

describe('goals', () => {
  it('are reached, nearly missed, or far', () => {
    expect([3, 2.5, 2.3].map((value) => verdictOn({ least: 3 }, value))).toEqual([
      'reached',
      'missed',
      'far',
    ])
    expect([0.1, 0.4, 20].map((value) => verdictOn({ most: 0.1, far: 0.5 }, value))).toEqual([
      'reached',
      'missed',
      'far',
    ])
    expect([3, 0.6, 0.4].map((value) => verdictOn({ least: 3, far: 0.5 }, value))).toEqual([
      'reached',
      'missed',
      'far',
    ])
    expect([50, 60, 70].map((value) => verdictOn({ most: 50 }, value))).toEqual([
      'reached',
      'missed',
      'far',
    ])
  })
})

const laneCalled = (text: string) => {
  const [, lane] = readLanes(text)
  if (!lane) throw new Error(`no lane ${text}`)
  return lane
}

describe('a short run', () => {
  const [rate] = findingsOf('growing-16', 'rate', laneCalled('m:r'), 0.1)
  const far = rate && { ...rate }
  if (!far) throw new Error('growing sessions have no goal')

  it('fails a lane that takes much more time on a processor than it usually does', () => {
    const verdicts = [1, 1.6, 2.1].map((ratio) =>
      findingsOf('burst-16', 'usual', laneCalled('m:m'), ratio).map(({ verdict }) => verdict),
    )
    expect(verdicts).toEqual([['reached'], ['missed'], ['far']])
    expect(findingsOf('burst-16', 'usual', laneCalled('pass-through/r'), 2)).toEqual([])
  })

  it('excuses a rate that is low while the work is as ever', () => {
    expect(far.verdict).toBe('far')
    expect([1, 1.29, 1.31].map((ratio) => excused(far, ratio).verdict)).toEqual([
      'missed',
      'missed',
      'far',
    ])
    const [wait] = findingsOf('small-1', 'more', laneCalled('m:r'), 10)
    expect(wait && excused(wait, 1).verdict).toBe('far')
  })

  it('takes the better of two looks', () => {
    const near: Finding = { ...far, verdict: 'missed' }
    expect(pickBetter([far], [near])).toEqual([near])
    expect(pickBetter([near], [far])).toEqual([near])
    expect(pickBetter([far], [{ ...near, lane: 'another' }])).toEqual([far])
  })
})

const against = (...more: string[]) =>
  lanesAgainst(readOptions(['--against', 'http://127.0.0.1:4000/llm/', ...more]).against)

describe('another gateway', () => {
  it('is a lane for each pair that it serves', () => {
    const lanes = against('--against-dialect', 'm,c:m', '--against-key', 'sk', '--against-pid', '7')
    expect(lanes.map(({ name, proxy }) => [name, proxy])).toEqual([
      ['against messages:messages', 'against'],
      ['against chat-completions:messages', 'against'],
    ])
    expect(lanes[1]?.gateway).toEqual({
      port: 4000,
      base: '/llm',
      key: 'sk',
      model: undefined,
      pid: 7,
    })
    expect(lanes.map(modelFor)).toEqual([modelOf('messages'), modelOf('messages')])
    expect(against('--against-model', 'gpt').map(modelFor)).toEqual(['gpt'])
    expect(lanesAgainst(readOptions([]).against)).toEqual([])
  })

  it('is on this machine', () => {
    expect(() => lanesAgainst(readOptions(['--against', 'https://example.com']).against)).toThrow(
      'an address of this machine',
    )
    expect(() => against('--against-dialect', 'x')).toThrow('There is no lane "x:x"')
  })
})

const value = (text: string, figure: number) => ({ lane: laneCalled(text), value: figure })

describe('the table for readers', () => {
  const values = [value('m:r', 0.2), value('r:m', 0.7), value('m:m', 1.2), value('node:http', 3)]

  it('has spans of lanes, and in bold what is missed', () => {
    const findings = values.flatMap(({ lane, value: figure }) =>
      findingsOf('growing-16', 'rate', lane, figure),
    )
    expect(writeOverview([{ title: 'sessions', values, findings }]).rows).toEqual([
      ['sessions', '', '3.00', '', '1.20', '0.20 to 0.70', '**>= 0.65 missed by 1 of 2**, >= 1 ok'],
    ])
  })

  it('is written between the marks of a page', () => {
    const page = 'a\n<!-- npm run bench -- --docs -->\nold\n<!-- end -->\nb'
    const written = withTable(page, '| new |')
    expect(written).toBe('a\n<!-- npm run bench -- --docs -->\n\n| new |\n\n<!-- end -->\nb')
    expect(withTable(written, '| new |')).toBe(written)
    expect(() => withTable('no marks', '')).toThrow('There is no')
  })
})

const names = (list: string) => readLanes(list).map(({ name }) => name)
const held = (list: string, manner: Manner) =>
  withBases(readLanes(list), manner).map(({ name }) => name)

describe('lanes and scenarios', () => {
  it('are found by name', () => {
    expect(readLanes(undefined)).toEqual(LANES)
    expect(names('m:r')).toEqual(['pass-through', 'messages:responses'])
    expect(names('pass-through/g,direct')).toEqual([
      'pass-through',
      'pass-through/generate-content',
      'direct',
    ])
    expect(names('same')).toHaveLength(DIALECTS.length + 1)
    expect(names('pairs,same')).toHaveLength(DIALECTS.length ** 2 + 1)
    expect(names('m:r*2')).toEqual(['pass-through', 'messages:responses', 'messages:responses*2'])
    expect(names('pools')).toHaveLength(5)
    expect(held('c:c,c:m', 'burst')).toEqual([
      'pass-through',
      'pass-through/chat-completions',
      'chat-completions:chat-completions',
      'chat-completions:messages',
    ])
    expect(held('c:c', 'json')).toEqual(names('c:c'))
    expect(() => readLanes('nowhere')).toThrow('There is no lane "nowhere"')
    expect(readScenarios('burst,small-64').map(({ name }) => name)).toEqual([
      'small-64',
      'burst-1',
      'burst-16',
    ])
  })
})

describe('traffic', () => {
  const pairs = DIALECTS.flatMap((from) => DIALECTS.map((to) => ({ from, to })))

  it.each(pairs)('$from is translated to $to', ({ from, to }) => {
    const model = modelOf(to)
    for (const prompt of ['small', 'agent', 'agent-wide'] as const) {
      const [text = ''] = bodyTexts({ caller: from, model, prompt, stream: false })
      const { body } = translator({ from, to }).request(JSON.parse(text))
      expect(JSON.stringify(body).length).toBeGreaterThan(text.length / 2)
    }
  })

  it('has the sizes that are promised', () => {
    for (const caller of DIALECTS) {
      const size = (prompt: 'small' | 'agent' | 'image') =>
        bodyTexts({ caller, model: 'm', prompt, stream: false })[0]?.length
      expect(size('small')).toBeGreaterThan(800)
      expect(size('small')).toBeLessThan(1300)
      expect(size('agent')).toBeGreaterThan(95_000)
      expect(size('agent')).toBeLessThan(110_000)
      expect(size('image')).toBeGreaterThan(10_000_000)
    }
  })

  it('sends no session twice, and each turn of a session behind the one before', () => {
    for (const caller of DIALECTS) {
      const asking = { port: 1, caller, model: 'm', stream: false }
      const cold = askersFor({ ...asking, prompt: 'agent-wide' })
      const texts = [0, 0, 1].map((at) => cold.at(at, 2).next().toString())
      expect(new Set(texts).size).toBe(3)
      const growing = askersFor({ ...asking, prompt: 'growing' }).at(15, 16)
      const bodies = Array.from({ length: 42 }, () => bodyIn(growing.next()))
      const numbers = bodies.map((body) => /session-no-\d+/.exec(body)?.[0])
      // It begins near the end of a session: three turns of it, a whole one, the start of the next.
      expect(numbers.indexOf(numbers[3])).toBe(3)
      expect(new Set(numbers.slice(3)).size).toBe(1)
      const sizes = bodies.slice(3).map((body) => Buffer.byteLength(body))
      expect(sizes[0]).toBeGreaterThan(18_000)
      expect(sizes[38]).toBeGreaterThan(135_000)
      expect(sizes[38]).toBeLessThan(165_000)
      expect(sizes.toSorted((a, b) => a - b)).toEqual(sizes)
      expect(() => JSON.parse(bodies[20] ?? '')).not.toThrow()
      const fresh = askersFor({ ...asking, prompt: 'small' }).at(0, 1)
      expect(fresh.next()).toBe(fresh.next())
    }
  })

  it('knows a whole answer from another', () => {
    for (const dialect of DIALECTS) {
      const { json, opening, delta, closing } = replyIn(dialect)
      const stream = [...opening, delta('x', 0), ...closing(1)].join('')
      expect(faultIn(json, dialect, false)).toBeUndefined()
      expect(faultIn(stream, dialect, true)).toBeUndefined()
      expect(faultIn(json.slice(0, 300), dialect, false)).toBeDefined()
      expect(faultIn(stream.slice(0, stream.length / 2), dialect, true)).toBeDefined()
    }
  })

  it('counts the time of an event once', () => {
    const reader = stampReader()
    const text = stamp()
    reader.read(Buffer.from(`{"text":"${text}"}`))
    reader.read(Buffer.from(`{"text":"${text}${text}"}{"text":"${stamp()}"}`))
    expect(reader.delays).toHaveLength(2)
    for (const delay of reader.delays) expect(Math.abs(delay)).toBeLessThan(1000)
  })
})

const bodyIn = (request: Buffer): string => request.toString().split('\r\n\r\n')[1] ?? ''

const frame = (functionName: string) => ({ functionName, url: '', lineNumber: 0 })

describe('tables', () => {
  it('stand in columns', () => {
    const rows = [
      ['a', '1'],
      ['long', '23'],
    ]
    expect(textTable(['lane', 'rate'], rows)).toBe('lane  rate\na        1\nlong    23')
    expect(markdownTable(['lane', 'rate'], rows)).toBe(
      '| lane | rate |\n| --- | ---: |\n| a | 1 |\n| long | 23 |',
    )
    expect([1234.5, 99.96, 1.005, 0.0123, undefined].map(digits)).toEqual([
      '1,235',
      '100.0',
      '1.00',
      '0.012',
      'n/a',
    ])
  })

  it('put the greediest function first', () => {
    const profile = {
      nodes: [
        { id: 1, callFrame: frame('(idle)') },
        { id: 2, callFrame: frame('parse') },
        { id: 3, callFrame: frame('write') },
      ],
      samples: [1, 2, 3, 3],
      timeDeltas: [100, 1, 2, 3],
    }
    expect(greediest(profile)).toEqual([
      ['write', 5],
      ['parse', 1],
    ])
  })
})
