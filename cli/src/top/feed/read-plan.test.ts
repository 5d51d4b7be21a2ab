import { expect, test } from 'vitest'
import { account, checkOf, connected, detailOf, listed, startMs, stateAfter } from '../testing.ts'
import { nextRead, readsPerMinuteMax } from './read-plan.ts'

const [web, api] = [checkOf('web'), checkOf('api')]
const visible = ['web', 'api']
const detailed = (check: typeof web, ms: number) =>
  ({ kind: 'detailed', detail: detailOf(check), requestedMs: startMs + ms }) as const
const read = (
  events: Parameters<typeof stateAfter>[0],
  { ms = 1_000, sent = [] as readonly number[] } = {},
) => nextRead(stateAfter(events), { visible, sent, nowMs: startMs + ms })

const known = [
  [0, connected],
  [1, listed([web, api], 1)],
  [2, account],
  [3, detailed(web, 3)],
  [4, detailed(api, 4)],
] as const

test.each([
  ['the list first', [], 0, { kind: 'list' }],
  ['then the account', known.slice(0, 2), 10, { kind: 'account' }],
  ['then what can be seen', known.slice(0, 3), 10, { kind: 'detail', checkId: 'web' }],
  ['then nothing', known, 10, null],
  ['the list again after a minute', known, 60_001, { kind: 'list' }],
  ['the list after a new connection', [...known, [20, connected]], 30, { kind: 'list' }],
  [
    'readings of a check that is opened',
    [...known, [20, { kind: 'open' }]],
    30,
    { kind: 'readings', checkId: 'api' },
  ],
] as const)('reads %s', (_, events, ms, expected) => {
  expect(read([...events], { ms }).read).toEqual(expected)
})

test('sends at most its share of reads a minute, and counts the waiting ones', () => {
  const sent = Array.from({ length: readsPerMinuteMax }, (_, n) => startMs + n)
  expect(read([], { ms: 1_000, sent: sent.slice(1) }).read).not.toBeNull()
  expect(read(known.slice(0, 3), { ms: 1_000, sent })).toEqual({ read: null, waiting: 2 })
  expect(read(known.slice(0, 3), { ms: 60_000, sent }).read).not.toBeNull()
})
