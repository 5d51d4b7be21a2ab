import type { Sql } from '../stores/postgres/connect.ts'
import { findPartitionOwners, type PartitionOwner } from '../stores/leases/leases-store.ts'
import { findOpenQuarantines, type QuarantineRecord } from '../status/quarantine/quarantines-store.ts'

/** Waiting items: how many, and since when the oldest waits. */
export type Waiting = { count: number; oldestAtMs: number | null }

/** The condition of the database, for its operator. Times are by its own clock, Unix ms. */
export type DatabaseFacts = {
  nowMs: number
  connections: number
  connectionsMax: number
  owners: PartitionOwner[]
  quarantines: QuarantineRecord[]
  /** Messages and readings that could not be read. */
  putAside: Waiting
  /** Why they could not be read, the most frequent reason first. */
  putAsideReasons: string[]
  /** Overdue rows of the outbox. */
  outbox: Waiting
  /** Messages to people that are due. */
  deliveries: Waiting
  /** Messages of the last day that failed permanently. */
  dead: Waiting
  /** Unfinished batches of readings. */
  batches: Waiting
  /** Checks with a slot at least every five minutes, so that readings are expected. */
  checks: number
}

const frequentSeconds = 300
const reasonsMax = 3
/** The limit of a statement, ms: the caller has little time. */
const statementMsMax = 4_000

export const databaseFacts = async (sql: Sql): Promise<DatabaseFacts> =>
  sql.begin('read only', async (tx) => {
    await tx.unsafe(`set local statement_timeout = ${statementMsMax}`)
    const [server] = await tx<{ now: Date; connections: string; most: string }[]>`
      select clock_timestamp() as now, current_setting('max_connections') as most,
        (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections`
    const rows = await tx<{ name: keyof Pending; count: string; oldest: Date | null }[]>`
      select 'putAside' as name, count(*) as count, min(received_at) as oldest from poison_messages
      union all
      select 'outbox', count(*), min(next_attempt_at) from outbox
        where done_at is null and next_attempt_at < clock_timestamp()
      union all
      select 'deliveries', count(*), min(next_attempt_at) from deliveries
        where state = 'pending' and next_attempt_at < clock_timestamp()
          and (claimed_until is null or claimed_until < clock_timestamp())
      union all
      select 'dead', count(*), min(created_at) from deliveries
        where state = 'dead' and created_at > clock_timestamp() - interval '1 day'
      union all
      select 'batches', count(*), min(created_at) from ingest_batches`
    const reasons = await tx<{ reason: string }[]>`
      select reason from poison_messages group by reason order by count(*) desc, reason
      limit ${reasonsMax}`
    const [checks] = await tx<{ count: string }[]>`
      select count(*) as count from checks
      where not paused and type <> 'heartbeat' and interval_seconds <= ${frequentSeconds}`
    const waiting = new Map(
      rows.map(({ name, count, oldest }) => [
        name,
        { count: Number(count), oldestAtMs: oldest?.getTime() ?? null },
      ]),
    )
    const of = (name: keyof Pending): Waiting => waiting.get(name) ?? { count: 0, oldestAtMs: null }
    return {
      nowMs: server?.now.getTime() ?? 0,
      connections: Number(server?.connections ?? 0),
      connectionsMax: Number(server?.most ?? 0),
      owners: await findPartitionOwners(tx),
      quarantines: await findOpenQuarantines(tx),
      putAside: of('putAside'),
      putAsideReasons: reasons.map(({ reason }) => reason),
      outbox: of('outbox'),
      deliveries: of('deliveries'),
      dead: of('dead'),
      batches: of('batches'),
      checks: Number(checks?.count ?? 0),
    }
  })

type Pending = Pick<DatabaseFacts, 'putAside' | 'outbox' | 'deliveries' | 'dead' | 'batches'>
