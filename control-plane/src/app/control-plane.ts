import type { Bus } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { startAssigner } from '../mesh/assignments/assigner.ts'
import type { CatalogIndex } from '../catalog/catalog-index.ts'
import { openClickHouse } from '../stores/clickhouse/open.ts'
import type { Config } from './config.ts'
import { degradableParts } from './degradable-parts.ts'
import { startErrorPersister } from '@probe-mesh/error-tracking/feature'
import { createApp } from './app.ts'
import type { Certificate } from '../http/tls-options.ts'
import { createFactsOfChecks, factsAgeMsMax } from '../mesh/ingest/check-facts.ts'
import { startLedger } from '../mesh/ledger/ledger.ts'
import { openLiveReadings } from '../readings/live-readings.ts'
import { startMeshWatch } from '../mesh/mesh-watch.ts'
import { createDeviceMarks } from '../login/device-marks.ts'
import { createRunIds } from '../mesh/relay/run-ids.ts'
import { openAnswers } from './open-answers.ts'
import { startMessages } from './start-messages.ts'
import { startPartitions, type Partitions } from './start-partitions.ts'
import { type Sql, connectPostgres } from '../stores/postgres/connect.ts'
import type { Lease } from '../stores/leases/leases-store.ts'
import { startPurger } from './purge/purger.ts'
import { createDecodeOnce } from '../readings/decode-once.ts'
import { createSetAside } from '../readings/poison.ts'
import { createReadingsReader } from '../readings/first-read/first-reader.ts'
import { openLiveStates } from '../status/live-states.ts'
import { openQuarantineBoard } from '../status/quarantine/quarantine-board.ts'
import { createAssignmentSealer } from '../secrets/seal-assignments.ts'
import { createVault, type Vault } from '../secrets/vault.ts'
import { startReachability } from '../heartbeats/reachability.ts'
import { startDeadlineWatcher } from '../heartbeats/deadline-watcher.ts'
import { reconcileCatalog } from '../public-answers/answers/reconcile-catalog.ts'
import { fillRequestedHosts } from '../targets/target-counts.ts'
import { bindSecrets } from '../secrets/bind-secrets.ts'
import { movePrivateKeys } from '../checks/requests/move-private-keys.ts'
import { untilAccepted } from '../stores/retry.ts'
import { lookUpConnections } from '@probe-mesh/contracts/api/request-pools'
import { migratePostgres } from '../stores/postgres/migrate.ts'

/**
 * Loops see every account, operations one at a time. Look-ups before the account is known have their own pool,
 * so that they do not use up the connections of loops.
 */
const connectRoles = (databaseUrl: string) => ({
  sql: connectPostgres(databaseUrl, { role: 'probe_mesh_system' }),
  accountSql: connectPostgres(databaseUrl, { role: 'probe_mesh_account' }),
  lookUpSql: connectPostgres(databaseUrl, {
    role: 'probe_mesh_system',
    connectionsMax: lookUpConnections,
  }),
})

const endRoles = (roles: ReturnType<typeof connectRoles>) =>
  Promise.all(Object.values(roles).map((pool) => pool.end({ timeout: 5 })))

/** Migrates as the role in the URL. Everything else runs with fewer rights. */
const migrateAsOwner = async (databaseUrl: string): Promise<void> => {
  const owner = connectPostgres(databaseUrl, { connectionsMax: 1 })
  try {
    await migratePostgres(owner)
  } finally {
    await owner.end({ timeout: 5 })
  }
}

/** Updates the catalog's checks, the requested hosts and the readers of secrets before any loop reads the checks. */
const prepareChecks = async (
  { config, catalog, log, now }: { config: Config; catalog: CatalogIndex; log: Logger; now: () => number },
  sql: Sql,
  vault: Vault,
): Promise<void> => {
  const { regions, catalogIntervalSeconds: intervalSeconds } = config
  const steps = [
    () => reconcileCatalog({ sql, catalog, regions, intervalSeconds, log, now }),
    // for checks written by an older version, and for the catalog's
    () => fillRequestedHosts(sql),
    () => bindSecrets({ sql, now, log }),
    () => movePrivateKeys({ sql, vault, log, now }),
  ]
  for (const step of steps) await untilAccepted<unknown>(log, 'the checks cannot be prepared', step)
}

/** What control planes tell each other. */
const openBroadcasts = async ({
  bus: { events },
  config,
  now,
}: {
  bus: Bus
  config: Config
  now: () => number
}) => ({
  live: await openLiveReadings({ events, now }),
  states: await openLiveStates({ events, now }),
  board: await openQuarantineBoard({ events, liveRegions: config.regions.length, now }),
})

/** Longer than ingest caches a deleted check, including running batches. */
const purgeDelayMs = factsAgeMsMax + 15_000

