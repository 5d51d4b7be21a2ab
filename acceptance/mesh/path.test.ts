import { createApiClient } from '@probe-mesh/contracts/api/client'
import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import type { RouteCall, RouteName, RouteOutput } from '@probe-mesh/contracts/api/routes'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, expect, test, vi } from 'vitest'
import { startMesh } from '@probe-mesh/infra/testing/mesh'
import { startTarget, type Target } from '@probe-mesh/infra/testing/target'
import { granted } from '../testing/granted.ts'

/**
 * The whole path through public interfaces only: REST in, a real target out, real databases between. Statuses
 * need several intervals, so every wait is for a state, with a limit.
 */

const regions = ['iad', 'sjc', 'fra', 'nrt']
const intervalSeconds = 2
const stateTimeout = { timeout: 60_000, interval: 100 }
const long = { timeout: 120_000 }

const targets: Target[] = []

const mesh = useOnce(() =>
  startMesh({
    regions,
    tiers: { scale: { intervalSecondsMin: 1 } },
    budgetScale: 10_000,
  }),
)
const client = useOnce(() => createApiClient({ apiUrl: mesh.apiUrl, apiKey: mesh.apiKey }))
afterAll(async () => {
  await Promise.all(targets.map((target) => target.close()))
})

const call = <N extends RouteName>(name: N, input: RouteCall<N>): Promise<RouteOutput<N>> =>
  granted(client.call(name, input))

const createTarget = async (): Promise<Target> => {
  const target = await startTarget()
  targets.push(target)
  return target
}

const createCheck = async (target: Target, more: object = {}): Promise<string> => {
  const body = { name: 'path', url: target.url('/health'), intervalSeconds, ...more }
  return (await call('createCheck', { body })).id
}

const detail = (id: string): Promise<CheckDetail> => call('getCheck', { params: { id } })

const becomes = async (id: string, status: CheckDetail['status']): Promise<CheckDetail> =>
  await vi.waitFor(async () => {
    const check = await detail(id)
    expect(check.status).toBe(status)
    return check
  }, stateTimeout)

/** Waits until every region has measured again, so that the state is not an old one. */
const everyRegionAgain = async (id: string, times: number): Promise<void> => {
  for (let round = 0; round < times; round++) {
    const since = Date.now()
    await vi.waitFor(async () => {
      const { regionStatuses } = await detail(id)
      for (const region of regionStatuses) {
        expect(Date.parse(region.measuredAt ?? '')).toBeGreaterThan(since)
      }
    }, stateTimeout)
  }
}

const flipsOf = (id: string): string[] =>
  mesh.flips.filter((flip) => flip.checkId === id).map((flip) => flip.to)

test(
  'a check goes unknown, operational, down, operational, and its history says the same',
  long,
  async () => {
    const target = await createTarget()
    const created = await call('createCheck', {
      body: { name: 'life', url: target.url('/life'), intervalSeconds },
    })
    expect(created).toMatchObject({ status: 'unknown', allRegions: true, regions, type: 'http' })
    const { id } = created
    const first = await becomes(id, 'operational')
    expect(first.vantage).toBe('local')
    await vi.waitFor(async () => {
      const { regionStatuses } = await detail(id)
      expect(regionStatuses.map((region) => region.status)).toEqual(regions.map(() => 'up'))
    }, stateTimeout)

    target.behave('fail')
    const down = await becomes(id, 'down')
    expect(down.statusReason).toContain('expected status 200-299, got 503')
    target.behave('ok')
    await becomes(id, 'operational')
    await vi.waitFor(() => {
      const flips = flipsOf(id)
      expect(flips[0]).toBe('operational')
      expect(flips.filter((to) => to === 'down')).toHaveLength(1)
      expect(flips.at(-1)).toBe('operational')
    }, stateTimeout)

    const isUp = ({ verdict, kind }: { verdict: string; kind: string }): boolean =>
      verdict === 'up' && kind === 'scheduled'
    // the first readings of a check, and the ones that confirm, are not scheduled
    const readings = await vi.waitFor(async () => {
      const listed = await call('listReadings', { params: { id }, query: { limit: 1_000 } })
      expect(listed.readings.some(isUp)).toBe(true)
      return listed.readings
    }, stateTimeout)
    // a delayed event loop measures nothing and reports that
    const verdicts = new Set(readings.map((reading) => reading.verdict))
    verdicts.delete('unmeasured')
    expect(verdicts).toEqual(new Set(['up', 'down']))
    const manual = readings.filter((reading) => reading.kind === 'manual')
    expect(manual.map((reading) => reading.region).toSorted()).toEqual(regions.toSorted())
    const up = readings.find(isUp)
    expect(up).toMatchObject({ httpStatus: 200, reason: null })
    expect(up?.timings.connectMs).toBeGreaterThanOrEqual(0)
    expect(up?.timings.ttfbMs).toBeGreaterThanOrEqual(0)
    const slots = readings
      .filter((reading) => reading.kind === 'scheduled')
      .map((reading) => `${reading.region} ${reading.slot}`)
    expect(new Set(slots).size).toBe(slots.length)
  },
)

