import type { ArrivalFacts, Disk } from '@probe-mesh/control-plane/stores/clickhouse/server-facts'
import { broken, ok, shownAge, warning } from './finding.ts'
import type { Finding, Gathered } from './finding.ts'
import { clockFinding, diskFinding, migrationFinding } from './store-findings.ts'
import type { Migrations } from './store-findings.ts'

export type ClickHouseFacts = {
  version: string
  skewMs: number
  tookMs: number
  disks: readonly Disk[]
  arrivals: ArrivalFacts | null
  migrations: Migrations
}

/** One of a cluster. */
export type ClusterServer = {
  /** `host:port`. */
  host: string
  /** Its shard's place, from 1. */
  shard: number
  gathered: Gathered<ClickHouseFacts & { problems: readonly string[] }>
}

const topic = 'clickhouse'
const delayWarningMs = 30_000
/** ClickHouse holds inserts up at 1,000 parts of a partition, and refuses them at 3,000. */
const partsWarning = 800
const partsBroken = 2_500

/** What ClickHouse says of itself and of what comes in. Pure. @param checks that should be measured often */
export const clickhouseFindings = (
  gathered: Gathered<ClickHouseFacts>,
  checks: number | null,
): Finding[] => {
  if (!gathered.ok) {
    return [
      broken(
        topic,
        `ClickHouse does not answer: ${gathered.why}.`,
        'Start it ("systemctl start clickhouse-server"), or set CLICKHOUSE_URL to where it is. Until then readings wait on the stream; statuses and alerts do not depend on it.',
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
 * What each server of a cluster says of itself, and what comes in over all of them. While a replica of a shard
 * answers nothing is lost or late, without one nothing is stored and nothing of the past answered. Pure.
 */
export const clusterFindings = (
  servers: readonly ClusterServer[],
  checks: number | null,
): Finding[] => {
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
            'Mend its configuration: docs/clickhouse-cluster.md has the form.',
          ),
        ),
      ]
    }
    const message = `${name}, of shard ${shard}, does not answer: ${gathered.why}.`
    return [
      answering.has(shard)
        ? warning(topic, message, 'Start it: it fetches from its siblings what it has missed.')
        : broken(
            topic,
            message,
            'Start it or a sibling: without any of its shard readings wait on the stream, and history is not answered.',
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
  { version, skewMs, tookMs, disks, arrivals, migrations }: ClickHouseFacts,
): Finding[] => [
  ok(topic, `${name} ${version} answers, in ${Math.round(tookMs)} ms`),
  clockFinding('clock', `The clock of ${name}`, skewMs),
  ...disks.map((disk) => diskFinding('disk', `${name}'s disk ${disk.name}`, disk)),
  ...mergeFindings(name, arrivals?.partsMax ?? 0),
  migrationFinding(name, migrations),
]

const mergeFindings = (name: string, partsMax: number): Finding[] => {
  const message = `The fullest partition of ${name} has ${partsMax} parts.`
  const next = 'ClickHouse merges too slowly: look at its disk and its load.'
  if (partsMax > partsBroken) return [broken('merges', message, next)]
  return partsMax > partsWarning ? [warning('merges', message, next)] : []
}

/** @param arrivals at each server: what is late at one is late */
const arrivalFindings = (arrivals: readonly ArrivalFacts[], checks: number | null): Finding[] => {
  const delays = arrivals.flatMap(({ delayP95Ms }) => (delayP95Ms === null ? [] : [delayP95Ms]))
  const delayMs = Math.max(0, ...delays)
  const next =
    'Look at partitions, agents and lag in this list, then at the log of the control planes.'
  if (delayMs > delayWarningMs) {
    const message = `95 % came only within ${shownAge(delayMs)} of their measurement.`
    return [warning('readings', message, next)]
  }
  if (arrivals.some(({ newestReceivedAtMs }) => newestReceivedAtMs !== null)) {
    return [ok('readings', `come in; 95 % within ${shownAge(delayMs)} of their measurement`)]
  }
  return checks === null || checks === 0
    ? [ok('readings', 'none in ten minutes, and none was due')]
    : [
        broken(
          'readings',
          `Nothing was stored for ten minutes, with ${checks} checks that run.`,
          next,
        ),
      ]
}
