import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { openBatches } from '@probe-mesh/control-plane/src/mesh/ingest/ingest-batches-store'
import { createProxy, type Proxy } from '@probe-mesh/infra/operate/doctor/testing/proxy'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { journalledIds, storedIds } from '../../testing/audit.ts'
import { comeToRest } from '../../testing/come-to-rest.ts'
import { startFaultMesh, type FaultMesh } from '../testing/fault-mesh.ts'
import { mountSmallDisks, type SmallDisks } from '../testing/small-disks.ts'
import { removeStreams } from '@probe-mesh/bus/src/nats/testing'

/**
 * A store answers and refuses work, in every way that its operator or its disk can bring about, each for a minute.
 * Both control planes live, pages are served, writes are refused with their code, and in the end every journalled
 * reading is stored once, and no message was sent about targets that answered all the time.
 */

const faultMs = Number(process.env['FAULT_SECONDS'] ?? 60) * 1_000
const greenMsMax = 30_000
const pollMs = 500
const intervalSeconds = 2
const timeout = faultMs + 240_000
const disks = { postgres: 'postgres', clickhouse: 'clickhouse', nats: 'nats/store' } as const

let mesh: FaultMesh
let small: SmallDisks | null = null
let folder = ''
let proxy: Proxy
let outside = ''
/** Sees and changes what the operator sees and changes, also while everybody else may only read. */
let operator: Sql

beforeAll(async () => {
  mesh = await startFaultMesh({
    regions: ['iad', 'fra'],
    checks: 10,
    agentsPerRegion: 1,
    environment: { CHANNEL_ALLOW: '127.0.0.0/8' },
    intervalSeconds,
    prepare: async (made) => {
      folder = made
      return (small = await mountSmallDisks(made, Object.values(disks)))
    },
  })
  operator = openOperator()
  const [port = 0] = await freePorts(1)
  const controlPorts = mesh.parts.controlPlanes.map(({ url }) => Number(new URL(url).port))
  proxy = await createProxy({ folder, outside: port, controlPorts, checkMs: 3_000 })
  await proxy.start()
  outside = `http://127.0.0.1:${port}`
  const client = createApiClient(mesh.parts)
  const [checkId = ''] = mesh.calm.ids
  const page = await makeAsProvider('/status-pages', { name: 'Shop', slug: 'shop' })
  await makeAsProvider(`/status-pages/${page.id}/components`, { checkId })
  const config = { url: await startReceiver() }
  const channel = await client.call('createChannel', { body: { type: 'json', name: 'ops', config } })
  if (!channel.ok) throw new Error(channel.problem.message)
  const tested = await client.call('testChannel', { params: { id: channel.value.id } })
  if (!tested.ok) throw new Error(tested.problem.message)
  expect(told).toHaveLength(1)
  told.length = 0
  expect(await ask('/status/shop')).toMatchObject({ status: 200 })
}, 600_000)
afterAll(async () => {
  await proxy?.close()
  await operator?.end({ timeout: 1 })
  await mesh?.close()
  receiver.close()
  receiver.closeAllConnections()
}, 300_000)

