import { hostname } from 'node:os'
import type { Bus } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { takeBackUntried } from '../alerts/alert-messages-store.ts'
import { startAlerting } from './alerting/start-alerting.ts'
import { startAssessor } from '../mesh/assess/assessor.ts'
import { createAssessmentState } from '../mesh/assess/assessment-state.ts'
import { prepareChecks } from './prepare-checks.ts'
import { createPoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import { createConfirmer, type Confirmer } from '../mesh/assess/confirmer.ts'
import { assessMetrics, type AssessMetrics } from '../mesh/assess/metrics.ts'
import { busMetrics, streamLagOf } from '../mesh/bus-metrics.ts'
import { assignmentOf } from '../checks/assignment-of.ts'
import { startAssigner } from '../mesh/assignments/assigner.ts'
import type { CatalogIndex } from '../catalog/catalog-index.ts'
import { openClickHouse } from '../stores/clickhouse/open.ts'
import type { Config } from './config.ts'
import { connectRoles, endRoles, migrateAsOwner } from './connect-roles.ts'
import { degradableParts } from './degradable-parts.ts'
import { startErrorPersister } from '../error-tracking/persist/persister.ts'
import { createApp } from './app.ts'
import type { AppCapabilities } from './app-parts.ts'
import type { Certificate } from '../http/tls-options.ts'
import { createFactsOfChecks, factsAgeMsMax } from '../mesh/ingest/check-facts.ts'
import { startIngester } from '../mesh/ingest/ingester.ts'
import { startLedger } from '../mesh/ledger/ledger.ts'
import { startLeaseManager, type LeaseManager } from '../stores/leases/lease-manager.ts'
import { startSuccession } from '../stores/leases/succession.ts'
import { openLiveReadings } from '../readings/live-readings.ts'
import { startMeshWatch } from '../mesh/mesh-watch.ts'
import { ownVersion, seeNotices } from '../mesh/mesh-notices.ts'
import { createDeviceMarks } from '../login/device-marks.ts'
import { createRunIds } from '../mesh/relay/run-ids.ts'
import { createMailer, type Mailer } from '../notifications/mail/mailer.ts'
import { startDeliverer } from '../notifications/deliverer.ts'
import { startNewsExpander } from '../subscribers/news-expander.ts'
import { startNotifier } from '../notifications/notifier.ts'
import { openAnswers } from './open-answers.ts'
import { createChannelSender } from '../notifications/channels/channel-sender.ts'
import { startDomainLoop } from '../checks/expiry/domain-loop.ts'
import { createResolver } from '../notifications/outgoing/resolve.ts'
import { findCheckOfAnyAccount } from '../records/check/many-checks-store.ts'
import { connectLeaseSession, type Sql } from '../stores/postgres/connect.ts'
import type { ControlPlaneAbout, Lease } from '../stores/leases/leases-store.ts'
import { startTelemetryPusher } from '../telemetry/telemetry-pusher.ts'
import { isMeasuring, startOutgoingHeartbeat } from './outgoing-heartbeat.ts'
import { startPurger } from './purge/purger.ts'
import { createDecodeOnce } from '../readings/decode-once.ts'
import { createSetAside } from '../readings/poison.ts'
import { createReadingsReader } from '../readings/first-read/first-reader.ts'
import { openQuarantineBoard } from '../status/quarantine/quarantine-board.ts'
import { createAssignmentSealer } from '../secrets/seal-assignments.ts'
import { createVault } from '../secrets/vault.ts'
import { createUnsubscribeTokens } from '../accounts/link-tokens.ts'
import { startReachability } from '../heartbeats/reachability.ts'
import { startDeadlineWatcher } from '../heartbeats/deadline-watcher.ts'

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
  const { publicUrl, operatorChannel } = config
  const server = { url: capabilities.clickhouseUrl, cluster: config.clickhouseCluster }
  const [clickhouse] = await Promise.all([openClickHouse(server, log), migrateAsOwner(databaseUrl)])
  const roles = connectRoles(databaseUrl)
  const { sql, accountSql, lookUpSql } = roles
  const vault = createVault(secretsKey)
  await prepareChecks(capabilities, sql, vault)

  const factsOfChecks = createFactsOfChecks({ sql, tiers: config.tiers, now })
  const assessmentState = createAssessmentState(now)
  const metrics = assessMetrics(registry, assessmentState)
  const sealer = createAssignmentSealer({ sql, vault, secretsKey, log })
  const confirmer = openConfirmer({ ...capabilities, sealer }, sql, metrics)
  const setAside = createSetAside()
  const decode = createDecodeOnce(setAside)
  const firstReader = createReadingsReader()
  const shared = { sql, clickhouse, bus, registry, log, now, decode, setAside, firstReader }
  const live = await openLiveReadings({ events: bus.events, now })
  const board = await openQuarantineBoard({ events: bus.events, liveRegions: config.regions.length, now })
  let servingSinceMs: number | null = null
  const isServing = (): boolean => servingSinceMs !== null
  // the observer starts before the lease manager, and reads its lease when there is one
  let manager: LeaseManager | null = null
  const lease = (): Lease | null => manager?.held.get(0) ?? null
  const answers = await openAnswers({ ...capabilities, sql, clickhouse, board, lease })
  const ingester = startIngester({ ...shared, factsOfChecks, onStored: live.publish })
  const assessor = startAssessor({
    ...shared,
    assessmentState,
    confirmer,
    board,
    metrics,
    onReadings: answers.broadcast,
    servingSinceMs: () => servingSinceMs,
  })
  const persister = startErrorPersister({ ...shared, tiers: config.tiers, publicUrl })
  const succession = await startSuccession({
    ...shared,
    consumers: bus.consumers,
    isSuperseded: () => (manager?.superseded() ?? null) !== null,
  })
  const session = connectLeaseSession(databaseUrl)
  const leases = startLeaseManager({
    session,
    id: uuidv7(now()),
    about: aboutOf(config),
    tenants: [ingester, assessor, persister],
    registry,
    log,
    monotonic: () => performance.now(),
  })
  manager = leases
  const consumers = { ingest: ingester.holdings, assess: assessor.holdings, persist: persister.holdings }
  busMetrics(registry, { bus, regions: config.regions, consumers })
  const isOurs = (): boolean => leases.held.has(0)
  const ledger = startLedger({ ...shared, isOurs })
  const notifier = await startNotifier(shared)
  const { presence, clock } = bus
  const watch = startMeshWatch({ ...shared, presence, clock, regions: config.regions })
  const links = { publicUrl, operatorChannel, tokens: createUnsubscribeTokens(secretsKey) }
  const alerter = await startAlerting({
    ...shared,
    ...links,
    look: () => seeNotices({ sql, watch, now }),
    isOurs,
  })
  const domains = startDomainLoop({ ...shared, bootstrapUrl: config.rdapBootstrap, rules: config })
  const expander = await startNewsExpander({ ...shared, ...links })
  const outgoing = { rules: config, resolver: createResolver(), vault, now }
  const channelSender = createChannelSender(outgoing)
  const sending = { channelSender, mailer: mailerOf(config), publicUrl, random: Math.random }
  const beforeClaim = () => takeBackUntried(sql, now())
  const deliverer = await startDeliverer({ ...shared, ...sending, beforeClaim })
  const telemetry = startTelemetryPusher({ ...shared, ...outgoing, random: Math.random })
  const watched = { ...shared, ...outgoing, isMeasuring: () => isMeasuring(clickhouse) }
  const heartbeat = startOutgoingHeartbeat({
    ...watched,
    isOurs,
    url: config.heartbeatUrl,
    network: config.network,
  })
  const purger = startPurger({ ...shared, tiers: config.tiers, delayMs: purgeDelayMs })
  const assigner = await startAssigner({
    ...shared,
    sealer,
    liveRegions: config.regions,
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
      streamLag: streamLagOf(ingester.holdings),
      meshWatch: watch,
      tokens: links.tokens,
      ...signersOf(secretsKey),
      vault,
      sealer,
      channelSender,
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
      await succession.close()
      await leases.close()
      await firstReader.close()
      await Promise.all([ingester.close(), assessor.close(), persister.close()])
      const loops = [confirmer, notifier, alerter, domains, expander, deliverer, telemetry, purger, ledger]
      const sources = [watcher, reach, live, answers, board, heartbeat]
      await Promise.all([...loops, ...sources].map((part) => part.close()))
      await Promise.all([session.end({ timeout: 5 }), endRoles(roles), clickhouse.close()])
    },
  }
}

