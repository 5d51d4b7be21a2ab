import { expect, test } from 'vitest'
import { imbalances } from './conservation.ts'
import type { Attempt, Books, ItemSent } from './conservation.ts'

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
const books: Books = {
  storedIds: ['a', 'b', 'c'],
  counts: { stored: 3, duplicate: 1, store: 1, invalid: 1, size: 1 },
  unsupported: 1,
  ofIssues: 3,
  ofReleases: 3,
}
const countsWith = (over: Record<string, number>): Partial<Books> => ({
  counts: { ...books.counts, ...over },
})

test('accepts books that balance, with unanswered events stored, counted or neither', () => {
  expect(imbalances(attempts, books, 1_000)).toEqual([])
  const neither = { storedIds: ['a', 'b'], counts: { ...books.counts, stored: 2, store: 0 } }
  expect(imbalances(attempts, { ...books, ...neither, ofIssues: 2, ofReleases: 2 }, 1_000)).toEqual([])
})

test('stores exactly the quota and counts the other events', () => {
  const spent = { storedIds: ['a', 'c'], ofIssues: 2, ofReleases: 2 }
  const counts = { ...books.counts, stored: 2, quota: 1 }
  expect(imbalances(attempts, { ...books, ...spent, counts }, 2)).toEqual([])
  expect(imbalances(attempts, { ...books, ...spent, counts }, 3)).not.toEqual([])
})

test.each<[string, Partial<Books>]>([
  ['an event that is stored twice', { storedIds: ['a', 'a', 'b'] }],
  [
    'an answered event that is lost',
    {
      storedIds: ['a', 'c', 'x'].slice(0, 2),
      ...countsWith({ stored: 2 }),
      ofIssues: 2,
      ofReleases: 2,
    },
  ],
  ['an event without a sender', { storedIds: ['a', 'b', 'x'] }],
  ['one that is stored and not counted', countsWith({ stored: 2 })],
  ['one that is counted twice', countsWith({ duplicate: 3 })],
  ['an issue that counts too much', { ofIssues: 4 }],
  ['a release that counts too little', { ofReleases: 2 }],
  ['a refused one that is not counted', countsWith({ invalid: 0 })],
  ['one beyond its size that is counted twice', countsWith({ size: 4 })],
  ['a drop without an answer', countsWith({ store: 3 })],
  ['an unexpected outcome', countsWith({ filtered: 0 })],
  ['a session that is lost', { unsupported: 0 }],
  ['a session that is counted twice', { unsupported: 2 }],
])('%s is seen', (_, over) => {
  expect(imbalances(attempts, { ...books, ...over }, 1_000)).not.toEqual([])
})
