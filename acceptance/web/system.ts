import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { indexCatalog } from '@probe-mesh/control-plane/catalog/catalog-index'
import { parseConfig } from '@probe-mesh/control-plane/app/config'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import pino from 'pino'
import { startAllInOne } from '@probe-mesh/infra/start/all-in-one/all-in-one'
import type { Credentials } from '@probe-mesh/infra/start/all-in-one/credentials'
import { parseOwnGateway } from '@probe-mesh/infra/start/all-in-one/own-gateway'
import { parseAgentSettings } from '@probe-mesh/infra/start/all-in-one/region-agents'
import { readStores } from '@probe-mesh/infra/start/stores/running-stores'
import { closeAll } from '@probe-mesh/infra/start/processes/close-all'
import { sendRegionTo } from '../testing/send-region.ts'
import { seedAccount, type Seeded } from './system/account.ts'
import { catalogOver } from './system/catalog.ts'
import { actAs, type Act } from './system/client.ts'
import { reportErrors } from './system/errors.ts'
import { writePast } from './system/history.ts'
import { mailedTokens } from './system/mailed.ts'
import { startPeers, type Peers } from './system/peers.ts'

/** A whole system for a browser, with an account that has a history. */
export type WebSystem = {
  /** Root of all pages, without a trailing slash. */
  address: string
  credentials: Credentials
  seeded: Seeded & { outageId: string }
  peers: Peers
  /** The account's API, as its owner. */
  act: Act
  sql: Sql
  close(): Promise<void>
}

/** Each has an agent. */
export const regions = ['fra', 'iad', 'nrt', 'sjc']

/** A known key, so that a test can create a link to end a subscription. */
const secretsKey = 'the key of a system that a browser meets'

/**
 * Everything in this process with separate databases: agents of four regions, the control plane with its
 * pages, the gateway, a mail server, and targets that only tests control.
 * @param chromium path of the Chromium for browser checks
 */
export const startWebSystem = async (chromium: string): Promise<WebSystem> => {
  const closers: (() => Promise<unknown>)[] = []
  const close = () => closeAll(closers as (() => Promise<void>)[])
  try {
    const dataDir = await mkdtemp(join(tmpdir(), 'probe-mesh-web-'))
    closers.push(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }))
    const peers = await startPeers()
    closers.push(peers.close)
    const environment = {
      // links in mail contain the port, so it is chosen before
      PORT: String(await freePort()),
      MCP_PORT: '0',
      DATA_DIR: dataDir,
      REGIONS: regions.join(','),
      TARGET_ALLOW: '127.0.0.0/8',
      CANARIES: 'none',
      // tests never query the real registries
      RDAP_BOOTSTRAP: 'none',
      CHROMIUM: chromium,
      SMTP_URL: peers.mail.smtpUrl,
      MAIL_FROM: 'Status <status@example.org>',
      CATALOG_INTERVAL_SECONDS: '10',
      TIER_OVERRIDES: JSON.stringify({ scale: { intervalSecondsMin: 1 } }),
      BUDGET_SCALE: '1000',
      SECRETS_KEY: secretsKey,
    }
    const [parsed, agents, gateway] = [
      parseConfig(environment),
      parseAgentSettings(environment),
      parseOwnGateway(environment),
    ]
    if (!parsed.ok || !agents.ok || !gateway.ok) {
      throw new Error(`invalid environment: ${JSON.stringify([parsed, agents, gateway])}`)
    }
    const system = await startAllInOne({
      config: parsed.config,
      catalog: indexCatalog(catalogOver(peers)),
      agents: agents.settings,
      gateway: gateway.config,
      seed: false,
      log: pino({ level: process.env['MESH_LOG'] ?? 'error' }, pino.destination(2)),
      now: Date.now,
    })
    closers.push(system.close)
    const stores = await readStores(dataDir)
    if (stores === null) throw new Error('the databases are not running')
    const sql = connectPostgres(stores.databaseUrl, { connectionsMax: 2 })
    closers.push(() => sql.end())
    await sendRegionTo(sql, peers.broken.url('/mailer'))
    const { credentials } = system
    const address = parsed.config.publicUrl
    const act = await actAs(address, credentials)
    const nowMs = Date.now()
    const account = await seedAccount(act, peers, address)
    const issue = await reportErrors(act, account.errors.project)
    const mailed = await mailedTokens(
      { address, mail: peers.mail },
      { email: credentials.email, ...account, secretsKey },
    )
    const upload = await writeSourceMap(sql, account.errors.project)
    const seeded = { ...account, errors: { ...account.errors, id: issue, upload }, mailed }
    await writePasts({ sql, clickhouseUrl: stores.clickhouseUrl }, seeded, nowMs)
    await measureOnce(act, seeded)
    const [outage] = (await act('listOutages', {})).outages
    if (outage === undefined) throw new Error('no check has an outage')
    return { address, credentials, seeded: { ...seeded, outageId: outage.id }, peers, act, sql, close }
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Published checks get 90 days of history until their creation, with outages and two days without data. */
const writePasts = async (
  stores: { sql: Sql; clickhouseUrl: string },
  { checks }: Seeded,
  nowMs: number,
): Promise<void> => {
  const write = (
    checkId: string,
    intervalSeconds: number,
    ...stretches: [status: 'down' | 'degraded' | 'stale', hoursAgo: number, hours: number][]
  ) =>
    writePast(
      stores,
      {
        checkId,
        intervalSeconds,
        regions,
        stretches: stretches.map(([status, hoursAgo, hours]) => ({ status, hoursAgo, hours })),
      },
      nowMs,
    )
  await write(checks.shop, 10, ['stale', 1430, 50], ['down', 490, 2], ['degraded', 6, 1.5])
  await write(checks.api, 10, ['down', 1200, 5], ['stale', 300, 30], ['down', 20, 0.75])
  await write(checks.checkout, 60, ['degraded', 800, 8], ['down', 100, 0.25])
}

/** @returns the id of its upload */
const writeSourceMap = async (sql: Sql, projectId: string): Promise<string> => {
  const uploadId = randomUUID()
  await sql`
    insert into error_source_maps (id, account_id, project_id, debug_id, upload_id, file, release,
      packed, read_bytes, uploaded_at, used_at)
    select gen_random_uuid(), account_id, id, gen_random_uuid(), ${uploadId}, '~/assets/app.js.map',
      'shop@1.0.0', decode(repeat('00', 48_000), 'hex'), 1, now(), now()
    from error_projects where id = ${projectId}`
  return uploadId
}

const settleMsMax = 60_000

/** Slow checks are measured now, a ping arrives, and fast checks run at their slots. */
const measureOnce = async (act: Act, { checks }: Seeded): Promise<void> => {
  const heartbeat = await act('getCheck', { params: { id: checks.heartbeat } })
  const pingUrl = heartbeat.heartbeat?.pingUrl ?? null
  if (pingUrl === null) throw new Error('the heartbeat has no address')
  await fetch(pingUrl)
  for (const id of [checks.browser, checks.checkout]) await act('runCheck', { params: { id } })
  const end = performance.now() + settleMsMax
  for (;;) {
    const { checks: all } = await act('listChecks', {})
    const fast = all.filter(
      ({ intervalSeconds, type, paused }) => intervalSeconds <= 10 && type !== 'heartbeat' && !paused,
    )
    if (fast.every(({ status }) => status !== 'unknown')) return
    if (performance.now() > end) throw new Error('some checks have no reading')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
