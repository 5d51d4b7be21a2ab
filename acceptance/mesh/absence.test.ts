import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import {
  ok,
  startReceiver,
  type Receiver,
} from '@probe-mesh/control-plane/src/notifications/outgoing/testing'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { createTestOwner } from '@probe-mesh/infra/testing/processes/account'
import { createEntryPart, type EntryPart } from '@probe-mesh/infra/testing/processes/entry-part'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { startProcesses, type Processes } from '@probe-mesh/infra/testing/processes/processes'
import { startTarget, type Target } from '@probe-mesh/infra/testing/target'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { brokenFlips, flipsSince } from '../testing/audit.ts'
import { createChecks } from '../testing/create-checks.ts'
import { everythingAssigned } from '../testing/everything-assigned.ts'
import { retry } from '../oracle/stage/create.ts'
import { actAs } from '../web/system/client.ts'

/**
 * All control planes of a mesh die and come back. Meanwhile its agents, one of them private, measure on, one target
 * fails and recovers, another fails and stays so, and a heartbeat cannot ping.
 */

const absences = (process.env['ABSENCES'] ?? '12,45,300').split(',').map(Number)
const regions = ['fra', 'iad']
const steadyChecks = 48
const intervalSeconds = 10
/** An outage of less than 12 s has to meet slots of both regions, also on a busy machine. */
const endedIntervalSeconds = 4
const tiers = { scale: { intervalSecondsMin: 1 } }
/** From the first control plane that is ready until the message arrived; usually a third of it. */
const toldMsMax = 20_000
/** On a busy machine a control plane may not be ready in time. */
const startsMax = 4
const patience = { timeout: 120_000, interval: 100 }

const folder = testFolder('absence-')
const targets = {} as Record<'steady' | 'ended' | 'lasting', Target>
let receiver: Receiver
/** When each of its requests arrived, Unix ms. */
const arrivedMs: number[] = []
let mesh: Processes
let agent: EntryPart
let sql: Sql
let ids: { steady: string[]; ended: string; lasting: string; office: string; heartbeat: string }
let pingUrl: string
let stopPings: NodeJS.Timeout

beforeAll(async () => {
  await mkdir(join(folder, 'logs'))
  for (const name of ['steady', 'ended', 'lasting'] as const) targets[name] = await startTarget()
  receiver = await startReceiver((request, response) => {
    arrivedMs.push(Date.now())
    ok(request, response)
  })
  const environment = { CHANNEL_ALLOW: '127.0.0.0/8' }
  mesh = await retry(() => startProcesses({ regions, tiers, budgetScale: 10_000, environment }), startsMax)
  sql = connectPostgres(mesh.databaseUrl, { connectionsMax: 2 })
  const owner = await createTestOwner(mesh.databaseUrl)
  const account = { apiUrl: mesh.apiUrl, apiKey: owner.apiKey }
  const act = await actAs(new URL(mesh.apiUrl).origin, owner)
  const { id: channelId } = await act('createChannel', {
    body: { type: 'json', name: 'hook', config: { url: receiver.url } },
  })
  await act('testChannel', { params: { id: channelId } })
  const client = createApiClient(account)
  const enrolled = await client.call('createAgent', { body: { name: 'office' } })
  if (!enrolled.ok) throw new Error(enrolled.problem.message)
  agent = await startOffice(enrolled.value.meshUrl, enrolled.value.token)
  const inputs = Array.from({ length: steadyChecks }, (_, n) => ({
    name: `steady ${n}`,
    url: targets.steady.url(`/${n}`),
  }))
  const steady = await createChecks(
    account,
    inputs.map((input) => ({ ...input, intervalSeconds })),
  )
  const [ended = '', lasting = '', office = ''] = await createChecks(account, [
    { name: 'ended', url: targets.ended.url(), intervalSeconds: endedIntervalSeconds },
    { name: 'lasting', url: targets.lasting.url(), intervalSeconds },
    { name: 'office', url: targets.steady.url(), intervalSeconds, regions: [enrolled.value.agent.region] },
  ])
  const { id: heartbeat } = await act('createTypedCheck', {
    body: { type: 'heartbeat', name: 'job', settings: { periodSeconds: 60, graceSeconds: 60 } },
  })
  ids = { steady, ended, lasting, office, heartbeat }
  const job = await client.call('getCheck', { params: { id: heartbeat } })
  pingUrl = (job.ok ? job.value.heartbeat?.pingUrl : null) ?? ''
  stopPings = setInterval(() => void fetch(pingUrl, { method: 'POST' }).catch(() => undefined), 5_000)
  await everythingAssigned(mesh, (steadyChecks + 2) * regions.length)
}, 600_000)
afterAll(async () => {
  clearInterval(stopPings)
  await sql?.end({ timeout: 1 })
  await agent?.close()
  await mesh?.close()
  await Promise.all([receiver, ...Object.values(targets)].map((one) => one?.close()))
}, 120_000)

