import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApiClient, type ApiClient } from '@probe-mesh/contracts/api/client'
import type { RouteCall, RouteName, RouteOutput } from '@probe-mesh/contracts/api/routes'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { regionHeader } from '@probe-mesh/contracts/agent/probe-identity'
import { indexCatalog } from '@probe-mesh/control-plane/catalog/catalog-index'
import { service } from '@probe-mesh/control-plane/src/catalog/testing'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { beginManyChecks, openRevisions } from '@probe-mesh/control-plane/records/check/many-checks-store'
import { transact } from '@probe-mesh/control-plane/src/stores/postgres/transact'
import { findNewestDoubts } from '@probe-mesh/control-plane/status/quarantine/region-doubts-store'
import { findNewestQuarantines } from '@probe-mesh/control-plane/status/quarantine/quarantines-store'
import type { RegionState } from '@probe-mesh/control-plane/src/status/state'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestAllInOne, type TestAllInOne } from '@probe-mesh/infra/testing/all-in-one'
import { sendRegionTo } from '../testing/send-region.ts'
import { startTarget, type Target } from '@probe-mesh/infra/testing/target'
import { granted } from '../testing/granted.ts'

/**
 * The effects of accounts on a region, and of the region's own failure, on the whole path: targets that know
 * the region of each probe, agents, databases, and notifications of another account.
 */

const regions = ['iad', 'sjc', 'fra', 'nrt']
const intervalSeconds = 4
const patience = { timeout: 90_000, interval: 250 }
const long = { timeout: 240_000 }

let system: TestAllInOne
let sql: Sql
let client: ApiClient
let victim: Target
const servers: Server[] = []
const messages: string[] = []
/** The region to which the hosts of accounts and catalog give no answer, by their number. */
let accountsFailIn: (host: number) => string | null = () => null
let catalogFailsIn: string | null = null
let catalogUrls: string[]

const listen = async (
  address: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> => {
  const server = createServer(answer).listen(0, address)
  await once(server, 'listening')
  servers.push(server)
  return `http://${address}:${(server.address() as AddressInfo).port}/`
}
const failsIn =
  (region: () => string | null) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    // only a failure without an answer can be the region's own
    if (request.headers[regionHeader] === region()) request.socket.resetAndDestroy()
    else response.end()
  }

const call = <N extends RouteName>(name: N, input: RouteCall<N>): Promise<RouteOutput<N>> =>
  granted(client.call(name, input))

beforeAll(async () => {
  catalogUrls = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      listen(
        `127.0.1.${n + 1}`,
        failsIn(() => catalogFailsIn),
      ),
    ),
  )
  const services = catalogUrls.map((url, n) =>
    service(`service-${n}`, { probes: [{ url, name: null, expect: {} }] }),
  )
  system = await startTestAllInOne({
    environment: {
      REGIONS: regions.join(','),
      TARGET_ALLOW: '127.0.0.0/8',
      BUDGET_SCALE: '10000',
      CATALOG_INTERVAL_SECONDS: String(intervalSeconds),
      TIER_OVERRIDES: JSON.stringify({ scale: { intervalSecondsMin: 1 } }),
    },
    catalog: indexCatalog({ services, stacks: [] }),
  })
  sql = connectPostgres(system.databaseUrl, { connectionsMax: 2 })
  for (const url of catalogUrls) await sendRegionTo(sql, url)
  const { apiUrl, credentials } = system
  client = createApiClient({ apiUrl, apiKey: credentials.apiKey })
  victim = await startTarget()
  const receiver = await listen('127.0.0.1', (request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      messages.push(body)
      response.end()
    })
  })
  const channel = { type: 'json' as const, name: 'hook', config: { url: receiver } }
  const { id } = await call('createChannel', { body: channel })
  await call('testChannel', { params: { id } })
})
afterAll(async () => {
  await sql?.end()
  await system?.close()
  await victim?.close()
  for (const server of servers) server.close().closeAllConnections()
})

/** Creates checks of new accounts, each with its own host. @returns the ids of the accounts */
const attack = async (accounts: number, hosts: number): Promise<string[]> => {
  const accountIds = Array.from({ length: accounts }, () => uuidv7(Date.now()))
  const urls = await Promise.all(
    Array.from({ length: hosts }, (_, n) =>
      listen(
        `127.0.2.${n + 1}`,
        failsIn(() => accountsFailIn(n)),
      ),
    ),
  )
  const now = new Date()
  await transact(sql, async (tx) => {
    await beginManyChecks(tx)
    for (const id of accountIds) {
      await tx`insert into accounts values (${id}, 'attacker', 'free', ${now})`
    }
    const ids: string[] = []
    for (const [n, url] of urls.entries()) {
      const [id, accountId] = [uuidv7(Date.now()), accountIds[n % accounts] ?? '']
      ids.push(id)
      await tx`
        insert into checks (id, account_id, type, name, url, interval_seconds, regions, all_regions,
          config, valid_from, created_at, updated_at)
        values (${id}, ${accountId}, 'http', 'attack', ${url}, ${intervalSeconds}, ${regions}, true,
          '{"type": "http", "sendRegion": true}', ${now}, ${now}, ${now})`
      await tx`insert into check_states (check_id, partition) values (${id}, ${partitionOf(id)})`
    }
    await openRevisions(tx, ids)
  })
  return accountIds
}
const endAttack = async (accountIds: readonly string[]): Promise<void> => {
  accountsFailIn = () => null
  const rows = await sql<{ id: string }[]>`
    delete from checks where account_id = any(${[...accountIds]}::uuid[]) returning id`
  for (const { id } of rows) await sql`select pg_notify('checks_changed', ${id})`
}

