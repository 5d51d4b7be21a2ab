import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import { unansweredAt as readingAt } from '../testing.ts'
import { withoutVotes } from './quarantine-board.ts'
import { judgeSurvey, nextQuarantine } from './quarantine.ts'
import { surveyRegions } from './survey.ts'
import { tallyOf } from './tally.ts'
import { surveyMesh, watchHosts, type Mesh } from './testing.ts'

const regions = ['iad', 'sjc', 'fra', 'nrt']
const t0 = 1_700_000_000_000

const stepArbitrary = fc.record({
  host: fc.nat(11),
  region: fc.constantFrom(...regions),
  verdict: fc.constantFrom<Verdict>('up', 'down', 'blocked', 'unmeasured'),
  kind: fc.constantFrom('scheduled' as const, 'confirmation' as const),
  aheadMs: fc.integer({ min: 0, max: 8_000 }),
})
const stepsArbitrary = fc.array(stepArbitrary, { minLength: 30, maxLength: 150 })

describe('for any readings in any order', () => {
  const play = (steps: readonly (typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never)[]) => {
    const watch = watchHosts(60)
    let nowMs = t0
    for (const { host, region, verdict, kind, aheadMs } of steps) {
      nowMs += aheadMs
      watch.take(`host-${host}`, readingAt(region, verdict, nowMs, { kind }))
    }
    return { watch, nowMs }
  }

  test('the order of the hosts never matters', () => {
    forAll([stepsArbitrary, fc.infiniteStream(fc.nat())], (steps, order) => {
      const { watch, nowMs } = play(steps)
      const shuffled = watch
        .hosts()
        .map((host) => ({ host, at: order.next().value ?? 0 }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ host }) => host)
      expect(surveyRegions(shuffled, nowMs)).toEqual(watch.survey(nowMs))
    })
  })

  test('the survey of a region depends only on hosts that it measured', () => {
    forAll([stepsArbitrary], (steps) => {
      const { watch, nowMs } = play(steps)
      for (const region of regions) {
        const measured = watch.hosts().filter(({ host }) => watch.heldOf(host).has(region))
        expect(surveyRegions(measured, nowMs).get(region)).toEqual(watch.survey(nowMs).get(region))
      }
    })
  })

  test('a host fails in at most half of the regions, and only where they report it', () => {
    forAll([stepsArbitrary], (steps) => {
      const { watch, nowMs } = play(steps)
      for (const host of watch.hosts()) {
        const surveys = [...surveyRegions([host], nowMs)]
        const failing = surveys.filter(([, survey]) => survey.failing.length > 0)
        expect(failing.length).toBeLessThanOrEqual(regions.length / 2)
        for (const [region] of failing) {
          expect(watch.heldOf(host.host).get(region)?.says).toBe('fails')
        }
      }
    })
  })
})

