import { hostname } from 'node:os'
import type { LoopContext } from '../stores/loop-context.ts'
import type { Bus } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { createPoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import { findCheckOfAnyAccount } from '../records/check/many-checks-store.ts'
import { assignmentOf } from '../checks/assignment-of.ts'
import { createAssessmentState } from '../mesh/assess/assessment-state.ts'
import { startAssessor } from '../mesh/assess/assessor.ts'
import { createConfirmer } from '../mesh/assess/confirmer.ts'
import { assessMetrics, type AssessMetrics } from '../mesh/assess/metrics.ts'
import { busMetrics, streamLagOf, type Consumers } from '../mesh/bus-metrics.ts'
import { startIngester } from '../mesh/ingest/ingester.ts'
import { ownVersion } from '../mesh/mesh-notices.ts'
import type { createReadingsReader } from '../readings/first-read/first-reader.ts'
import type { AssignmentSealer } from '../secrets/seal-assignments.ts'
import { startLeaseManager, type LeaseManager, type Tenant } from '../stores/leases/lease-manager.ts'
import type { ControlPlaneAbout } from '../stores/leases/leases-store.ts'
import type { LiveStates } from '../status/live-states.ts'
import { keepConsumers } from '../stores/leases/keep-consumers.ts'
import { connectLeaseSession } from '../stores/postgres/connect.ts'
import type { Config } from './config.ts'

type IngesterParts = Parameters<typeof startIngester>[0]
type AssessorParts = Parameters<typeof startAssessor>[0]

type Capabilities = LoopContext &
  Pick<IngesterParts, 'clickhouse' | 'factsOfChecks' | 'decode' | 'setAside' | 'onStored'> &
  Pick<AssessorParts, 'board' | 'onReadings' | 'servingSinceMs'> & {
    live: LiveStates
    bus: Bus
    config: Config
    databaseUrl: string
    sealer: AssignmentSealer
    firstReader: ReturnType<typeof createReadingsReader>
    /** null: error tracking is off */
    persister: (Tenant & { readonly holdings: Consumers; close(): Promise<void> }) | null
  }

export type Partitions = Awaited<ReturnType<typeof startPartitions>>

/** Starts what works under the leases of partitions, and the lease manager last. */
export const startPartitions = async (capabilities: Capabilities) => {
  const { bus, config, persister, firstReader, registry, log, now } = capabilities
  const assessmentState = createAssessmentState(now)
  capabilities.live.follow((checkId) => assessmentState.get(checkId)?.state)
  const metrics = assessMetrics(registry, assessmentState)
  const confirmer = openConfirmer(capabilities, metrics)
  createPoolMetrics(registry).watch('confirmationsSent', confirmer.pool)
  const ingester = startIngester(capabilities)
  const assessor = startAssessor({ ...capabilities, assessmentState, confirmer, metrics })
  // it looks at the leases only later
  let manager: LeaseManager | null = null
  const keeping = await keepConsumers({
    ...capabilities,
    consumers: bus.consumers,
    isSuperseded: () => (manager?.superseded() ?? null) !== null,
  })
  const session = connectLeaseSession(capabilities.databaseUrl)
  const leases = startLeaseManager({
    session,
    id: uuidv7(now()),
    about: aboutOf(config),
    tenants: [ingester, assessor, ...(persister === null ? [] : [persister])],
    registry,
    log,
    monotonic: () => performance.now(),
  })
  manager = leases
  const consumers = {
    ingest: ingester.holdings,
    assess: assessor.holdings,
    ...(persister !== null && { persist: persister.holdings }),
  }
  busMetrics(registry, { bus, regions: config.regions, consumers })
  return {
    leases,
    assessor,
    streamLag: streamLagOf(ingester.holdings),
    close: async () => {
      await keeping.close()
      await leases.close()
      await firstReader.close()
      await Promise.all([ingester.close(), assessor.close(), persister?.close()])
      await confirmer.close()
    },
    /** Ends the session of the leases, after everything that works under them. */
    endSession: () => session.end({ timeout: 5 }),
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

const openConfirmer = ({ sql, bus, sealer, log }: Capabilities, metrics: AssessMetrics) =>
  createConfirmer({
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
