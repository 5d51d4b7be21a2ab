import fc from 'fast-check'
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
  ['nothing', 0],
  ['half an event', 0.5],
  ['a text', '1'],
  ['less than nothing', -1],
])('%s is no quantity', (_what, quantity) => {
  expect(readClientReport({ discarded_events: [{ ...entry, quantity }, entry] })).toEqual([entry])
})

test.each([
  ['reason', '<script>'],
  ['reason', 'x'.repeat(41)],
  ['category', ''],
  ['category', null],
])('a %s of %j is passed over', (name, value) => {
  expect(readClientReport({ discarded_events: [{ ...entry, [name]: value }] })).toEqual([])
})

test('reads at most 100 kinds, each with a bounded count, from any JSON', () => {
  const word = fc.string({ minLength: 1, unit: fc.constantFrom(...'abcdefgh') })
  const kind = fc.record({ reason: word, category: word, quantity: fc.maxSafeNat() })
  const payload = fc.oneof(
    fc.jsonValue(),
    fc.record({ discarded_events: fc.array(fc.oneof(kind, fc.jsonValue()), { maxLength: 300 }) }),
  )
  fc.assert(
    fc.property(payload, (any) => {
      const read = readClientReport(any)
      expect(read.length).toBeLessThanOrEqual(100)
      for (const { quantity } of read) expect(quantity).toBeLessThanOrEqual(1_000_000)
    }),
  )
})
