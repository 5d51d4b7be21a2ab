import { setTimeout as elapse } from 'node:timers/promises'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import type { RegionStatusName } from '@probe-mesh/contracts/check/check'
import { presence } from '@probe-mesh/contracts/mesh/subjects'
import { connectClickHouse, type ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  brokenFlips,
  dueSlots,
  flipsSince,
  journalledIds,
  latenessOf,
  readJournals,
  storedIds,
  type DueSlot,
} from '../testing/audit.ts'
import { everythingAssigned } from '../testing/everything-assigned.ts'
import { comeToRest } from '../testing/come-to-rest.ts'
import { createChecks } from '../testing/create-checks.ts'
import { followFlips, type FollowedFlips } from '@probe-mesh/infra/testing/follow-flips'
import { readHolders } from '../testing/holders.ts'
import { longestGapMs, unexplainedSlots } from '../testing/outage.ts'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { startProcesses, type Processes } from '@probe-mesh/infra/testing/processes/processes'
import type { AgentPart } from '@probe-mesh/infra/testing/processes/compose'
import type { EntryPart } from '@probe-mesh/infra/testing/processes/entry-part'
import { startTarget, type Target } from '@probe-mesh/infra/testing/target'

/**
 * A mesh with a disconnected region, with a frozen control plane, and with agents that join and die. The
 * three tests run in parallel, each with its own checks.
 */

const regions = ['iad', 'sjc', 'fra', 'nrt']
const outageMs = 60_000
const stateTimeout = { timeout: 60_000, interval: 100 }
const timeout = 240_000

/** Checks of every region, including nrt, which will be cut off. */
const everywhere = { count: 40, intervalSeconds: 3 }
/** Checks of two regions without other faults, whose readings stay fresh during a takeover. */
const steady = { count: 32, intervalSeconds: 3, regions: ['iad', 'fra'] }
/** Checks of the region whose agents join and die. */
const busy = { count: 120, intervalSeconds: 1, regions: ['sjc'] }

let mesh: Processes
let sql: Sql
let clickhouse: ClickHouse
let followed: FollowedFlips
let idsOf: { everywhere: string[]; steady: string[]; busy: string[] }
const targets: { calm: Target; steady: Target } = {
  calm: await startTarget(),
  steady: await startTarget(),
}
const assignments =
  everywhere.count * regions.length + steady.count * steady.regions.length + busy.count * busy.regions.length
/** The time since which all checks are measured, Unix ms. */
let assignedAt = 0
let standing: EntryPart
let other: EntryPart

beforeAll(async () => {
  mesh = await startProcesses({
    regions,
    tiers: { scale: { intervalSecondsMin: 1, monitors: 1_000 } },
    budgetScale: 10_000,
    cutOff: ['nrt'],
  })
  sql = connectPostgres(mesh.databaseUrl, { connectionsMax: 4 })
  clickhouse = connectClickHouse(mesh.clickhouseUrl)
  const [first, second] = mesh.controlPlanes
  if (first === undefined || second === undefined) throw new Error('this test needs two control planes')
  standing = first
  other = second
  followed = await followFlips(`${other.url}/v1`, mesh.apiKey)
  const create = (
    target: Target,
    { count, ...how }: { count: number; intervalSeconds: number; regions?: string[] },
  ) =>
    createChecks(
      mesh,
      Array.from({ length: count }, (_, n) => ({ name: `${n}`, url: target.url(`/${n}`), ...how })),
    )
  idsOf = {
    everywhere: await create(targets.calm, everywhere),
    steady: await create(targets.steady, steady),
    busy: await create(targets.calm, busy),
  }
  await awaitStatus(Object.values(idsOf).flat(), 'operational')
  await bothHoldPartitions()
  assignedAt = await everythingAssigned(mesh, assignments)
}, 120_000)
afterAll(async () => {
  await followed?.close()
  await Promise.all([sql?.end({ timeout: 1 }), clickhouse?.close()])
  await mesh?.close()
  await Promise.all(Object.values(targets).map((target) => target.close()))
})

const agentsOf = (region: string): AgentPart[] => mesh.agents.filter((agent) => agent.region === region)