describe('for any behaviour of account targets', () => {
  const tenantArbitrary = fc.record({
    account: fc.nat(60),
    /** The target's behaviour for each region, round by round: mostly it fails for one of them. */
    failsIn: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...regions).map((region) => [region]) },
      { weight: 1, arbitrary: fc.subarray(regions) },
    ),
    calmRounds: fc.nat(2),
  })
  test('no region is quarantined while the catalog works, nor kept in quarantine', () => {
    forAll(
      [fc.array(tenantArbitrary, { minLength: 1, maxLength: 80 }), fc.constantFrom(0, 3, 12)],
      (tenants, catalogHosts) => {
        const watch = watchHosts(60, (host) => {
          const [accountId] = host.split(' ')
          return accountId === 'catalog'
            ? { kind: 'catalog' }
            : { kind: 'account', accountId: accountId ?? '' }
        })
        let nowMs = t0
        for (let round = 0; round < 4; round++) {
          nowMs += 60_000
          for (const [index, region] of regions.entries()) {
            for (let host = 0; host < catalogHosts; host++) {
              watch.take(`catalog ${host}`, readingAt(region, 'up', nowMs + index))
            }
            for (const [host, { account, failsIn, calmRounds }] of tenants.entries()) {
              const fails = round > calmRounds && failsIn.includes(region)
              const reading = readingAt(region, fails ? 'down' : 'up', nowMs + index)
              watch.take(`${account} ${host}`, reading)
            }
          }
          for (const survey of watch.survey(nowMs + 10).values()) {
            expect(judgeSurvey(survey)).not.toBe('broken')
            const begun = { sinceMs: t0, cleanSinceMs: null, comparedAtMs: t0 }
            expect(nextQuarantine(begun, survey, nowMs)?.cleanSinceMs).toBe(nowMs)
          }
        }
      },
    )
  })

  test('an account holds at most one part of the evidence', () => {
    const hostArbitrary = fc.record({
      host: fc.string(),
      account: fc.nat(5),
      site: fc.nat(5),
      network: fc.option(fc.nat(5)),
      fails: fc.boolean(),
    })
    forAll([fc.array(hostArbitrary, { maxLength: 60 }), fc.nat(5)], (hosts, one) => {
      const compared = hosts.map(({ host, account, site, network, fails }) => ({
        host,
        owner: { kind: 'account' as const, accountId: String(account) },
        site: String(site),
        network: network === null ? null : String(network),
        failingSinceMs: fails ? t0 : null,
      }))
      const all = tallyOf(compared)
      expect(all.sources).toBeLessThanOrEqual(new Set(compared.map(({ site }) => site)).size)
      expect(all.sourcesFailing).toBeLessThanOrEqual(all.sources)
      const other = compared.filter(({ owner }) => owner.accountId !== String(one))
      const failingAccounts = new Set(
        compared.flatMap(({ owner, failingSinceMs }) => (failingSinceMs === null ? [] : [owner.accountId])),
      )
      expect(all.sourcesFailing).toBeLessThanOrEqual(failingAccounts.size)
      expect(all.hosts - tallyOf(other).hosts).toBe(compared.length - other.length)
    })
  })

  test('a majority never loses its votes, and all control planes choose the same regions', () => {
    const doubted = fc.record({ region: fc.constantFrom(...regions, 'ams'), sinceMs: fc.nat(9) })
    forAll([fc.array(doubted), fc.nat(6)], (all, live) => {
      const chosen = withoutVotes(all, live)
      expect(chosen.length * 2).toBeLessThanOrEqual(live)
      expect(withoutVotes(all.toReversed(), live)).toEqual(chosen)
      expect(withoutVotes([...all, ...all], live)).toEqual(chosen)
    })
  })
})

const intervalSeconds = 60
const intervalMs = intervalSeconds * 1_000
const slot = fc.integer({ min: 0, max: intervalMs - 1 })
const meshArbitrary = fc
  .record({
    regions: fc.integer({ min: 2, max: 4 }).map((count) => regions.slice(0, count)),
    hosts: fc.integer({ min: 8, max: 24 }),
    asks: fc.boolean(),
  })
  .chain(({ regions, hosts, asks }) =>
    fc.record({
      regions: fc.constant(regions),
      asks: fc.constant(asks),
      phases: fc.array(fc.array(slot, { minLength: regions.length, maxLength: regions.length }), {
        minLength: hosts,
        maxLength: hosts,
      }),
      /** The number of failing hosts, which are the first ones. */
      failing: fc.integer({ min: Math.floor(hosts * 0.3) + 1, max: hosts }),
    }),
  )
const beginsMs = 2 * intervalMs

describe('a mesh that measures correctly', () => {
  test('an outage everywhere quarantines no region', () => {
    forAll(
      [meshArbitrary, fc.integer({ min: 2 * intervalMs, max: 5 * intervalMs })],
      { numRuns: 60 },
      ({ failing, ...mesh }, lastsMs) => {
        const answers: Mesh['answers'] = (host, _, atMs) =>
          host >= failing || atMs < beginsMs || atMs >= beginsMs + lastsMs
        surveyMesh({ ...mesh, intervalSeconds, answers }, beginsMs + lastsMs + 2 * intervalMs, (surveys) => {
          expect([...surveys].filter(([, survey]) => judgeSurvey(survey) === 'broken')).toEqual([])
        })
      },
    )
  })

  test("a region's own failure is found within two intervals, and in that region only", () => {
    forAll([meshArbitrary], { numRuns: 60 }, ({ failing, ...mesh }) => {
      const broken = mesh.regions[0]
      const answers: Mesh['answers'] = (host, region, atMs) =>
        host >= failing || region !== broken || atMs < beginsMs
      // two slots, and the attempts of the second
      const foundByMs = beginsMs + 2 * intervalMs + 21_000
      surveyMesh({ ...mesh, intervalSeconds, answers }, foundByMs + 2 * intervalMs, (surveys, nowMs) => {
        const unlikely = [...surveys].flatMap(([region, survey]) =>
          judgeSurvey(survey) === 'broken' ? [region] : [],
        )
        expect(unlikely.filter((region) => region !== broken)).toEqual([])
        if (nowMs > foundByMs) expect(unlikely).toEqual([broken])
      })
    })
  })
})
