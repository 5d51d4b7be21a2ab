import type { Sql } from '../stores/postgres/connect.ts'
import { findPartitionOwners } from '../stores/leases/leases-store.ts'
import type { PartitionOwner } from '../stores/leases/leases-store.ts'
import { findOpenQuarantines } from '../status/quarantine/quarantines-store.ts'
import type { QuarantineRecord } from '../status/quarantine/quarantines-store.ts'

/** Things that wait for somebody: how many, and since when the oldest does. */
export type Waiting = { count: number; oldestAtMs: number | null }

/** How the database stands, for whoever looks after it. Instants are of its own clock, Unix ms. */
export type DatabaseFacts = {
  nowMs: number
  connections: number
  connectionsMax: number
  owners: PartitionOwner[]
  quarantines: QuarantineRecord[]
  /** Messages and readings that nobody could read. */
  putAside: Waiting
  /** Why they could not be, the most frequent first. */
  putAsideReasons: string[]
  /** Causes that should have been told and are not. */
  outbox: Waiting
  /** Messages to people whose time has come. */
  deliveries: Waiting
  /** Messages of the last day that were given up. */
  dead: Waiting
  /** Batches of readings that were begun. */
  batches: Waiting
  /** Checks that have a slot every few minutes, so that something is to come. */
  checks: number
}

const frequentSeconds = 300
const reasonsMax = 3
/** A statement may take so long, ms: whoever asks has little time. */
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