const awaitStatus = async (ids: readonly string[], status: string): Promise<void> => {
  await vi.waitFor(async () => {
    const rows = await sql<{ id: string; status: string }[]>`
      select check_id as id, status from check_states where check_id = any(${[...ids]}::uuid[])`
    expect(rows).toHaveLength(ids.length)
    expect(rows.filter((row) => row.status !== status)).toEqual([])
  }, stateTimeout)
}

const bothHoldPartitions = async (): Promise<void> => {
  await vi.waitFor(async () => {
    const held = await Promise.all(mesh.controlPlanes.map((part) => part.metric('lease_partitions_held')))
    expect(held).toEqual([8, 8])
  }, stateTimeout)
}

const dueIn = async (region: string, untilMs: number): Promise<DueSlot[]> =>
  (await dueSlots(sql, untilMs)).filter((slot) => slot.region === region && slot.slotMs >= assignedAt)

const statusIn = async (region: string, checkId: string): Promise<RegionStatusName> => {
  const client = createApiClient({ apiUrl: `${other.url}/v1`, apiKey: mesh.apiKey })
  const answer = await client.call('getCheck', { params: { id: checkId } })
  if (!answer.ok) throw new Error(answer.problem.message)
  return answer.value.regionStatuses.find((one) => one.region === region)?.status ?? 'unknown'
}

test.concurrent(
  'a disconnected region keeps measuring through a restart, and all readings arrive with their original times',
  { timeout },
  async (context) => {
    const way = mesh.natsProxies.get('nrt')
    const [restarted] = agentsOf('nrt')
    const [watched] = idsOf.everywhere
    if (way === undefined || restarted === undefined || watched === undefined) throw new Error()
    const cutAt = Date.now()
    way.blackhole()
    await vi.waitFor(async () => {
      expect(await statusIn('nrt', watched)).toBe('stale')
      expect(await statusIn('iad', watched)).toBe('up')
    }, stateTimeout)
    const fromMs = await restarted.kill()
    const toMs = await restarted.start()
    await elapse(Math.max(0, cutAt + outageMs - Date.now()))
    expect(await statusIn('nrt', watched)).toBe('stale')
    const healedAt = Date.now()
    way.pass()

    const journals = await readJournals(mesh.journalDir)
    const measured = [...journals]
      .filter(([agent]) => agent.startsWith('nrt'))
      .reduce((all, [, ids]) => all.union(ids), new Set<string>())
    await vi.waitFor(
      async () => {
        const stored = new Set(await storedIds(clickhouse, 'nrt'))
        expect(measured.difference(stored)).toEqual(new Set())
      },
      { timeout: 60_000, interval: 1_000 },
    )
    await vi.waitFor(async () => expect(await statusIn('nrt', watched)).toBe('up'), stateTimeout)

    const due = await dueIn('nrt', healedAt - everywhere.intervalSeconds * 1_000)
    const outage = { agent: restarted.name, region: 'nrt', fromMs, toMs }
    expect(unexplainedSlots(due, journals, [outage])).toEqual([])
    const { late, farthestMs } = await latenessOf(clickhouse, {
      region: 'nrt',
      fromMs: cutAt,
      toMs: cutAt + outageMs / 2,
      lateMs: outageMs / 3,
    })
    expect(late).toBeGreaterThan((everywhere.count * outageMs) / (4_000 * everywhere.intervalSeconds))
    expect(farthestMs).toBeLessThanOrEqual(everywhere.intervalSeconds * 1_000)

    const flips = await flipsSince(sql, idsOf.everywhere, cutAt)
    expect(flips.filter(({ to }) => to !== 'stale' && to !== 'operational')).toEqual([])
    await recordFigure(
      context,
      `nrt cut off for ${healedAt - cutAt} ms: ${late} readings came more than ${outageMs / 3} ms late, ` +
        `${due.filter((slot) => !measured.has(slot.id)).length} missed by the restart of ${toMs - fromMs} ms, ${flips.length} flips`,
    )
  },
)

