import type { ArrivalFacts, Disk, NotAllowed } from '@probe-mesh/control-plane/stores/clickhouse/server-facts'
import type { MissingClickHouseTable } from '@probe-mesh/control-plane/stores/clickhouse/migrate'
import { broken, ok, shownAge, unanswered, warning, type Finding, type Gathered } from './finding.ts'
import { clockFinding, diskFinding, migrationFinding, type Migrations } from './store-findings.ts'

export type ClickHouseFacts = {
  version: string
  skewMs: number
  tookMs: number
  disks: readonly Disk[]
  arrivals: ArrivalFacts | null
  migrations: Migrations
  /** Tables that the migrations created and the server lacks. */
  missingTables: readonly MissingClickHouseTable[]
  /** Readings of the last minutes that an agent refused to measure because of its TARGET_ALLOW. */
  notAllowed: readonly NotAllowed[]
}

export type ClusterServer = {
  /** `host:port`. */
  host: string
  /** The number of its shard, from 1. */
  shard: number
  gathered: Gathered<ClickHouseFacts & { problems: readonly string[] }>
}

const topic = 'clickhouse'
const delayWarningMs = 30_000
/** ClickHouse delays inserts at 1,000 parts of a partition, and refuses them at 3,000. */
const partsWarning = 800
const partsBroken = 2_500

/** Findings about ClickHouse and its incoming readings. @param checks that run; null: unknown */
export const clickhouseFindings = (gathered: Gathered<ClickHouseFacts>, checks: number | null): Finding[] => {
  if (!gathered.ok) {
    return [
      unanswered(
        topic,
        gathered,
        `ClickHouse does not answer: ${gathered.why}.`,
        'Start it ("systemctl start clickhouse-server"), or correct CLICKHOUSE_URL. Readings wait on the stream meanwhile; statuses and alerts still work.',
      ),
    ]
  }
  const { arrivals } = gathered.facts
  return [
    ...serverFindings('ClickHouse', gathered.facts),
    ...(arrivals === null ? [] : arrivalFindings([arrivals], checks)),
  ]
}

/**
 * Findings about each server of a cluster, and about readings over all servers. A shard works while one
 * replica answers. Without one, readings are not stored and history is unavailable.
 */
export const clusterFindings = (servers: readonly ClusterServer[], checks: number | null): Finding[] => {
  const answering = new Set(servers.flatMap(({ shard, gathered }) => (gathered.ok ? [shard] : [])))
  const found = servers.flatMap(({ host, shard, gathered }): Finding[] => {
    const name = `ClickHouse at ${host}`
    if (gathered.ok) {
      return [
        ...serverFindings(name, gathered.facts),
        ...gathered.facts.problems.map((problem) =>
          broken(
            topic,
            `${name}: ${problem}.`,
            'Correct its configuration as in docs/clickhouse-cluster.md.',
          ),
        ),
      ]
    }
    const message = `${name} (shard ${shard}) does not answer: ${gathered.why}.`
    return [
      answering.has(shard)
        ? warning(topic, message, 'Start it: it copies missing data from the other replicas.')
        : unanswered(
            topic,
            gathered,
            message,
            'Start it or another replica. Without a replica of the shard, readings wait on the stream and history is unavailable.',
          ),
    ]
  })
  const arrivals = servers.flatMap(({ gathered }) =>
    gathered.ok && gathered.facts.arrivals !== null ? [gathered.facts.arrivals] : [],
  )
  return [...found, ...(arrivals.length === 0 ? [] : arrivalFindings(arrivals, checks))]
}

const serverFindings = (
  name: string,
  { version, skewMs, tookMs, disks, arrivals, migrations, missingTables }: ClickHouseFacts,
): Finding[] => [
  ok(topic, `${name} ${version} answers, in ${Math.round(tookMs)} ms`),
  clockFinding('clock', `The clock of ${name}`, skewMs),
  ...disks.map((disk) => diskFinding('disk', `${name}'s disk ${disk.name}`, disk)),
  ...mergeFindings(name, arrivals?.partsMax ?? 0),
  migrationFinding(name, migrations),
  ...missingTables.map((table) => missingFinding(name, table)),
]

const missingFinding = (name: string, { table, renamedTo }: MissingClickHouseTable): Finding =>
  broken(
    topic,
    `${name} lacks the table ${table}, so readings are not stored and wait on the stream.`,
    renamedTo === null
      ? `Restore it from a backup ("npm run -s admin -- restore --help"). Without one, run "delete from migrations where 1" there and restart a control plane: it creates the table again, empty.`
      : `${renamedTo} looks like it. Rename it back, in clickhouse-client there: "rename table ${renamedTo} to ${table}".`,
  )

const mergeFindings = (name: string, partsMax: number): Finding[] => {
  const message = `A partition of ${name} has ${partsMax} parts.`
  const next = 'ClickHouse merges too slowly: check its disk and its load.'
  if (partsMax > partsBroken) return [broken('merges', message, next)]
  return partsMax > partsWarning ? [warning('merges', message, next)] : []
}

/** @param arrivals of each server; the slowest counts */
const arrivalFindings = (arrivals: readonly ArrivalFacts[], checks: number | null): Finding[] => {
  const delays = arrivals.flatMap(({ delayP95Ms }) => (delayP95Ms === null ? [] : [delayP95Ms]))
  const delayMs = Math.max(0, ...delays)
  const next = 'Check "partitions", "agents" and "lag" in this list, then the log of the control planes.'
  if (delayMs > delayWarningMs) {
    const message = `Readings are late: 95 % arrive within ${shownAge(delayMs)} of their measurement.`
    return [warning('readings', message, next)]
  }
  if (arrivals.some(({ newestReceivedAtMs }) => newestReceivedAtMs !== null)) {
    return [ok('readings', `95 % arrive within ${shownAge(delayMs)} of their measurement`)]
  }
  return checks === null || checks === 0
    ? [ok('readings', 'none in 10 min, and none was expected')]
    : [broken('readings', `No reading was stored for 10 min, although ${checks} checks run.`, next)]
}
