import { expect, test } from 'vitest'
import { account, checkOf, connected, detailOf, listed, startMs, stateAfter } from '../testing.ts'
import { listReadsPerMinuteMax, nextRead, openedReadsPerMinuteMax, type Sent } from './read-plan.ts'

const [web, api] = [checkOf('web'), checkOf('api')]
const none: Sent = { list: [], opened: [] }
const read = (events: Parameters<typeof stateAfter>[0], { ms = 1_000, sent = none } = {}) =>
  nextRead(stateAfter(events), { sent, nowMs: startMs + ms })

const known = [
  [0, connected],
  [1, listed([web, api], 1)],
  [2, account],
] as const
const opened = [
  ...known,
  [20, { kind: 'open' }],
  [30, { kind: 'read', checkId: 'api', readings: [], requestedMs: startMs + 30 }],
] as const
const detailed = [40, { kind: 'detailed', detail: detailOf(api), requestedMs: startMs + 40 }] as const

test.each([
  ['the list first', [], 0, { kind: 'list' }],
  ['then the account', known.slice(0, 2), 10, { kind: 'account' }],
  ['then nothing', known, 10, null],
  ['the list again after a minute', known, 60_001, { kind: 'list' }],
  ['the list after a new connection', [...known, [10_100, connected]], 10_101, { kind: 'list' }],
  ['no list right after another one', [...known, [20, connected]], 30, null],
  [
    'readings of a check that is opened',
    known.concat([[20, { kind: 'open' }]] as never),
    30,
    { kind: 'readings', checkId: 'api' },
  ],
  ['its details', opened, 35, { kind: 'detail', checkId: 'api' }],
  ['nothing while they are new', [...opened, detailed], 50, null],
  ['its details again', [...opened, detailed], 30_041, { kind: 'detail', checkId: 'api' }],
] as const)('reads %s', (_, events, ms, expected) => {
  expect(read([...events], { ms }).read).toEqual(expected)
})

const times = (number: number): number[] => Array.from({ length: number }, (_, n) => startMs + n)

test('sends at most its share of reads a minute, and counts the waiting ones', () => {
  const list = times(listReadsPerMinuteMax)
  expect(read([], { sent: { ...none, list: list.slice(1) } }).read).toEqual({ kind: 'list' })
  expect(read([], { sent: { ...none, list } })).toEqual({ read: null, waiting: 2 })
  expect(read([], { ms: 60_000, sent: { ...none, list } }).read).not.toBeNull()
})

test('reads an opened check while the list waits, and the other way round', () => {
  const list = times(listReadsPerMinuteMax)
  const ms = 70_000
  expect(read(opened, { ms: 1_000, sent: { ...none, list } }).read).toEqual({
    kind: 'detail',
    checkId: 'api',
  })
  const mostOpened = Array.from({ length: openedReadsPerMinuteMax }, () => startMs + ms)
  expect(read(opened, { ms, sent: { ...none, opened: mostOpened } }).read).toEqual({ kind: 'list' })
})