export type ControlPlane = {
  /** Ready to listen. The caller closes it before `close`. */
  app: ReturnType<typeof createApp>
  sql: Sql
  /** Whether `/readyz` may report ready. Off at the start; the caller turns it on, and off to stop. */
  setServing(serving: boolean): void
  close(): Promise<void>
}

/**
 * Starts all loops and the HTTP server of a control plane. Resolves when the databases are migrated and every
 * check is published.
 */
export const startControlPlane = async (capabilities: {
  config: Config
  databaseUrl: string
  clickhouseUrl: string
  /** The catalog, read from the file of the configuration. */
  catalog: CatalogIndex
  /** From the configuration, or generated. */
  secretsKey: string
  bus: Bus
  registry: Registry
  log: Logger
  now: () => number
  vantage: 'local' | 'regional'
  /** The certificate of the HTTP server. Absent: it answers without TLS. */
  tls?: Certificate | null
}): Promise<ControlPlane> => {
  const { config, bus, registry, log, now, databaseUrl, secretsKey } = capabilities
  const { publicUrl, tiers, regions } = config
  const server = { url: capabilities.clickhouseUrl, cluster: config.clickhouseCluster }
  const [clickhouse] = await Promise.all([openClickHouse(server, log), migrateAsOwner(databaseUrl)])
  const roles = connectRoles(databaseUrl)
  const { sql, accountSql, lookUpSql } = roles
  const vault = createVault(secretsKey)
  await prepareChecks(capabilities, sql, vault)

  const setAside = createSetAside()
  const decode = createDecodeOnce(setAside)
  const firstReader = createReadingsReader()
  const { live, states, board } = await openBroadcasts(capabilities)
  const shared = { sql, clickhouse, bus, registry, log, now, decode, setAside, firstReader }
  const factsOfChecks = createFactsOfChecks({ sql, tiers, now })
  const sealer = createAssignmentSealer({ sql, vault, secretsKey, log })
  let servingSinceMs: number | null = null
  const isServing = (): boolean => servingSinceMs !== null
  // the observer starts before the partitions, and reads a lease when there is one
  let partitions: Partitions | null = null
  const lease = (): Lease | null => partitions?.leases.held.get(0) ?? null
  const answers = await openAnswers({ ...capabilities, sql, clickhouse, board, lease })
  const persister =
    config.errorTracking === 'on' ? startErrorPersister({ ...shared, tiers, publicUrl }) : null
  partitions = await startPartitions({
    ...shared,
    config,
    databaseUrl,
    factsOfChecks,
    sealer,
    board,
    persister,
    onStored: live.publish,
    live: states,
    onReadings: answers.broadcast,
    servingSinceMs: () => servingSinceMs,
  })
  const { leases, assessor, streamLag } = partitions
  const isOurs = (): boolean => leases.held.has(0)
  const ledger = startLedger({ ...shared, isOurs })
  const { presence, clock } = bus
  const watch = startMeshWatch({ ...shared, presence, clock, regions })
  const messages = await startMessages({ ...shared, ...states, config, secretsKey, vault, watch, isOurs })
  const purger = startPurger({ ...shared, tiers, delayMs: purgeDelayMs })
  const assigner = await startAssigner({
    ...shared,
    sealer,
    liveRegions: regions,
    onChanged: async (checkId) => {
      factsOfChecks.forget(checkId)
      await assessor.reload(checkId)
    },
  })

  const reach = startReachability({ publicUrl, secretsKey, isServing, now, log })
  const watcher = startDeadlineWatcher({ ...shared, isServing, reachableUntilMs: reach.reachableUntilMs })
  const app = createApp(
    {
      ...shared,
      sql: lookUpSql,
      accountSql,
      answers: answers.context,
      freshen: states.freshen,
      streamLag,
      meshWatch: watch,
      tokens: messages.tokens,
      ...signersOf(secretsKey),
      vault,
      sealer,
      channelSender: messages.channelSender,
      vantage: capabilities.vantage,
      tls: capabilities.tls ?? null,
      readiness: {
        serving: isServing,
        postgres: async () => (await sql`select 1`).length === 1,
        version: () => leases.superseded() ?? true,
      },
      degradable: degradableParts({ ...capabilities, sql, clickhouse, assigner, reach }),
      reach,
    },
    config,
  )
  return {
    app,
    sql,
    setServing: (value) => {
      servingSinceMs = value ? now() : null
    },
    close: async () => {
      watch.close()
      await assigner.close()
      await partitions.close()
      const loops = [messages, purger, ledger, watcher, reach, live, states, answers, board]
      await Promise.all(loops.map((part) => part.close()))
      await Promise.all([partitions.endSession(), endRoles(roles), clickhouse.close()])
    },
  }
}

const signersOf = (secretsKey: string) => ({
  marks: createDeviceMarks(secretsKey),
  relayRunIds: createRunIds(secretsKey),
})