test.concurrent(
  'a frozen control plane is replaced within 10 s and changes nothing when it wakes',
  { timeout },
  async (context) => {
    const before = await readHolders(sql)
    const pausedAt = Date.now()
    standing.pause()
    const takeover = await vi.waitFor(
      async () => {
        const holders = await readHolders(sql)
        expect(new Set(holders.map(({ holder }) => holder)).size).toBe(1)
        expect(holders.some(({ holder }) => holder === null)).toBe(false)
        return { atMs: Date.now(), holders }
      },
      { timeout: 30_000, interval: 50 },
    )
    const changed = takeover.holders.filter(({ epoch }, at) => epoch !== before[at]?.epoch)
    expect(changed).toHaveLength(8)
    expect(takeover.atMs - pausedAt).toBeLessThanOrEqual(10_000)

    targets.steady.behave('fail')
    await awaitStatus(idsOf.steady, 'down')
    targets.steady.behave('ok')
    await awaitStatus(idsOf.steady, 'operational')
    await elapse(Math.max(0, pausedAt + outageMs - Date.now()))
    standing.resume()
    await bothHoldPartitions()
    targets.steady.behave('fail')
    await awaitStatus(idsOf.steady, 'down')
    targets.steady.behave('ok')
    await awaitStatus(idsOf.steady, 'operational')

    const flips = await flipsSince(sql, idsOf.steady, pausedAt)
    for (const id of idsOf.steady) {
      const chain = flips.filter(({ checkId }) => checkId === id).map(({ to }) => to)
      expect(chain.filter((to) => to !== 'degraded')).toEqual(['down', 'operational', 'down', 'operational'])
    }
    const written = new Set(flips.map(({ id }) => id))
    const ids = new Set(flips.filter(({ from, to }) => from !== to).map(({ id }) => id))
    const streamed = () => followed.flips.filter(({ id }) => written.has(id))
    await vi.waitFor(() => expect(new Set(streamed().map(({ id }) => id))).toEqual(ids), stateTimeout)
    await recordFigure(
      context,
      `${changed.length} partitions were taken over ${takeover.atMs - pausedAt} ms after their owner froze; ` +
        `${ids.size} flips, ${streamed().length - ids.size} of them streamed again`,
    )
  },
)

test.concurrent(
  'while agents of a region join and die under load no check waits longer than the presence TTL after a death',
  { timeout },
  async (context) => {
    const startedAt = Date.now()
    const [one, two] = agentsOf('sjc')
    if (one === undefined || two === undefined) throw new Error('this test needs two agents')
    const three = mesh.addAgent('sjc')
    await three.start()
    // dead long enough for the others to take over
    const kills = [await one.kill()]
    await elapse(presence.silentMs + Math.random() * presence.announceMs)
    await one.start()
    // One dies while another joins.
    kills.push(await two.kill())
    const four = mesh.addAgent('sjc')
    await four.start()
    // Two at once, one of them new.
    kills.push(...(await Promise.all([three.kill(), four.kill()])))
    await two.start()
    await elapse(presence.silentMs + Math.random() * presence.announceMs)
    await Promise.all([three.start(), four.start()])
    await three.stop()
    await elapse(presence.announceMs)

    const endedAt = Date.now()
    // before assertions that may fail, because the next test waits for every agent
    await three.start()
    const journalled = await journalledIds(mesh.journalDir)
    const due = await dueIn('sjc', endedAt - busy.intervalSeconds * 1_000)
    const missed = due.filter((slot) => !journalled.has(slot.id)).length
    const gapMs = longestGapMs(due, journalled, kills)
    await recordFigure(
      context,
      `agents joined and died in sjc for ${endedAt - startedAt} ms: ` +
        `${missed} of ${due.length} slots missed, the longest gap of a check after a death ${gapMs} ms`,
    )
    expect(missed).toBeGreaterThan(0)
    expect(gapMs).toBeLessThanOrEqual(presence.ttlMs)
  },
)

test('afterwards every reading is stored once and every flip is notified once', { timeout }, async () => {
  await comeToRest(mesh, sql)
  const stored = await storedIds(clickhouse)
  const unique = new Set(stored)
  expect(stored.length - unique.size).toBe(0)
  expect(unique.symmetricDifference(await journalledIds(mesh.journalDir))).toEqual(new Set())
  expect(await brokenFlips(sql)).toEqual([])
})
