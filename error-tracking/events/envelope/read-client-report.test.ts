import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { readClientReport } from './read-client-report.ts'

const entry = { reason: 'ratelimit_backoff', category: 'error', quantity: 2 }

test('sums counts of the same kind', () => {
  const discarded_events = [entry, { ...entry, category: 'session' }, { ...entry, quantity: 3 }]
  expect(readClientReport({ timestamp: 1, discarded_events })).toEqual([
    { ...entry, quantity: 5 },
    { ...entry, category: 'session' },
  ])
})

test.each([
  ['zero', 0],
  ['fractional', 0.5],
  ['text', '1'],
  ['negative', -1],
])('skips an entry with a %s quantity', (_what, quantity) => {
  expect(readClientReport({ discarded_events: [{ ...entry, quantity }, entry] })).toEqual([entry])
})

test.each([
  ['reason', '<script>'],
  ['reason', 'x'.repeat(41)],
  ['category', ''],
  ['category', null],
])('skips an entry with a %s of %j', (name, value) => {
  expect(readClientReport({ discarded_events: [{ ...entry, [name]: value }] })).toEqual([])
})

test('reads at most 100 kinds with at most 1,000,000 events each, from any JSON', () => {
  const word = fc.string({ minLength: 1, unit: fc.constantFrom(...'abcdefgh') })
  const kind = fc.record({ reason: word, category: word, quantity: fc.maxSafeNat() })
  const payload = fc.oneof(
    fc.jsonValue(),
    fc.record({ discarded_events: fc.array(fc.oneof(kind, fc.jsonValue()), { maxLength: 300 }) }),
  )
  forAll([payload], (any) => {
    const read = readClientReport(any)
    expect(read.length).toBeLessThanOrEqual(100)
    for (const { quantity } of read) expect(quantity).toBeLessThanOrEqual(1_000_000)
  })
})
