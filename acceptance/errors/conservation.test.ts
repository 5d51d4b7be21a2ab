import { expect, test } from 'vitest'
import { findImbalances, type Attempt, type ItemSent, type StoredProject } from './conservation.ts'

const attempt = (eventId: string, status: number | null, item: ItemSent = 'event'): Attempt => ({
  projectId: 'p',
  eventId,
  item,
  status,
})
const attempts = [
  attempt('a', 200),
  attempt('b', 200),
  attempt('b', 200),
  attempt('c', null),
  attempt('c', 503),
  attempt('d', 400, 'broken'),
  attempt('e', 413, 'large'),
  attempt('f', 200, 'session'),
]
const data: StoredProject = {
  storedIds: ['a', 'b', 'c'],
  counts: { stored: 3, duplicate: 1, store: 1, invalid: 1, size: 1 },
  unsupported: 1,
  ofIssues: 3,
  ofReleases: 3,
}
const countsWith = (over: Record<string, number>): Partial<StoredProject> => ({
  counts: { ...data.counts, ...over },
})

test('finds no problem if each answered event counts once and unanswered ones are stored, counted or neither', () => {
  expect(findImbalances(attempts, data, 1_000)).toEqual([])
  const neither = { storedIds: ['a', 'b'], counts: { ...data.counts, stored: 2, store: 0 } }
  expect(findImbalances(attempts, { ...data, ...neither, ofIssues: 2, ofReleases: 2 }, 1_000)).toEqual([])
})

test('finds a problem unless exactly the quota is stored and all other events are counted', () => {
  const spent = { storedIds: ['a', 'c'], ofIssues: 2, ofReleases: 2 }
  const counts = { ...data.counts, stored: 2, quota: 1 }
  expect(findImbalances(attempts, { ...data, ...spent, counts }, 2)).toEqual([])
  expect(findImbalances(attempts, { ...data, ...spent, counts }, 3)).not.toEqual([])
})

test.each<[string, Partial<StoredProject>]>([
  ['an event that is stored twice', { storedIds: ['a', 'a', 'b'] }],
  [
    'a lost event that was answered',
    {
      storedIds: ['a', 'c', 'x'].slice(0, 2),
      ...countsWith({ stored: 2 }),
      ofIssues: 2,
      ofReleases: 2,
    },
  ],
  ['a stored event without a sender', { storedIds: ['a', 'b', 'x'] }],
  ['an event that is stored and not counted', countsWith({ stored: 2 })],
  ['an event that is counted twice', countsWith({ duplicate: 3 })],
  ['an issue that counts too much', { ofIssues: 4 }],
  ['a release that counts too little', { ofReleases: 2 }],
  ['a refused event that is not counted', countsWith({ invalid: 0 })],
  ['a large event that is counted twice', countsWith({ size: 4 })],
  ['a drop without an answer', countsWith({ store: 3 })],
  ['an unexpected outcome', countsWith({ filtered: 0 })],
  ['a lost session', { unsupported: 0 }],
  ['a session that is counted twice', { unsupported: 2 }],
])('finds %s', (_, over) => {
  expect(findImbalances(attempts, { ...data, ...over }, 1_000)).not.toEqual([])
})
