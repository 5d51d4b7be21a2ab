import type { TrendState } from '@probe-mesh/contracts/check/check-row'
import { expect, test } from 'vitest'
import { reduce, type TopEvent } from '../model/reduce.ts'
import { newTopState, type TopState } from '../model/state.ts'
import {
  account,
  checkOf,
  connected,
  detailOf,
  listed,
  readingOf,
  regionOf,
  rowOf,
  startMs,
  stateAfter,
  flipEvent,
  readingEvent,
} from '../testing.ts'
import { frameLines, type Size } from './frame.ts'
import { textOf } from './line.ts'
import { symbolsOf } from './symbols.ts'

const [shop, api, docs, login, backup] = [
  checkOf('shop'),
  checkOf('api \u001B[31m結果のページ', { status: 'degraded' }),
  checkOf('docs', { regions: ['fra', 'nrt'] }),
  checkOf('login', { status: 'down' }),
  checkOf('backup', { type: 'heartbeat', url: null, status: 'unknown' }),
]
const failed = {
  verdict: 'down',
  status: 'down',
  reason: 'expected status 200-299, got 503',
} as const
const slots = Array.from({ length: 12 }, (_, n) => (n - 12) * 10_000)

/** 20 hours of a day were measured, and one of them was different. */
const trend = (one: TrendState): TrendState[] =>
  Array.from({ length: 48 }, (_, slot) => (slot < 8 ? 'no_data' : slot === 40 ? one : 'operational'))
const since = (seconds: number): string => new Date(startMs - seconds * 1000).toISOString()

/** A minute's readings of every kind, with a gap in those of the shop. */
const readings = slots.flatMap((slot, n) => [
  ...(n > 3 && n < 6
    ? []
    : [
        readingEvent('shop', readingOf('iad', slot, { latencyMs: 40 + 12 * n })),
        readingEvent('shop', readingOf('fra', slot + 10, { latencyMs: 30 + 12 * n })),
      ]),
  readingEvent('docs', readingOf('nrt', slot, { verdict: 'blocked', latencyMs: null })),
  readingEvent('docs', readingOf('fra', slot, { latencyMs: n === 7 ? 900 : 90 })),
  readingEvent('login', readingOf('fra', slot, { ...failed, httpStatus: 503, latencyMs: 31 })),
])

const state = stateAfter([
  [0, connected],
  [
    0,
    listed([
      rowOf(shop, { trend: trend('operational'), statusSince: since(7_200), maintenance: true }),
      rowOf(api, { statusReason: 'p95 is 2,310 ms, more than 2,000 ms', trend: trend('degraded') }),
      rowOf(docs, { trend: trend('down'), statusSince: since(86_400) }),
      login,
      backup,
    ]),
  ],
  [0, account],
  [10, { kind: 'detailed', detail: detailOf(shop), requestedMs: startMs + 10 }],
  [
    10,
    {
      kind: 'detailed',
      requestedMs: startMs + 10,
      detail: detailOf(login, {
        statusReason: '4 of 4 regions fail (iad, sjc, fra, nrt): expected status 200-299, got 503',
        regionStatuses: [
          regionOf('iad', 0, { ...failed, latencyMs: 8 }),
          regionOf('sjc', -40_000, { ...failed, reason: 'no answer in 4000 ms' }),
          regionOf('fra', 0, failed),
          regionOf('nrt', null),
        ],
      }),
    },
  ],
  [20, { kind: 'events', events: [...readings, flipEvent(api.id, 'degraded', 15)] }],
])

const frame = (
  of: TopState,
  size: Size,
  { ms = 3_000, LANG = 'C.UTF-8' }: { ms?: number; LANG?: string } = {},
): string =>
  frameLines({
    state: of,
    size,
    symbols: symbolsOf({ LANG }),
    host: 'api.example.com',
    localMs: startMs + ms,
  })
    .map((line) => textOf(line).trimEnd())
    .join('\n')

const then = (...events: TopEvent[]): TopState =>
  events.reduce((before, event) => reduce(before, event, startMs + 2_000), state)

const small = { columns: 80, rows: 24 }
const large = { columns: 200, rows: 60 }
const opened = then(
  { kind: 'open' },
  {
    kind: 'read',
    checkId: 'login',
    readings: slots.map((slot) => readingOf('fra', slot, { ...failed, httpStatus: 503 })),
    requestedMs: startMs,
  },
)

test.each([
  ['list-80x24', state, small, {}],
  ['list-200x60', state, large, {}],
  ['list-60x15', state, { columns: 60, rows: 15 }, {}],
  ['list-40x10', state, { columns: 40, rows: 10 }, {}],
  ['list-ascii', state, small, { LANG: 'C' }],
  [
    'list-a-minute-later',
    then({ kind: 'connection', state: 'reconnecting', why: 'no data for 40 s' }),
    small,
    { ms: 60_000 },
  ],
  ['list-of-fra', then({ kind: 'focus', place: 2 }, { kind: 'sort' }), small, {}],
  ['check-80x24', opened, small, {}],
  ['check-200x60', opened, large, {}],
  ['check-60x15', opened, { columns: 60, rows: 15 }, {}],
  ['help-80x24', then({ kind: 'help' }), small, {}],
  ['help-60x15', then({ kind: 'help' }), { columns: 60, rows: 15 }, {}],
  ['asking-80x24', then({ kind: 'askRun' }), small, {}],
] as const)('the frame %s is as checked in', async (name, of, size, more) => {
  await expect(`${frame(of, size, more)}\n`).toMatchFileSnapshot(`frames/${name}.txt`)
})

test.each([
  ['40x10 is enough', 40, 10, /^probe-mesh top/],
  ['39 columns are not', 39, 10, /^This window is 39x10/],
  ['9 rows are not', 40, 9, /^This window is 40x9/],
])('%s', (_, columns, rows, expected) => {
  expect(frame(state, { columns, rows })).toMatch(expected)
})

test('shows the checks around the cursor of 5,000', () => {
  const many = Array.from({ length: 5_000 }, (_, n) => checkOf(`check ${String(n).padStart(4, '0')}`))
  const all = stateAfter([
    [0, connected],
    [0, listed(many)],
  ])
  const after = (by: number): TopState => reduce(all, { kind: 'move', by }, startMs)
  expect(frame(all, small)).toMatch(/› check 0000[^]* check 0017/)
  expect(frame(after(2_500), small)).toMatch(/ check 2491[^]*› check 2500[^]* check 2508/)
  expect(frame(after(9_999), small)).toMatch(/› check 4999/)
  expect(frame(newTopState(startMs), small)).toContain('Reading the checks')
})
