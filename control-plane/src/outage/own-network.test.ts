import { expect, test } from 'vitest'
import { doubtedServices } from './own-network.ts'
import type { Factor, ObservedService } from './shared-factors.ts'
import { serviceOf, t0 } from './testing.ts'

const cdn: Factor = { kind: 'cdn', name: 'cloudway' }

const services = (
  prefix: string,
  count: number,
  down: number,
  more: Partial<ObservedService> = {},
): ObservedService[] =>
  Array.from({ length: count }, (_, index) => ({
    ...serviceOf(`${prefix}-${index}`, more.factors ?? [], index < down ? t0 : null),
    vendor: more.vendor ?? null,
  }))

const answered = (some: ObservedService[]): ObservedService[] =>
  some.map((one) => ({
    ...one,
    failures: one.failures.map((failure) => ({ ...failure, sign: 'answered' as const })),
  }))

test.each<[string, ObservedService[], number]>([
  ['half of the catalog gives no answer', services('a', 40, 20), 20],
  ['all of it does', services('a', 40, 40), 40],
  ['five of forty do, and are unrelated', services('a', 40, 5), 5],
  ['four do', services('a', 40, 4), 0],
  ['five of 277 do', services('a', 277, 5), 0],
  ['they all answer wrongly', answered(services('a', 40, 20)), 0],
  [
    'they share a CDN, and the others are well',
    [...services('c', 12, 12, { factors: [cdn] }), ...services('a', 60, 0)],
    0,
  ],
  [
    'many share a CDN, and many do not',
    [...services('c', 12, 12, { factors: [cdn] }), ...services('a', 60, 8)],
    20,
  ],
  ['they are of one vendor', [...services('v', 9, 9, { vendor: 'Acme' }), ...services('a', 60, 0)], 0],
])('where %s', (_, all, doubted) => {
  expect(doubtedServices(all).size).toBe(doubted)
})
