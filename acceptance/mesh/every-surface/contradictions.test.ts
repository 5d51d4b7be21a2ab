import { expect, test } from 'vitest'
import { contradictions } from './contradictions.ts'
import type { Moment, PageStatement, Statement, Text } from './statement.ts'

const reason = '3 of 4 regions fail (fra, iad, nrt): expected status 200 to 299, got 503'
const rest: Statement = {
  surface: 'REST',
  check: 'Shop',
  status: 'down',
  sinceMs: 1_000_000,
  failing: ['iad', 'fra', 'nrt'],
  sentences: [reason],
  downSeconds: 30,
}
const log: Statement = {
  surface: 'outage log',
  check: 'Shop',
  outage: { beganMs: 1_000_000, endedMs: null, regions: ['fra', 'iad', 'nrt'], sentence: reason },
}
const row: Statement = { surface: 'en page.json', check: 'Shop', state: 'down' }
const page: PageStatement = { surface: 'badge', page: 'en', state: 'down', sentence: 'Major outage' }
const text: Text = { surface: 'de page', language: 'de', text: 'Shop ist ausgefallen. Fehler in fra, iad.' }

const found = (moment: Partial<Omit<Moment, 'name'>>): string[] =>
  contradictions({ name: 'now', statements: [], pages: [], texts: [], ...moment })

test('surfaces that agree have no contradiction', () => {
  const covered = { ...rest, check: 'Api', surface: 'list', isCovered: true }
  expect(
    found({
      statements: [rest, log, row, covered, { surface: 'en v2', check: 'Api', state: 'maintenance' }],
      pages: [page, { surface: 'v2', page: 'en', state: 'down' }],
      texts: [text],
    }),
  ).toEqual([])
})

test.each<[string, Statement, string]>([
  ['a status', { ...rest, status: 'degraded' }, 'says status "down", MCP says "degraded"'],
  ['a begin', { ...rest, sinceMs: 1_002_000 }, 'says since 1000000, MCP says 1002000'],
  ['regions', { ...rest, failing: ['fra', 'iad'] }, 'says failing ["fra","iad","nrt"], MCP says'],
  ['a region that a sentence names', { ...rest, failing: ['fra', 'iad', 'sjc'] }, 'names nrt in "3 of 4'],
  ['a time down', { ...rest, downSeconds: 62 }, 'says seconds down 30, MCP says 62'],
  ['a count', { ...rest, sentences: ['2 of 4 regions fail (fra, iad, nrt): no'] }, 'counts wrongly'],
  [
    'a public state',
    { surface: 'MCP', check: 'Shop', state: 'no_data' },
    'says state "down", MCP says "no_data"',
  ],
  ['a German sentence', { surface: 'MCP', check: 'Shop', sentences: ['Fehler in sjc.'] }, 'names sjc in'],
  [
    'an outage that ended',
    { surface: 'MCP', check: 'Shop', outage: { beganMs: 1_000_000, endedMs: 2_000_000 } },
    'says the newest outage ended',
  ],
])('%s that differs is found', (_, other, line) => {
  expect(found({ statements: [rest, { ...other, surface: 'MCP' }] }).join('\n')).toContain(line)
})

test('ends and begins of one outage that differ are found', () => {
  const ended = (endedMs: number): Statement => ({ ...log, outage: { beganMs: 1_000_000, endedMs } })
  expect(found({ statements: [ended(2_000_000), { ...ended(2_005_000), surface: 'incident' }] })).toEqual([
    'now: Shop: outage log says ended 2000000, incident says 2005000',
  ])
  expect(found({ statements: [log, { ...ended(2_000_000), surface: 'incident' }] })).toHaveLength(1)
})

test('an open outage that tells its first moment only is found', () => {
  const now = { ...log, status: 'down', failing: ['fra', 'iad', 'nrt', 'sjc'] }
  expect(found({ statements: [now] }).join('\n')).toContain('its open outage says "3 of 4')
  const list: Statement = { surface: 'list', check: 'Shop', failing: ['fra', 'iad', 'nrt', 'sjc'] }
  expect(found({ statements: [list, log] }).join('\n')).toContain('lists sjc as failing, the open outage')
})

test('states and sentences of one page that differ are found', () => {
  expect(found({ pages: [page, { surface: 'v2', page: 'en', state: 'degraded' }] })).toHaveLength(1)
  expect(found({ pages: [page, { surface: 'html', page: 'en', sentence: 'No data' }] })).toHaveLength(1)
  expect(found({ pages: [page], statements: [{ ...row, state: 'degraded' }] })).toEqual([
    'now: page en: badge says down, its worst component is degraded',
  ])
})

test('words of the other language are found', () => {
  expect(found({ texts: [{ ...text, text: 'Shop is down' }] })).toHaveLength(1)
  expect(found({ texts: [{ ...text, language: 'en' }] })).toHaveLength(1)
})
