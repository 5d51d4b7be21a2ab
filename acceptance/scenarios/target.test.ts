import { anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { expectedAssertions, type ProbeExpectation } from '@probe-mesh/contracts/outage/catalog'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { parseAllowList } from '@probe-mesh/contracts/target/address'
import pino from 'pino'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { behaviours, fine, rowOf, type Steady } from './behaviour.ts'
import { intervalSeconds } from './interval.ts'
import { startNetwork } from './network.ts'
import { createRegionRuns } from './region-agents.ts'
import { startTarget } from './target.ts'

/** The targets of scenarios behave like their truth, as measured by an agent. */

const host = 'target.example.com'
let runs: ReturnType<typeof createRegionRuns>
const target = useOnce(() => startTarget([host], ['fra', 'nrt']))
const network = useOnce(() => startNetwork(target))
beforeAll(() => {
  const allowed = parseAllowList(['127.0.0.0/8'])
  if (!allowed.ok) throw new Error(allowed.problems.join('\n'))
  const log = pino({ level: 'silent' })
  runs = createRegionRuns({ network, allow: allowed.allow, log, now: Date.now })
})
afterAll(() => {
  runs.close()
})

const measure = (region: string, expectation: ProbeExpectation = {}): Promise<Reading> => {
  const assertions = expectedAssertions({ expect: expectation })
  const url = `http://${host}:${target.portOf(host)}/`
  const assignment = anAssignment({ region, url, owner: 'catalog', assertions, intervalSeconds })
  const context = { slot: Date.now(), kind: 'scheduled', number: 0, lateMs: 0 } as const
  return runs.runOf(region)(assignment, { ...context, signal: new AbortController().signal })
}

/** Repeats the measurement, because a delayed event loop measures nothing. */
const verdictIn = (region: string, expectation?: ProbeExpectation): Promise<string> =>
  vi.waitFor(
    async () => {
      const { verdict, reason } = await measure(region, expectation)
      if (verdict === 'unmeasured') throw new Error(`the run was unmeasured: ${reason}`)
      return verdict
    },
    { timeout: 20_000 },
  )

const measurable = (Object.keys(behaviours) as Steady[]).filter((each) => each !== 'unsafe')

describe('a target measured by an agent', () => {
  test.each(measurable)('gives the reading of its behaviour: %s', async (behaviour) => {
    target.behave(host, behaviour)
    const expectation: ProbeExpectation = behaviour === 'private' ? { statusMin: 401, statusMax: 401 } : {}
    expect(await verdictIn('fra', expectation)).toBe(rowOf(behaviour).truth)
  })

  test('is up with the same expectations when it works', async () => {
    target.behave(host, 'up')
    expect(await verdictIn('fra', { bodyOp: 'contains', bodyValue: fine })).toBe('up')
  })

  test('reports a changed page when the expected text is missing', async () => {
    target.behave(host, 'rewritten')
    await vi.waitFor(async () => {
      const expectation = { bodyOp: 'contains', bodyValue: fine } as const
      expect(await measure('fra', expectation)).toMatchObject({ cause: 'page_changed' })
    })
  })

  test('behaves by region', async () => {
    target.behave(host, 'up')
    target.behave(host, 'denied', ['nrt'])
    expect([await verdictIn('fra'), await verdictIn('nrt')]).toEqual(['up', 'blocked'])
  })

  test('fails the first attempt of every run and is up after the retry', async () => {
    target.behave(host, 'stumbling')
    for (let run = 0; run < 3; run += 1) expect(await verdictIn('fra')).toBe('up')
  })

  test('has one failing run of a hiccup', async () => {
    let failing: Reading
    do {
      // a delayed event loop measured nothing, and the hiccup is over anyway
      target.behave(host, 'hiccup')
      failing = await measure('fra')
    } while (failing.verdict === 'unmeasured')
    expect([failing.verdict, await verdictIn('fra')]).toEqual(['down', 'up'])
  })

  test('changes while it flaps, and records its state over time', async () => {
    const fromMs = Date.now()
    target.behave(host, 'flapping')
    const truths = () => target.truthsOf(host, 'fra', fromMs, Date.now())
    await vi.waitFor(() => expect(truths()).toEqual(new Set(['up', 'down'])), { timeout: 20_000 })
    target.behave(host, 'up')
    await vi.waitFor(() => {
      const nowMs = Date.now()
      expect(target.truthsOf(host, 'fra', nowMs, nowMs)).toEqual(new Set(['up']))
    })
  })

  test('is not measured at an unsafe address', async () => {
    target.behave(host, 'unsafe')
    expect(await measure('fra')).toMatchObject({ verdict: 'unmeasured', cause: 'unsafe_target' })
  })

  test('sends the headers set for a host', async () => {
    target.behave(host, 'up')
    target.mark(host, { 'cf-ray': '8f2a1b3c4d5e6f70-FRA' })
    await vi.waitFor(async () => {
      expect(await measure('fra')).toMatchObject({ details: { cdn: 'cloudflare' } })
    })
  })
})

describe('a region without a network', () => {
  test.each(['denying', 'silent'] as const)(
    'measures nothing with any behaviour of targets: %s',
    async (passage) => {
      target.behave(host, 'down')
      network.turn('nrt', passage)
      expect(await measure('nrt')).toMatchObject({ verdict: 'unmeasured', fault: 'probe' })
      expect(await verdictIn('fra')).toBe('down')
      network.turn('nrt', 'open')
    },
  )
})