/**
 * Waits until each host has failed in its region only, longer than the detection of a region's own failure
 * takes.
 */
const failedForLong = (accountIds: readonly string[]) => {
  const fromMs = Date.now()
  return vi.waitFor(async () => {
    const rows = await sql<{ url: string; regions: Record<string, RegionState> }[]>`
      select url, check_states.regions from checks join check_states on check_id = checks.id
      where account_id = any(${[...accountIds]}::uuid[])`
    expect(rows.length).toBeGreaterThan(0)
    for (const { url, regions: states } of rows) {
      const host = Number(new URL(url).hostname.split('.').at(-1)) - 1
      for (const [region, state] of Object.entries(states)) {
        const verdict = region === accountsFailIn(host) ? 'down' : 'up'
        expect(state.verdict).toBe(verdict)
        expect(state.measuredAt).toBeGreaterThan(fromMs + 3 * intervalSeconds * 1_000)
      }
    }
  }, patience)
}

const victimGoesDown = async (): Promise<void> => {
  const body = { name: 'victim', url: victim.url(), intervalSeconds: 2 }
  const { id } = await call('createCheck', { body })
  const becomes = (status: string) =>
    vi.waitFor(async () => {
      expect((await call('getCheck', { params: { id } })).status).toBe(status)
    }, patience)
  await becomes('operational')
  messages.length = 0
  victim.behave('fail')
  await becomes('down')
  await vi.waitFor(() => {
    expect(messages.some((text) => text.includes('victim is down'))).toBe(true)
  }, patience)
  victim.behave('ok')
  await becomes('operational')
  await call('deleteCheck', { params: { id } })
}

test.each([
  ['one account with 60 checks', 1, 60],
  ['50 free accounts together', 50, 50],
])(
  '%s, whose targets fail for one region only, do not affect others',
  async (_, accounts, hosts) => {
    const accountIds = await attack(accounts, hosts)
    accountsFailIn = () => 'nrt'
    await failedForLong(accountIds)
    await vi.waitFor(async () => {
      const doubts = await findNewestDoubts(sql, 20)
      const doubt = doubts.find(({ sources }) =>
        sources.accounts.named.some(({ name }) => accountIds.includes(name)),
      )
      expect(doubt).toMatchObject({ region: 'nrt', why: 'unconfirmed', refused: doubt?.failing })
    }, patience)
    accountsFailIn = (host) => ['iad', 'sjc', 'fra'][host % 3] ?? null
    await failedForLong(accountIds)
    await victimGoesDown()
    expect(await findNewestQuarantines(sql, 10)).toEqual([])
    await endAttack(accountIds)
  },
  long.timeout,
)

test(
  'a failing region loses its vote, and an outage that too few regions can confirm is reported',
  async () => {
    const both = { url: victim.url(), intervalSeconds: 2, regions: ['fra', 'iad'] }
    const { id } = await call('createCheck', { body: { ...both, name: 'of two regions' } })
    const alone = { url: victim.url(), intervalSeconds: 2, regions: ['fra'] }
    const one = await call('createCheck', { body: { ...alone, name: 'of one region' } })
    const detail = async (checkId: string) => await call('getCheck', { params: { id: checkId } })
    for (const checkId of [id, one.id]) {
      await vi.waitFor(async () => expect((await detail(checkId)).status).toBe('operational'), patience)
    }
    catalogFailsIn = 'fra'
    await vi.waitFor(async () => {
      expect(await findNewestQuarantines(sql, 10)).toMatchObject([{ region: 'fra', endedAtMs: null }])
    }, patience)
    // notices of the mesh are for its operator (D-alerts-11)
    expect(messages.filter((text) => text.includes('quarantined'))).toEqual([])
    messages.length = 0
    victim.behave('fail')
    await vi.waitFor(async () => {
      expect(await detail(id)).toMatchObject({
        status: 'degraded',
        statusReason: expect.stringContaining('1 of 2 regions could not vote (fra: quarantined)'),
      })
      expect(await detail(one.id)).toMatchObject({
        status: 'stale',
        statusReason: expect.stringContaining('1 of them saw it fail'),
      })
      for (const name of ['of two regions', 'of one region']) {
        expect(messages.some((text) => text.includes(name))).toBe(true)
      }
    }, patience)
  },
  long.timeout,
)
