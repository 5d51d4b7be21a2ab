import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { Registry } from 'prom-client'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { catalogAccountId } from '../../accounts/accounts-store.ts'
import { openQuarantineBoard, type QuarantineBoard } from '../../status/quarantine/quarantine-board.ts'
import { cleanMs } from '../../status/quarantine/quarantine.ts'
import { newCheckState } from '../../status/state.ts'
import { unansweredAt as readingAt } from '../../status/testing.ts'
import { createAssessmentState } from './assessment-state.ts'
import { assessMetrics } from './metrics.ts'
import { createQuarantiner } from './quarantiner.ts'
import { createRegionWatch } from './region-watch.ts'

const regions = ['iad', 'sjc', 'fra', 'nrt']
const minute = 60_000

let folder: string
let bus: Bus
let nowMs: number
let boards: QuarantineBoard[]
beforeEach(async () => {
  folder = testFolder('evidence-')
  bus = await openInProcessBus({ directory: folder })
  nowMs = 1_700_000_000_000
  boards = []
})
afterEach(async () => {
  await Promise.all(boards.map((board) => board.close()))
  await bus.close()
})

/** The target's behaviour for each region. */
type Does = (region: string) => 'up' | 'down' | 'offline'
type Watched = { checkId: string; does: Does; address: string }

const readingOf = (region: string, { checkId, does, address }: Watched): Reading => {
  const saw = does(region)
  return saw === 'offline'
    ? { ...readingAt(region, 'unmeasured', nowMs, { cause: 'probe_offline' }), checkId }
    : { ...readingAt(region, saw, nowMs, { address }), checkId }
}

/** One control plane's view: hosts of several owners, measured from all regions each minute. */
const watching = async () => {
  const now = () => nowMs
  const board = await openQuarantineBoard({ events: bus.events, liveRegions: 4, now })
  boards.push(board)
  const assessmentState = createAssessmentState(now)
  const registry = new Registry()
  const metrics = assessMetrics(registry, assessmentState)
  const watch = createRegionWatch({ find: assessmentState.get, metrics, now })
  const quarantiner = createQuarantiner({ assessmentState, board, watch, metrics, now })
  const watched: Watched[] = []
  let quarantinedEver = new Set<string>()
  return {
    board,
    quarantiner,
    quarantinedEver: () => [...quarantinedEver].toSorted(),
    forgetPast: () => (quarantinedEver = new Set()),
    gauge: async (name: string) => (await registry.getSingleMetric(name)?.get())?.values ?? [],
    add: (accountId: string, host: string, does: Does = () => 'up') => {
      const n = watched.length
      const check = {
        checkId: uuidv7(nowMs),
        accountId,
        name: host,
        host,
        regions,
        intervalSeconds: 60,
        paused: false,
        state: newCheckState,
      }
      assessmentState.load(check, { partition: 0, epoch: 1 })
      const address = `198.51.${100 + (n >> 8)}.${n & 255}`
      watched.push({ checkId: check.checkId, does, address: address.replace('198.51', '93.184') })
    },
    pass: (minutes: number) => {
      for (let n = 0; n < minutes; n++) {
        for (let second = 0; second < 60; second += 10) {
          if (second === 0) {
            for (const one of watched) {
              for (const region of regions) watch.note(readingOf(region, one))
            }
          }
          nowMs += 10_000
          quarantiner.decide()
          for (const region of board.regions()) quarantinedEver.add(region)
        }
      }
    },
  }
}

const only =
  (broken: () => string | undefined): Does =>
  (region) =>
    region === broken() ? 'down' : 'up'

