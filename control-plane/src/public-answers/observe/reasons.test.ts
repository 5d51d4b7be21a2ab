import { Verdict, type Reading } from '@probe-mesh/contracts/reading/reading'
import { documentedReasons } from '@probe-mesh/infra/testing/documented-reasons'
import { expect, test } from 'vitest'
import { describeService } from '../describe-service.ts'
import { observeReading } from '../../status/observe.ts'
import { newCheckState } from '../../status/state.ts'
import { describeStatus } from '../../status/status.ts'
import { createCatalogMemory } from './catalog-memory.ts'
import { catalogReading, testCatalog } from './testing.ts'

/** Every cause in docs/reasons.md, in the status of a check and in the answer about a service. */

const nowMs = Date.parse('2026-11-20T12:00:00.000Z')
const regions = ['fra', 'iad']
const probes = [{ url: 'https://one.example/', grade: 'works' }] as const
const samples: Readonly<Record<string, string>> = { time: '10 s', status: '403', expected: '200' }

type Case = { cause: string; verdict: Verdict; reason: string }

/** The documented cases with examples instead of placeholders. */
const cases: Case[] = documentedReasons
  .filter(({ cause }) => cause !== 'ok')
  .map(({ cause, verdict, reason }) => ({
    cause,
    verdict: Verdict.parse(verdict.split(',')[0]),
    reason: reason.replaceAll(/\{([a-z]+)\}/g, (_, name: string) => samples[name] ?? `a ${name}`),
  }))

const readingsOf = ({ cause, verdict, reason }: Case): Reading[] =>
  regions.flatMap((region, index) => [
    catalogReading(['one', 0], region, verdict, nowMs - 1_000, { cause, reason }),
    // a failure counts once it is confirmed
    catalogReading(['one', 0], region, verdict, nowMs - 2 + index, {
      cause,
      reason,
      kind: 'confirmation',
    }),
  ])
/** The answer about a service that was up a day ago and now has readings of this case. */
const answerTo = (one: Case) => {
  const memory = createCatalogMemory({ catalog: testCatalog, regions, now: () => nowMs })
  const oldMs = nowMs - 86_400_000
  for (const region of regions) memory.add(catalogReading(['one', 0], region, 'up', oldMs))
  for (const reading of readingsOf(one)) memory.add(reading)
  const readings = memory.readingsOf('one').map((region) => ({ ...region, quarantined: false }))
  const options = { nowMs, staleAfterMs: 180_000, vantage: 'regional' } as const
  return describeService({ slug: 'one', name: 'One' }, readings, null, options, probes)
}
const statusOf = (one: Case) => {
  const schedule = { regions, intervalSeconds: 60 }
  const state = readingsOf(one).reduce(
    (before, reading) => observeReading(before, schedule, reading, nowMs).state,
    newCheckState,
  )
  return describeStatus(state, schedule, nowMs)
}

test('the cases contain every documented cause', () => {
  expect(cases.length).toBeGreaterThan(100)
  const causes = new Set(cases.map(({ cause }) => cause))
  for (const cause of ['dnssec_failed', 'host_unreachable', 'page_changed', 'probe_offline']) {
    expect(causes).toContain(cause)
  }
})

// a check that is refused everywhere is neither up nor down
const statuses = { down: 'down', blocked: 'degraded', unmeasured: 'unknown' } as const

test.each(cases)('the status of a check gives the reason of $verdict, $cause: $reason', (one) => {
  const { status, statusReason, regionStatuses } = statusOf(one)
  expect(status).toBe(one.verdict === 'up' ? 'operational' : statuses[one.verdict])
  expect(statusReason).toContain(one.reason)
  const regional = one.verdict === 'unmeasured' ? `not measured: ${one.reason}` : one.reason
  expect(regionStatuses.map(({ reason }) => reason)).toEqual([regional, regional])
})

const measured = 'measured 2026-11-20 11:59 UTC.'
const last = 'the last measurement was at 2026-11-19 12:00 UTC.'
const unsure = 'so we cannot say whether it is up or down'
const sentenceOf = ({ verdict, cause, reason }: Case): string => {
  if (verdict === 'down') {
    return `One is down in 2 of 2 regions: ${reason} (probed one.example), ${measured}`
  }
  if (verdict === 'blocked') return `One refused our probes in 2 of 2 regions, ${unsure}, ${measured}`
  const why =
    cause === 'page_changed'
      ? 'The measured page of One changed'
      : `Our probes could not measure One (${reason})`
  return `${why}, ${unsure}; ${last}`
}

test.each(cases)('an answer gives the reason of $verdict, $cause: $reason', (one) => {
  const answer = answerTo(one)
  const expected = { down: 'down', blocked: 'blocked', up: 'up', unmeasured: 'no_data' } as const
  expect(answer.status).toBe(expected[one.verdict])
  expect(answer.summary).toBe(sentenceOf(one))
  // plain text: no codes, no placeholders, no missing values
  expect(answer.summary).not.toMatch(/_|[{}]|undefined|null/)
  for (const { reason, status } of answer.regions) {
    expect(reason).toContain(one.cause === 'page_changed' ? 'measured page' : one.reason)
    if (one.verdict === 'unmeasured') expect(status).toBe('stale')
  }
})

test('the reason of a stale reading without a measurement is not shown', () => {
  const one = { cause: 'probe_offline', verdict: 'unmeasured', reason: 'x' } as const
  const memory = createCatalogMemory({ catalog: testCatalog, regions, now: () => nowMs })
  for (const reading of readingsOf(one)) memory.add(reading)
  const readings = memory.readingsOf('one').map((region) => ({ ...region, quarantined: false }))
  const options = { nowMs: nowMs + 180_000, staleAfterMs: 180_000, vantage: 'regional' } as const
  const { summary, regions: described } = describeService(
    { slug: 'one', name: 'One' },
    readings,
    null,
    options,
    probes,
  )
  expect(summary).toMatch(/^We have no recent measurement of One, /)
  expect(described.map(({ reason }) => reason)).toEqual(['no reading yet', 'no reading yet'])
})