test.concurrent('the ledger shows every expected slot and no lost one', long, async () => {
  const target = await createTarget()
  const id = await createCheck(target, { regions: ['fra', 'nrt'] })
  await becomes(id, 'operational')
  await everyRegionAgain(id, 4)
  await vi.waitFor(async () => {
    const { points } = await call('getSeries', { params: { id }, query: { step: 60 } })
    const sum = (pick: (point: (typeof points)[number]) => number) =>
      points.reduce((total, point) => total + pick(point), 0)
    expect(sum((point) => point.due)).toBeGreaterThanOrEqual(8)
    expect(sum((point) => point.lost)).toBe(0)
    expect(sum((point) => point.measured)).toBeGreaterThanOrEqual(sum((point) => point.due))
    const upOrNothing = (point: (typeof points)[number]) => point.up + point.unmeasured
    expect(sum(upOrNothing)).toBe(sum((point) => point.measured))
    const measured = points.filter((point) => point.up > 0)
    expect(measured).not.toEqual([])
    expect(measured.every((point) => point.availability === 1 && point.p50Ms !== null)).toBe(true)
  }, stateTimeout)
})

test.concurrent('one region alone failing is degraded, with that region and its reason', long, async () => {
  const target = await createTarget()
  const id = await createCheck(target, { sendRegion: true })
  await becomes(id, 'operational')
  target.behave('fail', ['nrt'])
  await vi.waitFor(async () => {
    const check = await becomes(id, 'degraded')
    expect(check.statusReason).toBe('1 of 4 regions fail (nrt): expected status 200-299, got 503')
    expect(check.regionStatuses.find((region) => region.region === 'nrt')).toMatchObject({
      status: 'down',
      verdict: 'down',
      fresh: true,
    })
  }, stateTimeout)
  await everyRegionAgain(id, 2)
  expect((await detail(id)).status).toBe('degraded')
  expect(flipsOf(id)).not.toContain('down')
})

test.concurrent('a 2-2 split stays degraded and does not oscillate', long, async () => {
  const target = await createTarget()
  const id = await createCheck(target, { sendRegion: true })
  await becomes(id, 'operational')
  target.behave('fail', ['nrt', 'fra'])
  await becomes(id, 'degraded')
  await everyRegionAgain(id, 4)
  expect((await detail(id)).status).toBe('degraded')
  expect(flipsOf(id)).toEqual(['operational', 'degraded'])
})

test.concurrent('a challenge page is blocked, never down', long, async () => {
  const target = await createTarget()
  const id = await createCheck(target)
  await becomes(id, 'operational')
  target.behave('challenge')
  const check = await vi.waitFor(async () => {
    const now = await becomes(id, 'degraded')
    expect(now.regionStatuses.every((region) => region.status === 'blocked')).toBe(true)
    return now
  }, stateTimeout)
  expect(check.statusReason).toContain('blocked')
  expect(check.uptime.day).toBe(1)
  expect(flipsOf(id)).not.toContain('down')
})

test.concurrent('a hanging target fails within its deadline, on both attempts', long, async () => {
  const target = await createTarget()
  const id = await createCheck(target, { regions: ['iad'] })
  await becomes(id, 'operational')
  target.behave('hang')
  const check = await becomes(id, 'down')
  expect(check.statusReason).toContain('no response within 800 ms')
})

test.concurrent('assertions decide: status, body and JSON path', long, async () => {
  const target = await createTarget()
  const id = await createCheck(target, {
    assertionBodyOp: 'contains',
    assertionBodyValue: 'FINE',
    assertionJsonPath: 'items[0].name',
    assertionJsonOp: 'equals',
    assertionJsonValue: 'first',
  })
  await becomes(id, 'operational')
  await call('updateCheckAssertions', {
    params: { id },
    body: { assertionJsonPath: 'items[1].name', assertionJsonOp: 'exists' },
  })
  expect((await becomes(id, 'down')).statusReason).toContain('items[1].name')
  await call('updateCheckAssertions', { params: { id }, body: {} })
  await becomes(id, 'operational')
})

test.concurrent('run now answers with one reading per region, while nothing waits for a slot', async () => {
  const target = await createTarget()
  const id = await createCheck(target, { intervalSeconds: 3_600 })
  const run = await call('runCheck', { params: { id } })
  expect(run.unanswered).toEqual([])
  expect(run.readings.map((reading) => [reading.region, reading.kind, reading.verdict])).toEqual(
    regions.map((region) => [region, 'manual', 'up']),
  )
  await becomes(id, 'operational')
})

test.concurrent(
  'a deleted check is gone, is no longer probed, and its history is removed',
  long,
  async () => {
    const target = await createTarget()
    const id = await createCheck(target, { url: target.url('/deleted'), intervalSeconds: 1 })
    await becomes(id, 'operational')
    expect(await call('deleteCheck', { params: { id } })).toEqual({ id, deleted: true })
    const answer = await client.call('getCheck', { params: { id } })
    expect(answer).toMatchObject({ ok: false, problem: { code: 'SV-3001', status: 404 } })
    await vi.waitFor(async () => expect(await mesh.storedReadings(id)).toBe(0), stateTimeout)
    const other = await createCheck(target, { intervalSeconds: 1 })
    // agents that run a later check have received the deletion before
    await everyRegionAgain(other, 1)
    const hits = target.hits('/deleted')
    await everyRegionAgain(other, 2)
    expect(target.hits('/deleted')).toBe(hits)
  },
)

test.concurrent(
  'regions follow a patch, and the ledger expects nothing from removed ones',
  long,
  async () => {
    const target = await createTarget()
    const id = await createCheck(target)
    await becomes(id, 'operational')
    const patched = await call('updateCheckRegions', { params: { id }, body: { regions: ['sjc'] } })
    expect(patched).toMatchObject({ regions: ['sjc'], allRegions: false })
    await everyRegionAgain(id, 2)
    const { regionStatuses } = await detail(id)
    expect(regionStatuses.map((region) => region.region)).toEqual(['sjc'])
    const full = await call('updateCheckRegions', { params: { id }, body: { regions } })
    expect(full.allRegions).toBe(true)
  },
)