/** What the doctor knows of this process, also after its end. */
const aboutOf = ({ port, regions }: Config): ControlPlaneAbout => ({
  host: hostname(),
  port,
  pid: process.pid,
  version: ownVersion,
  regions,
})

const openConfirmer = (
  { bus, sealer, registry, log }: Pick<AppCapabilities, 'sealer' | 'registry' | 'log'> & { bus: Bus },
  sql: Sql,
  metrics: AssessMetrics,
): Confirmer => {
  const confirmer = createConfirmer({
    bus,
    metrics,
    log,
    assignmentFor: async (checkId, region) => {
      const check = await findCheckOfAnyAccount(sql, checkId)
      const assignment = check === null ? null : assignmentOf(check, region)
      const [sealed = null] = assignment === null ? [] : await sealer.seal([assignment])
      return sealed
    },
  })
  createPoolMetrics(registry).watch('confirmationsSent', confirmer.pool)
  return confirmer
}

const signersOf = (secretsKey: string) => ({
  marks: createDeviceMarks(secretsKey),
  relayRunIds: createRunIds(secretsKey),
})

const mailerOf = ({ smtpUrl, mailFrom }: Config): Mailer | null =>
  smtpUrl === null || mailFrom === null ? null : createMailer({ smtpUrl, from: mailFrom })