/** Pages are written through the API by the Terraform provider only. */
const makeAsProvider = async (path: string, body: object): Promise<{ id: string }> => {
  const headers = {
    ...key(),
    'content-type': 'application/json',
    'service-client': 'terraform-provider-service/1.2.3',
  }
  const answer = await fetch(`${mesh.parts.apiUrl}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as { id: string }
}

/** The titles of all messages that arrived. */
const told: string[] = []
const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', (part) => (body += String(part)))
  request.on('end', () => {
    told.push(body.slice(0, 500))
    response.end()
  })
})
const startReceiver = async (): Promise<string> => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
}

const openOperator = (): Sql =>
  connectPostgres(`${mesh.parts.databaseUrl}?default_transaction_read_only=off`, { connectionsMax: 2 })

/** A refused statement of a store, as its operator plants and mends it. */
type Fault = {
  name: string
  part: 'postgres' | 'clickhouse' | 'nats'
  plant: () => Promise<unknown>
  mend: () => Promise<unknown>
  /** What `/readyz` says; absent: any state. */
  state?: string
  /** When a statement that waits ends, at the latest. */
  shownAfterMs?: number
  /** Whether creating a check is refused with SV-9002. */
  refuses: boolean
  /** Whether every page must be served; otherwise the process must answer. */
  reads: boolean
}

const statements =
  (...texts: readonly string[]) =>
  async () => {
    for (const text of texts) await operator.unsafe(text)
  }

let unlock: (() => void) | null = null
let locked: Promise<unknown> = Promise.resolve()

const inClickHouse = async (query: string): Promise<void> => {
  const clickhouse = connectClickHouse(mesh.parts.clickhouseUrl)
  await clickhouse.command({ query }).finally(() => clickhouse.close())
}

const restart = async (part: FaultMesh['parts']['nats' | 'postgres' | 'clickhouse']): Promise<void> => {
  if (part.isAlive) await part.kill()
  await part.start()
}

const faults: readonly Fault[] = [
  {
    name: 'Postgres turns read-only',
    part: 'postgres',
    state: 'read_only',
    plant: statements('alter system set default_transaction_read_only = on', 'select pg_reload_conf()'),
    mend: statements('alter system reset default_transaction_read_only', 'select pg_reload_conf()'),
    refuses: true,
    reads: true,
  },
  {
    name: 'the role of the control planes loses grants',
    part: 'postgres',
    state: 'forbidden',
    plant: statements(
      'revoke insert, update on ingest_batches, outbox, flips, check_states from probe_mesh_system',
      'revoke insert on checks from probe_mesh_account',
    ),
    mend: statements(
      'grant insert, update on ingest_batches, outbox, flips, check_states to probe_mesh_system',
      'grant insert on checks to probe_mesh_account',
    ),
    refuses: true,
    reads: true,
  },
  {
    name: 'tables are missing',
    part: 'postgres',
    state: 'missing',
    plant: statements(
      'alter table ingest_batches rename to gone_batches',
      'alter table audit_log rename to gone_log',
    ),
    mend: statements(
      'alter table gone_batches rename to ingest_batches',
      'alter table gone_log rename to audit_log',
    ),
    refuses: true,
    reads: true,
  },
  {
    name: 'a session holds a lock on tables',
    part: 'postgres',
    state: 'blocked',
    shownAfterMs: 40_000,
    plant: async () => {
      const held = Promise.withResolvers<void>()
      unlock = held.resolve
      const begun = Promise.withResolvers<void>()
      locked = operator.begin(async (tx) => {
        await tx`set local idle_in_transaction_session_timeout = 0`
        await tx`lock table ingest_batches, check_states, checks in exclusive mode`
        begun.resolve()
        await held.promise
      })
      await begun.promise
    },
    mend: async () => {
      unlock?.()
      await locked
    },
    refuses: true,
    reads: true,
  },
  {
    name: 'a table of ClickHouse is read-only',
    part: 'clickhouse',
    state: 'read_only',
    plant: () => inClickHouse('alter table readings_raw modify setting table_readonly = 1'),
    mend: () => inClickHouse('alter table readings_raw reset setting table_readonly'),
    refuses: false,
    reads: true,
  },
  {
    name: 'a table of ClickHouse is missing',
    part: 'clickhouse',
    state: 'missing',
    plant: () => inClickHouse('rename table readings_raw to gone_raw'),
    mend: () => inClickHouse('rename table gone_raw to readings_raw'),
    refuses: false,
    reads: true,
  },
  {
    name: 'the disk of ClickHouse is full',
    part: 'clickhouse',
    plant: async () => small?.fill(disks.clickhouse),
    // the engine keeps a part that it could not write to its end, until its start sets that aside
    mend: async () => {
      await small?.makeRoom(disks.clickhouse)
      await restart(mesh.parts.clickhouse)
    },
    refuses: false,
    reads: true,
  },
  {
    name: 'the streams of NATS are removed',
    part: 'nats',
    // they are empty: what a stream loses before it is stored is lost
    plant: async () => {
      for (const agent of mesh.parts.agents) agent.pause()
      await elapse(5_000)
      await vi.waitFor(async () => expect(await openBatches(operator)).toEqual([]), { timeout: 60_000 })
      await removeStreams(join(folder, 'nats'), mesh.parts.natsUrl)
      for (const agent of mesh.parts.agents) agent.resume()
    },
    mend: async () => undefined,
    refuses: false,
    reads: true,
  },
  {
    name: 'the disk of NATS is full',
    part: 'nats',
    plant: async () => small?.fill(disks.nats),
    mend: async () => {
      await small?.makeRoom(disks.nats)
      await restart(mesh.parts.nats)
    },
    refuses: false,
    reads: true,
  },
  {
    name: 'the disk of Postgres is full',
    part: 'postgres',
    plant: async () => {
      await small?.fill(disks.postgres)
      // what it has in reserve is used up first
      const filler = operator.unsafe(
        'create table filler as select repeat(md5(n::text), 30) from generate_series(1, 2000000) n',
      )
      await filler.catch(() => undefined)
    },
    mend: async () => {
      await small?.makeRoom(disks.postgres)
      // a server that cannot write its log ends
      if (mesh.parts.postgres.isAlive) return
      await mesh.parts.postgres.start()
    },
    refuses: true,
    reads: false,
  },
]

const key = () => ({ authorization: `Bearer ${mesh.parts.apiKey}` })
const ask = async (path: string, init: RequestInit = {}) => {
  const answer = await fetch(`${outside}${path}`, { ...init, signal: AbortSignal.timeout(30_000) })
  return { status: answer.status, text: await answer.text() }
}
const createOne = (n: number) =>
  ask('/v1/checks', {
    method: 'POST',
    headers: { ...key(), 'content-type': 'application/json' },
    body: JSON.stringify({ name: `made ${n}`, url: mesh.calm.target.url('/made'), intervalSeconds: 300 }),
  })
const readiness = () =>
  Promise.all(
    mesh.parts.controlPlanes.map(async ({ url }) => {
      const answer = await fetch(`${url}/readyz`)
      return { status: answer.status, body: (await answer.json()) as { degraded: Degraded[] } }
    }),
  )
type Degraded = { part: string; state?: string; effect: string }

test.for(faults)('$name, for a minute', { timeout }, async (fault, context) => {
  const pids = mesh.parts.controlPlanes.map((part) => part.processIds())
  const sinceMs = Date.now()
  await fault.plant()
  const endsAt = Date.now() + faultMs
  const pages = { served: 0, refused: 0 }
  const writes = new Map<string, number>()
  const seen = new Set<string>()
  try {
    for (let n = 0; Date.now() < endsAt; n++) {
      const asked = await Promise.all([
        ask('/status/shop'),
        ask('/status/shop/page.json'),
        ask('/v1/checks', { headers: key() }),
      ])
      for (const { status } of asked) pages[status === 200 ? 'served' : 'refused'] += 1
      const made = await createOne(n)
      const code = [made.status, /"code":"([^"]+)"/.exec(made.text)?.[1] ?? []].flat().join(' ')
      writes.set(code, (writes.get(code) ?? 0) + 1)
      for (const { body } of await readiness())
        for (const { part, state } of body.degraded) seen.add(`${part} ${state ?? ''}`)
      await elapse(pollMs)
    }
  } finally {
    await fault.mend()
  }
  const mendedAt = Date.now()
  await vi.waitFor(
    async () => {
      for (const { status, body } of await readiness())
        expect({ status, degraded: body.degraded }).toEqual({ status: 200, degraded: [] })
    },
    { timeout: greenMsMax, interval: 250 },
  )
  const greenMs = Date.now() - mendedAt
  await mesh.awaitStatus(mesh.calm, 'operational')
  const storedMs = await mesh.awaitStored()

  expect(mesh.parts.controlPlanes.map((part) => part.processIds())).toEqual(pids)
  if (fault.reads) expect(pages.refused).toBe(0)
  expect(pages.served).toBeGreaterThan(0)
  const kinds = [...writes.keys()]
  if (fault.refuses) expect(kinds).toContain('503 SV-9002')
  expect(kinds.filter((kind) => kind !== '201' && kind !== '503 SV-9002')).toEqual([])
  if (fault.state !== undefined && faultMs > (fault.shownAfterMs ?? 0))
    expect([...seen]).toContain(`${fault.part} ${fault.state}`)
  expect(
    (await mesh.newStatuses(mesh.calm, sinceMs)).filter((to) => to !== 'stale' && to !== 'operational'),
  ).toEqual([])
  expect(told).toEqual([])
  await recordFigure(
    context,
    `${fault.name} for ${faultMs} ms: ${pages.served} pages served, ${pages.refused} refused, writes ${kinds.map((kind) => `${kind} x ${writes.get(kind)}`).join(', ')}; ` +
      `green ${greenMs} ms and all stored ${storedMs} ms after; /readyz said ${[...seen].join(', ')}`,
  )
})

test('afterwards every journalled reading is stored once', { timeout }, async () => {
  await comeToRest(mesh.parts, mesh.sql)
  const stored = await storedIds(mesh.clickhouse)
  const unique = new Set(stored)
  expect(stored.length - unique.size).toBe(0)
  expect((await journalledIds(mesh.parts.journalDir)).difference(unique).size).toBe(0)
})
