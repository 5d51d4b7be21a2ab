import type { StatusRule } from '@probe-mesh/contracts/check/status-rule'
import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import type { StatusChange } from '../../status/observe.ts'
import { checkId } from '../../status/testing.ts'
import { byArrival, createReplay } from './replay.ts'
import { liveThrough, slotsOfScript, type Lived, type Script, type Trouble } from './testing.ts'

const histories = 1_000
const regions = ['iad', 'sjc', 'fra', 'nrt', 'lhr']

const ruleArbitrary: fc.Arbitrary<StatusRule | null> = fc.option(
  fc.record({
    failingRegions: fc.constantFrom<StatusRule['failingRegions']>('majority', 'any', 'all', 1, 2, 3),
    failures: fc.constantFrom(null, 1, 2, 4),
    slowMs: fc.constantFrom(null, 500),
  }),
)
const troubleArbitrary: fc.Arbitrary<Trouble> = fc.record({
  region: fc.nat(regions.length - 1),
  fromSlot: fc.nat(slotsOfScript - 1),
  slots: fc.integer({ min: 1, max: 12 }),
  kind: fc.constantFrom<Trouble['kind']>(
    'answers badly',
    'answers badly',
    'is silent',
    'is silent',
    'is proven',
    'comes and goes',
    'refuses',
    'is slow',
    'is busy',
    'cannot measure',
    'is off',
    'delivers late',
    'quarantined',
    'is doubted',
  ),
})
/** Some troubles hit several regions at once. */
const troublesArbitrary = fc
  .array(fc.tuple(troubleArbitrary, fc.subarray([0, 1, 2, 3, 4])), { maxLength: 6 })
  .map((found) =>
    found.flatMap(([trouble, others]) => [trouble, ...others.map((region) => ({ ...trouble, region }))]),
  )
const scriptArbitrary: fc.Arbitrary<Script> = fc.record({
  regions: fc.subarray(regions, { minLength: 1 }),
  intervalSeconds: fc.constantFrom(10, 30, 60),
  statusRule: ruleArbitrary,
  troubles: troublesArbitrary,
  revisions: fc.array(
    fc.record({
      atSlot: fc.integer({ min: 1, max: 20 }),
      slots: fc.integer({ min: 1, max: 15 }),
      kind: fc.constantFrom('pause' as const, 'fewer regions' as const),
    }),
    { maxLength: 1 },
  ),
  seed: fc.integer({ min: 1, max: 2 ** 31 }),
})

/** A failure that arrives too late to count stays a suspect, and is due for ever. */
const oldFailure: Script = {
  regions: ['iad', 'sjc'],
  intervalSeconds: 60,
  statusRule: null,
  troubles: [
    { region: 0, fromSlot: 2, slots: 4, kind: 'is silent' },
    { region: 0, fromSlot: 2, slots: 8, kind: 'delivers late' },
    { region: 0, fromSlot: 6, slots: 40, kind: 'is off' },
    { region: 1, fromSlot: 14, slots: 40, kind: 'is off' },
  ],
  revisions: [],
  seed: 7,
}

/** A slow reading arrives in a quarantine, and once more after it: it does not count then either. */
const repeatedAfterQuarantine: Script = {
  regions,
  intervalSeconds: 10,
  statusRule: { failingRegions: 'majority', failures: null, slowMs: 500 },
  troubles: [
    ...[0, 3, 4].map((region) => ({ region, fromSlot: 23, slots: 6, kind: 'is slow' as const })),
    { region: 0, fromSlot: 0, slots: 1, kind: 'is off' },
    ...[1, 0, 4].map((region) => ({ region, fromSlot: 8, slots: 2, kind: 'answers badly' as const })),
    ...[0, 4].map((region) => ({ region, fromSlot: 21, slots: 6, kind: 'quarantined' as const })),
  ],
  revisions: [{ atSlot: 11, slots: 12, kind: 'pause' }],
  seed: 41_657_214,
}

/** A reading arrives in a pause, and once more after it: it was under way when the check was paused. */
const repeatedAfterPause: Script = {
  regions: ['iad', 'sjc', 'lhr'],
  intervalSeconds: 10,
  statusRule: { failingRegions: 'majority', failures: 4, slowMs: null },
  troubles: [2, 1].map((region) => ({ region, fromSlot: 0, slots: 5, kind: 'comes and goes' })),
  revisions: [{ atSlot: 5, slots: 1, kind: 'pause' }],
  seed: 44,
}

/** A reading that counted arrives once more in a quarantine: that withholds no vote. */
const repeatedInQuarantine: Script = {
  regions: ['sjc', 'nrt'],
  intervalSeconds: 30,
  statusRule: null,
  troubles: [
    { region: 0, fromSlot: 17, slots: 2, kind: 'quarantined' },
    ...[0, 1].map((region) => ({ region, fromSlot: 0, slots: 9, kind: 'is off' as const })),
    ...[0, 1].map((region) => ({ region, fromSlot: 17, slots: 3, kind: 'delivers late' as const })),
  ],
  revisions: [{ atSlot: 9, slots: 2, kind: 'pause' }],
  seed: 9,
}
const examples: [Script][] = [
  [oldFailure],
  [repeatedAfterQuarantine],
  [repeatedAfterPause],
  [repeatedInQuarantine],
]

const replayed = ({ history, stored, endMs }: Lived, rule: StatusRule | null): StatusChange[] => {
  const changes: StatusChange[] = []
  const replay = createReplay(history, rule, (change) => changes.push(change))
  for (const arrived of stored.toSorted(byArrival)) replay.judge(arrived)
  replay.passUntil(endMs)
  return changes
}

test('a replay of the stored readings has exactly the flips that the assessor stored', async () => {
  const seen = { lives: 0, down: 0, stale: 0 }
  await forAllAsync([scriptArbitrary], { numRuns: histories, examples }, async (script) => {
    const lived = await liveThrough(script, checkId)
    expect(replayed(lived, script.statusRule)).toEqual(lived.changes)
    seen.lives += 1
    if (lived.changes.some(({ to }) => to === 'down')) seen.down += 1
    if (lived.changes.some(({ to }) => to === 'stale')) seen.stale += 1
  })
  // histories without an outage would prove nothing
  expect(seen.down).toBeGreaterThan(seen.lives / 10)
  expect(seen.stale).toBeGreaterThan(seen.lives / 10)
}, 240_000)
