import { expect, test } from 'vitest'
import { ownNetworkSuspects } from './own-network.ts'
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

const withWrongAnswers = (some: ObservedService[]): ObservedService[] =>
  some.map((one) => ({
    ...one,
    failures: one.failures.map((failure) => ({ ...failure, mode: 'wrong_answer' as const })),
  }))

test.each<[number, string, ObservedService[]]>([
  [20, 'half of the catalog is silent', services('a', 40, 20)],
  [40, 'the whole catalog is silent', services('a', 40, 40)],
  [5, '5 unrelated services of 40 are silent', services('a', 40, 5)],
  [0, '4 unrelated services of 40 are silent', services('a', 40, 4)],
  [0, '5 unrelated services of 277 are silent', services('a', 277, 5)],
  [0, 'half of the catalog answers wrongly', withWrongAnswers(services('a', 40, 20))],
  [
    0,
    'all silent services share a CDN',
    [...services('c', 12, 12, { factors: [cdn] }), ...services('a', 60, 0)],
  ],
  [
    20,
    '12 silent services share a CDN and 8 others are silent too',
    [...services('c', 12, 12, { factors: [cdn] }), ...services('a', 60, 8)],
  ],
  [
    0,
    'all silent services belong to one vendor',
    [...services('v', 9, 9, { vendor: 'Acme' }), ...services('a', 60, 0)],
  ],
])('suspects our own network for %i services if %s', (suspects, _, all) => {
  expect(ownNetworkSuspects(all).size).toBe(suspects)
})
