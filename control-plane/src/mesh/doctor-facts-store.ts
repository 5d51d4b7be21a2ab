import { findOperatorsAccount } from '../accounts/accounts-store.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import {
  findControlPlanes,
  findPartitionOwners,
  type KnownControlPlane,
  type PartitionOwner,
} from '../stores/leases/leases-store.ts'
import { findOpenQuarantines, type QuarantineRecord } from '../status/quarantine/quarantines-store.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

export type { KnownControlPlane }

/** Waiting items: how many, and since when the oldest waits. */
export type Waiting = { count: number; oldestAtMs: number | null }

/** The condition of the database, for its operator. Times are by its own clock, Unix ms. */
export type DatabaseFacts = {
  nowMs: number
  connections: number
  connectionsMax: number
  owners: PartitionOwner[]
  controlPlanes: KnownControlPlane[]
  quarantines: QuarantineRecord[]
  /** Messages and readings that could not be read. */
  putAside: Waiting
  /** Why they could not be read, the most frequent reason first. */
  putAsideReasons: string[]
  /** Overdue rows of the outbox. */
  outbox: Waiting
  /** Messages to people that are due. */
  deliveries: Waiting
  /** Channels whose every message fails. */
  failingChannels: FailingChannel[]
  /** The verified channels of the operator's account, which OPERATOR_CHANNEL may name. */
  operatorChannels: string[]
  /** Messages of the last day that failed permanently. */
  dead: Waiting
  /** Unfinished batches of readings. */
  batches: Waiting
  /** Checks with a slot at least every five minutes, so that readings are expected. */
  checks: number
  /** Whether any check uses a secret, so that agents need REGION_KEY. */
  hasSecrets: boolean
}

/** A channel whose last attempts all failed, with messages for it. */
export type FailingChannel = {
  id: string
  name: string
  type: string
  accountId: string
  accountName: string
  /** Messages that wait or failed permanently. */
  messages: number
  sinceMs: number
  lastError: string
}

const channelsMax = 20
/** This many failures in a row make a channel a finding. */
const failuresMin = 3

const frequentSeconds = 300
const reasonsMax = 3
/** The limit of a statement, ms: the caller has little time. */
const statementMsMax = 4_000

/** @param patience factor of the limit, for a busy machine */
export const databaseFacts = async (sql: Sql, patience = 1): Promise<DatabaseFacts> =>
  sql.begin('read only', async (tx) => {
    await tx.unsafe(`set local statement_timeout = ${statementMsMax * patience}`)
    const [server] = await tx<{ nowMs: number; connections: string; most: string }[]>`
      select ${epochMs(tx, tx`clock_timestamp()`)} as "nowMs", current_setting('max_connections') as most,
        (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections`
    const rows = await tx<(Waiting & { name: keyof Pending })[]>`
      select name, count::float8 as count, ${epochMs(tx, 'oldest')} as "oldestAtMs" from (
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
      select 'batches', count(*), min(created_at) from ingest_batches) as waiting`
    const reasons = await tx<{ reason: string }[]>`
      select reason from poison_messages group by reason order by count(*) desc, reason
      limit ${reasonsMax}`
    const channels = await tx<FailingChannel[]>`
      select c.id, c.name, c.type, c.account_id as "accountId", a.name as "accountName", failed.*
      from notification_channels c join accounts a on a.id = c.account_id
        cross join lateral (
          select count(*)::int as messages, ${epochMs(tx, tx`min(d.created_at)`)} as "sinceMs",
            coalesce((array_agg(d.last_error order by d.attempts desc))[1], '') as "lastError"
          from deliveries d where d.channel_id = c.id and (d.state = 'pending'
            or (d.state = 'dead' and d.created_at > clock_timestamp() - interval '1 day'))) failed
      where c.failures >= ${failuresMin} and failed.messages > 0
      order by c.failures desc, c.id limit ${channelsMax}`
    const operatorsAccount = await findOperatorsAccount(tx)
    const operators = await tx<{ id: string }[]>`
      select id from notification_channels 
      where account_id = ${operatorsAccount} and verified_at is not null`
    const [secrets] = await tx<{ some: boolean }[]>`select exists (select from secrets) as some`
    const [checks] = await tx<{ count: string }[]>`
      select count(*) as count from checks
      where not paused and type <> 'heartbeat' and interval_seconds <= ${frequentSeconds}`
    const waiting = new Map(rows.map(({ name, ...each }) => [name, each]))
    const of = (name: keyof Pending): Waiting => waiting.get(name) ?? { count: 0, oldestAtMs: null }
    return {
      nowMs: server?.nowMs ?? 0,
      connections: Number(server?.connections ?? 0),
      connectionsMax: Number(server?.most ?? 0),
      owners: await findPartitionOwners(tx),
      controlPlanes: await findControlPlanes(tx),
      quarantines: await findOpenQuarantines(tx),
      putAside: of('putAside'),
      putAsideReasons: reasons.map(({ reason }) => reason),
      outbox: of('outbox'),
      deliveries: of('deliveries'),
      failingChannels: channels,
      operatorChannels: operators.map(({ id }) => id),
      dead: of('dead'),
      batches: of('batches'),
      checks: Number(checks?.count ?? 0),
      hasSecrets: secrets?.some === true,
    }
  })

type Pending = Pick<DatabaseFacts, 'putAside' | 'outbox' | 'deliveries' | 'dead' | 'batches'>
