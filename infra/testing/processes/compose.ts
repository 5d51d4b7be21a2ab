import { join } from 'node:path'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import { startClickHouse } from '../../start/embedded/clickhouse/start.ts'
import { silentLog } from '../../start/embedded/log.ts'
import { startPostgres } from '../../start/embedded/postgres/start.ts'
import type { FormerVersion } from '../former-version.ts'
import { createEntryPart } from './entry-part.ts'
import type { EntryPart } from './entry-part.ts'
import { createNatsPart } from './nats-part.ts'
import type { Part } from './part.ts'
import { createStorePart } from './store-part.ts'

/** How the parts of a mesh are put together: what each is told of the others. */

export type AgentPart = EntryPart & { readonly region: Region }

export type CreatePostgres = (folder: string, takePort: () => number) => Promise<Servers['postgres']>

export type Servers = {
  readonly postgres: Part & { readonly url: string }
  readonly clickhouse: Part & { readonly url: string }
  readonly nats: Part
  readonly natsPort: number
  readonly controlPlaneFile: string
  agentFile(region: Region): string
}

/** Stores and bus. Durable, since they will be killed; passwords are theirs to make, ports are ours. */
export const createServers = async (
  folder: string,
  regions: readonly Region[],
  takePort: () => number,
  /** Instead of one server by itself. */
  createPostgres?: CreatePostgres,
  /** By which NATS is configured, instead of this version. */
  former?: FormerVersion,
): Promise<Servers> => {
  const natsPort = takePort()
  const nats = { port: natsPort, regions, folder, former }
  const { part, ...credentials } = await createNatsPart(nats)
  const log = silentLog
  return {
    postgres:
      (await createPostgres?.(folder, takePort)) ??
      createStorePart({
        name: 'postgres',
        url: `postgres://127.0.0.1:${takePort()}/`,
        start: (behind) => startPostgres({ dataDir: join(folder, 'postgres'), log, durable: true, behind }),
      }),
    clickhouse: createStorePart({
      name: 'clickhouse',
      url: `http://mesh:mesh@127.0.0.1:${takePort()}/`,
      start: (behind) => startClickHouse({ dataDir: join(folder, 'clickhouse'), log, behind }),
    }),
    nats: part,
    natsPort,
    ...credentials,
  }
}

/** One of several control planes. @param how.publicUrl where clients reach all of them */
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
    /** Beside what every control plane is told. */
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

/** One of several agents of a region. @param how.natsPort where it reaches NATS */
export const createAgent = (
  servers: Servers,
  how: {
    name: string
    port: number
    folder: string
    region: Region
    natsPort: number
    /** Where it is not to be waited for until it is ready. */
    isReady?: () => Promise<boolean>
    treeOf?: (name: string) => string | null
    /** Beside what every agent is told. */
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

/** Where the agents of a mesh journal what they ran. */
export const journalDir = (folder: string): string => join(folder, 'journal')
