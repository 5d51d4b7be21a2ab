import { join } from 'node:path'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import { startClickHouse } from '../../start/embedded/clickhouse/start.ts'
import { silentLog } from '../../start/embedded/log.ts'
import { startPostgres } from '../../start/embedded/postgres/start.ts'
import type { FormerVersion } from '../former-version.ts'
import { createEntryPart, type EntryPart } from './entry-part.ts'
import { createNatsPart } from './nats-part.ts'
import type { Part } from './part.ts'
import { createStorePart } from './store-part.ts'

/** Creates the parts of a mesh, each configured with the addresses of the others. */

export type AgentPart = EntryPart & { readonly region: Region }

export type CreatePostgres = (folder: string, nextPort: () => number) => Promise<Servers['postgres']>

export type Servers = {
  readonly postgres: Part & { readonly url: string }
  readonly clickhouse: Part & { readonly url: string }
  readonly nats: Part
  readonly natsPort: number
  readonly controlPlaneFile: string
  agentFile(region: Region): string
}

/**
 * Creates the databases and the bus. They are durable, because tests kill them. They create their passwords;
 * this file chooses their ports.
 */
export const createServers = async (
  folder: string,
  regions: readonly Region[],
  nextPort: () => number,
  /** Instead of a single server. */
  createPostgres?: CreatePostgres,
  /** The version that configures NATS, instead of this one. */
  former?: FormerVersion,
): Promise<Servers> => {
  const natsPort = nextPort()
  const nats = { port: natsPort, regions, folder, former }
  const { part, ...credentials } = await createNatsPart(nats)
  const log = silentLog
  return {
    postgres:
      (await createPostgres?.(folder, nextPort)) ??
      createStorePart({
        name: 'postgres',
        url: `postgres://127.0.0.1:${nextPort()}/`,
        start: (behind) => startPostgres({ dataDir: join(folder, 'postgres'), log, durable: true, behind }),
      }),
    clickhouse: createStorePart({
      name: 'clickhouse',
      url: `http://mesh:mesh@127.0.0.1:${nextPort()}/`,
      start: (behind) => startClickHouse({ dataDir: join(folder, 'clickhouse'), log, behind }),
    }),
    nats: part,
    natsPort,
    ...credentials,
  }
}

/** Creates one of several control planes. @param how.publicUrl the address of their balancer */
export const createControlPlane = (
  servers: Servers,
  how: {
    name: string
    port: number
    folder: string
    publicUrl: string
    regions: readonly Region[]
    tiers: Partial<Record<Tier, Partial<TierLimits>>>
    budgetScale: number
    isReady?: () => Promise<boolean>
    treeOf?: (name: string) => string | null
    /** In addition to the common environment. */
    environment?: Readonly<Record<string, string>>
  },
): EntryPart =>
  createEntryPart({
    ...how,
    entry: 'control-plane',
    environment: {
      PUBLIC_URL: how.publicUrl,
      DATABASE_URL: servers.postgres.url,
      CLICKHOUSE_URL: servers.clickhouse.url,
      NATS_URL: `nats://127.0.0.1:${servers.natsPort}`,
      NATS_CREDENTIALS: servers.controlPlaneFile,
      SECRETS_KEY: 'the secrets key of the tests, 32 characters',
      REGIONS: how.regions.join(','),
      TIER_OVERRIDES: JSON.stringify(how.tiers),
      BUDGET_SCALE: String(how.budgetScale),
      VANTAGE: 'local',
      ...how.environment,
    },
  })

/** Creates one of several agents of a region. @param how.natsPort of NATS or a proxy in front of it */
export const createAgent = (
  servers: Servers,
  how: {
    name: string
    port: number
    folder: string
    region: Region
    natsPort: number
    /** Set to start without a wait for readiness. */
    isReady?: () => Promise<boolean>
    treeOf?: (name: string) => string | null
    /** In addition to the common environment. */
    environment: Readonly<Record<string, string>>
  },
): AgentPart => {
  const { name, folder, region } = how
  const part = createEntryPart({
    ...how,
    entry: 'agent',
    environment: {
      REGION: region,
      AGENT: name,
      NATS_URL: `nats://127.0.0.1:${how.natsPort}`,
      AGENT_CREDENTIALS: servers.agentFile(region),
      JOURNAL: join(journalDir(folder), name),
      CHROMIUM: process.env['TEST_CHROMIUM'] ?? 'off',
      CHROMIUM_WITHOUT_SANDBOX: process.env['TEST_CHROMIUM_WITHOUT_SANDBOX'] ?? '',
      ...how.environment,
    },
  })
  return Object.assign(part, { region })
}

/** The folder in which the agents of a mesh write their journals. */
export const journalDir = (folder: string): string => join(folder, 'journal')