describe('targets that fail for one region only', () => {
  const catalogs: [string, number][] = [
    ['beside a catalog', 20],
    ['beside a small catalog', 3],
    ['without a catalog', 0],
  ]
  test.each(catalogs)('of one account with 60 checks, %s', async (_, catalogHosts) => {
    const at = await watching()
    for (let n = 0; n < catalogHosts; n++) at.add(catalogAccountId, `service-${n}.com`)
    let groups = 1
    for (let n = 0; n < 60; n++) {
      at.add(
        'attacker',
        `host-${n}.com`,
        only(() => (groups === 1 ? 'nrt' : regions[n % groups])),
      )
    }
    at.pass(5)
    groups = 3
    at.pass(5)
    expect(at.quarantinedEver()).toEqual([])
    for (const { value } of await at.gauge('region_quarantined')) expect(value).toBe(0)
  })

  test.each(catalogs)('of 50 accounts together, each host another domain, %s', async (_, catalogHosts) => {
    const at = await watching()
    for (let n = 0; n < catalogHosts; n++) at.add(catalogAccountId, `service-${n}.com`)
    let groups = 1
    for (let n = 0; n < 500; n++) {
      const does = only(() => (groups === 1 ? 'nrt' : regions[n % groups]))
      at.add(`account ${n % 50}`, `host-${n}.com`, does)
    }
    at.pass(4)
    groups = 3
    at.pass(4)
    expect(at.quarantinedEver()).toEqual([])
    expect(at.quarantiner.refused().map(({ region, why }) => `${region} ${why}`)).toEqual(
      ['iad', 'sjc', 'fra'].map((region) => `${region} unconfirmed`),
    )
    expect(await at.gauge('region_doubts_refused')).toContainEqual({
      labels: { region: 'fra', why: 'unconfirmed' },
      value: 1,
    })
  })

  test('neither start a quarantine nor prolong one that the catalog has ended', async () => {
    const at = await watching()
    let broken: string | undefined = 'fra'
    for (let n = 0; n < 20; n++)
      at.add(
        catalogAccountId,
        `service-${n}.com`,
        only(() => broken),
      )
    for (let n = 0; n < 500; n++)
      at.add(
        `account ${n % 50}`,
        `host-${n}.com`,
        only(() => 'fra'),
      )
    at.pass(3)
    expect(at.board.regions()).toEqual(['fra'])
    broken = undefined
    at.pass(cleanMs / minute + 3)
    expect(at.board.regions()).toEqual([])
  })

  test('are named with their shares, at most 20 and the rest together', async () => {
    const at = await watching()
    for (let n = 0; n < 20; n++) at.add(catalogAccountId, `service-${n}.com`)
    for (let n = 0; n < 30; n++)
      at.add(
        'attacker',
        `host-${n}.wildcard.com`,
        only(() => 'nrt'),
      )
    for (let n = 0; n < 30; n++)
      at.add(
        `account ${n}`,
        `other-${n}.com`,
        only(() => 'nrt'),
      )
    at.pass(3)
    const [doubt] = at.quarantiner.refused()
    expect(doubt).toMatchObject({ region: 'nrt', why: 'unconfirmed' })
    const { evidence } = doubt ?? {}
    expect(evidence).toMatchObject({ hosts: 60, failing: 40, refused: 40 })
    expect(evidence?.sources.accounts.named[0]).toEqual({ name: 'attacker', hosts: 10 })
    expect(evidence?.sources.accounts).toMatchObject({ otherHosts: 11, distinct: 31 })
    expect(evidence?.sources.domains.named[0]).toEqual({ name: 'wildcard.com', hosts: 10 })
    expect(evidence?.sources.networks.named).toHaveLength(20)
  })
})

describe("a region's own failure", () => {
  test('is found within two intervals by the catalog, with any checks of accounts', async () => {
    const at = await watching()
    let broken: string | undefined
    for (let n = 0; n < 12; n++)
      at.add(
        catalogAccountId,
        `service-${n}.com`,
        only(() => broken),
      )
    for (let n = 0; n < 1_000; n++) at.add(`account ${n % 100}`, `host-${n}.com`)
    at.pass(2)
    broken = 'fra'
    at.pass(2)
    expect(at.board.regions()).toEqual(['fra'])
  })

  test('is found by checks of accounts without a catalog if the canaries fail too', async () => {
    const at = await watching()
    let isBroken = false
    for (let n = 0; n < 40; n++) {
      const saw = n % 8 === 0 ? 'offline' : 'down'
      at.add(`account ${n % 20}`, `host-${n}.com`, (region) => (isBroken && region === 'fra' ? saw : 'up'))
    }
    at.pass(2)
    isBroken = true
    at.pass(2)
    expect(at.board.regions()).toEqual(['fra'])
  })

  test('is found by checks of accounts if a catalog too small to decide fails there too', async () => {
    const at = await watching()
    let broken: string | undefined
    for (let n = 0; n < 3; n++)
      at.add(
        catalogAccountId,
        `service-${n}.com`,
        only(() => broken),
      )
    for (let n = 0; n < 40; n++)
      at.add(
        `account ${n % 20}`,
        `host-${n}.com`,
        only(() => broken),
      )
    at.pass(2)
    broken = 'fra'
    at.pass(2)
    expect(at.board.regions()).toEqual(['fra'])
  })

  test('takes the votes of at most half of the regions, and reports which it left', async () => {
    const at = await watching()
    for (let n = 0; n < 48; n++) {
      at.add(
        catalogAccountId,
        `service-${n}.com`,
        only(() => regions[n % 3]),
      )
    }
    at.pass(4)
    expect(at.board.regions()).toHaveLength(2)
    expect(at.quarantiner.refused()).toMatchObject([{ why: 'majority' }])
  })
})

describe('many hosts of one', () => {
  test('domain of the catalog count as one', async () => {
    const at = await watching()
    for (let n = 0; n < 30; n++)
      at.add(
        catalogAccountId,
        `host-${n}.one.com`,
        only(() => 'fra'),
      )
    for (let n = 0; n < 10; n++) at.add(catalogAccountId, `service-${n}.com`)
    at.pass(3)
    expect(at.board.regions()).toEqual([])
  })
})