const startOffice = async (meshUrl: string, token: string): Promise<EntryPart> => {
  const file = join(folder, 'agent.token')
  await writeFile(file, `${token}\n`)
  await chmod(file, 0o600)
  const [port = 0] = await freePorts(1)
  const office = createEntryPart({
    name: 'office',
    entry: 'agent',
    port,
    folder,
    environment: {
      MESH_URL: meshUrl,
      AGENT_CREDENTIALS: file,
      PRIVATE_TARGETS: '10.0.0.0/8,127.0.0.1',
      TARGET_ALLOW: '',
      CANARIES: 'none',
    },
  })
  await office.start()
  return office
}
const everyone = (): string[] => [...ids.steady, ids.ended, ids.lasting, ids.office, ids.heartbeat]

const everythingIsOperational = () =>
  vi.waitFor(async () => {
    const rows = await sql`
      select check_id from check_states where check_id = any(${everyone()}::uuid[]) and status <> 'operational'`
    expect(rows).toEqual([])
  }, patience)

type Told = { title: string; event: string; check: string; atMs: number }

/** The messages since one of them, each once. */
const toldSince = (from: number): Told[] => {
  const all = receiver.received.map((one, at) => ({ ...one, atMs: arrivedMs[at] ?? 0 })).slice(from)
  const once = all.filter(({ id }, at) => all.findIndex((other) => other.id === id) === at)
  return once.map(({ body, atMs }) => {
    const { type, data } = JSON.parse(body) as {
      type: string
      data: { title: string; facts: { name: string; value: string }[] }
    }
    const check = data.facts.find(({ name }) => name === 'Check')?.value ?? ''
    return { title: data.title, event: type, check, atMs }
  })
}

test.for(absences)(
  'both away for %d s: nothing is stale for readings that wait, and each outage is told once, at once',
  { timeout: 900_000 },
  async (seconds, context) => {
    targets.ended.behave('ok')
    targets.lasting.behave('ok')
    await everythingIsOperational()
    const messagesBefore = receiver.received.length
    const leftMs = Date.now()
    await Promise.all(mesh.controlPlanes.map((plane) => plane.kill()))
    targets.ended.behave('fail')
    if (seconds > 60) await elapse(seconds * 500)
    targets.lasting.behave('fail')
    await elapse(leftMs + (seconds - 0.5) * 1_000 - Date.now())
    targets.ended.behave('ok')
    await elapse(leftMs + seconds * 1_000 - Date.now())
    // one after another, as a busy machine would keep both from being ready
    let readyMs = Number.POSITIVE_INFINITY
    for (const plane of mesh.controlPlanes) {
      readyMs = Math.min(readyMs, await retry(() => plane.start(), startsMax))
    }

    const told = (): Told[] => toldSince(messagesBefore)
    await vi.waitFor(
      () => expect(new Set(told().map(({ check }) => check))).toEqual(new Set(['ended', 'lasting'])),
      patience,
    )
    const toldMs = Math.max(...told().map(({ atMs }) => atMs)) - readyMs
    const texts = (): string[] => told().map(({ check, event, title }) => `${check} ${event}: ${title}`)
    expect(texts().toSorted()).toEqual([
      expect.stringMatching(/^ended recovery: ended failed and recovered after /),
      'lasting alert: lasting is down',
    ])
    // long enough for anything wrong: private agents have 45 s
    await elapse(60_000)
    targets.lasting.behave('ok')
    await everythingIsOperational()
    await vi.waitFor(
      () =>
        expect(
          told()
            .map(({ check, event }) => `${check} ${event}`)
            .toSorted(),
        ).toEqual(['ended recovery', 'lasting alert', 'lasting recovery']),
      patience,
    )
    const flips = await flipsSince(sql, everyone(), leftMs)
    expect(flips.filter(({ to }) => to === 'stale')).toEqual([])
    const others = new Set([...ids.steady, ids.office, ids.heartbeat])
    expect(flips.filter(({ checkId }) => others.has(checkId))).toEqual([])
    for (const id of [ids.ended, ids.lasting]) {
      const chain = flips.filter(({ checkId, to }) => checkId === id && to !== 'degraded').map(({ to }) => to)
      expect(chain).toEqual(['down', 'operational'])
    }
    expect(await brokenFlips(sql)).toEqual([])
    expect(toldMs).toBeLessThanOrEqual(toldMsMax)
    await recordFigure(
      context,
      `away for ${seconds} s: told ${toldMs} ms after the first was ready; 0 of ${everyone().length} checks stale`,
    )
  },
)
