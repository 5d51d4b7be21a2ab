import type { DeliveryBounds } from '@probe-mesh/contracts/channel/outgoing-pools'
import type { Sql } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'
import type { ChannelClaim, MailClaim } from './claimed-deliveries-store.ts'
import { isSuspended } from '../accounts/accounts-store.ts'

/** The claims of a control plane of one kind, its bounds, and how long a new claim lasts. */
export type ClaimRequest = {
  bounds: Omit<DeliveryBounds, 'attemptMsMax'>
  /** Claims that the caller holds: they stay its own when a clock jumps. */
  held: readonly { id: string; isLater: boolean }[]
  claimMs: number
}

/** The owner of a mail, as in its index; people without an account count as one owner. */
const ownerIn = (sql: Sql) => sql`coalesce(account_id, '00000000-0000-0000-0000-000000000000'::uuid)`

/** Free places: in total, for accounts that have one already, and for each priority. */
const freeOf = ({ bounds, held }: ClaimRequest) => {
  const free = bounds.places - held.length
  const later = held.filter(({ isLater }) => isLater).length
  return {
    free,
    more: free - bounds.placesOfNewcomers,
    first: bounds.placesOfFirst - (held.length - later),
    later: bounds.placesOfLater - later,
  }
}

/**
 * Claims due mails: alerts and links before news for subscribers, then those of accounts with the fewest
 * mails in flight, then of the account served longest ago. It walks the index from account to account and
 * reads at most as many mails of each as may be claimed.
 */
export const claimMails = async (sql: Sql, claiming: ClaimRequest, nowMs: number): Promise<MailClaim[]> => {
  const places = freeOf(claiming)
  if (places.free <= 0) return []
  const { placesOfAccount } = claiming.bounds
  const now = new Date(nowMs)
  const held = claiming.held.map(({ id }) => id)
  const owner = ownerIn(sql)
  return await sql<MailClaim[]>`
    with recursive owners as (
      (
        select ${owner} as owner from deliveries
        where state = 'pending' and kind = 'mail'
        order by ${owner} limit 1
      )
      union all
      select following.owner from owners cross join lateral (
        select ${owner} as owner from deliveries
        where state = 'pending' and kind = 'mail'
          and ${owner} > owners.owner
        order by ${owner} limit 1
      ) as following
    ), in_flight as (
      select ${owner} as owner, count(*)::integer as count
      from deliveries
      where state = 'pending' and kind = 'mail' and claimed_until is not null
        and (claimed_until > ${now} or id = any(${held}::uuid[]))
      group by 1
    ), due as (
      select mails.*, owners.owner, turns.served_at,
        coalesce(in_flight.count, 0) + row_number() over (
          partition by owners.owner order by mails.bulk, mails.next_attempt_at) as place
      from owners cross join (values (false), (true)) as lanes (bulk)
        cross join lateral (
          select id, bulk, next_attempt_at from deliveries
          where state = 'pending' and kind = 'mail'
            and ${owner} = owners.owner
            and deliveries.bulk = lanes.bulk
            and next_attempt_at <= ${now} and expires_at > ${now}
            and (claimed_until is null or claimed_until <= ${now})
            and not id = any(${held}::uuid[])
            and not ${isSuspended(sql, 'deliveries.account_id')}
          order by next_attempt_at, sequence limit ${placesOfAccount}
        ) as mails
        left join in_flight on in_flight.owner = owners.owner
        left join delivery_turns as turns
          on turns.account_id = owners.owner and turns.kind = 'mail'
    ), lanes as (
      select *, row_number() over (
        partition by bulk order by place, served_at nulls first, next_attempt_at) as lane_rank
      from due where place <= ${placesOfAccount}
    ), ranked as (
      select *, row_number() over (
        order by bulk, place, served_at nulls first, next_attempt_at) as rank
      from lanes
      where lane_rank <= case when bulk then ${places.later}::integer else ${places.first} end
    ), chosen as (
      select id from deliveries
      where id in (
          select id from ranked
          where rank <= case when place = 1 then ${places.free}::integer else ${places.more} end
        )
        and state = 'pending' and (claimed_until is null or claimed_until <= ${now})
      for update skip locked
    ), claimed as (
      update deliveries set attempts = attempts + 1,
        claimed_until = ${new Date(nowMs + claiming.claimMs)}
      where id in (select id from chosen)
      returning id, account_id, attempts, expires_at, claimed_until, recipient, message, bulk
    ), turns as (
      insert into delivery_turns (account_id, kind, served_at)
      select distinct ${owner}, 'mail', ${now}::timestamptz
      from claimed order by 1
      on conflict (account_id, kind) do update set served_at = excluded.served_at
    )
    select id, 'mail' as kind, attempts, ${epochMs(sql, 'expires_at')} as "expiresAtMs",
      ${epochMs(sql, 'claimed_until')} as "claimedUntilMs", recipient, message, bulk as "isLater"
    from claimed`
}

/**
 * Claims the first due message of each channel: one at a time, so that messages stay in order and a slow
 * channel delays only itself. Accounts with the fewest messages in flight go first, then the account served
 * longest ago; slow channels have their own places. It walks the index from channel to channel: 20,000
 * messages of 200 channels take about 10 ms instead of 60.
 */
export const claimChannelDeliveries = async (
  sql: Sql,
  claiming: ClaimRequest,
  nowMs: number,
): Promise<ChannelClaim[]> => {
  const places = freeOf(claiming)
  if (places.free <= 0) return []
  const now = new Date(nowMs)
  const held = claiming.held.map(({ id }) => id)
  type Row = Omit<ChannelClaim, 'circuit'> & ChannelClaim['circuit']
  const rows = await sql<Row[]>`
    with recursive heads as (
      (
        select id, account_id, channel_id, sequence, next_attempt_at, expires_at
        from deliveries where state = 'pending' and channel_id is not null
        order by channel_id, sequence limit 1
      )
      union all
      select following.* from heads cross join lateral (
        select id, account_id, channel_id, sequence, next_attempt_at, expires_at
        from deliveries where state = 'pending' and channel_id > heads.channel_id
        order by channel_id, sequence limit 1
      ) as following
    ), in_flight as (
      select account_id, count(*)::integer as count from deliveries
      where state = 'pending' and channel_id is not null and claimed_until is not null
        and (claimed_until > ${now} or id = any(${held}::uuid[]))
      group by account_id
    ), due as (
      select heads.id, heads.next_attempt_at, channels.slow, turns.served_at,
        coalesce(in_flight.count, 0) + row_number() over (
          partition by heads.account_id
          order by channels.slow, heads.next_attempt_at, heads.sequence) as place
      from heads join notification_channels as channels on channels.id = heads.channel_id
        left join in_flight on in_flight.account_id = heads.account_id
        left join delivery_turns as turns
          on turns.account_id = heads.account_id and turns.kind = 'channel'
      where heads.next_attempt_at <= ${now} and heads.expires_at > ${now}
        and channels.verified_at is not null
        and (channels.open_until is null or channels.open_until <= ${now})
        and not heads.id = any(${held}::uuid[])
        and not ${isSuspended(sql, 'heads.account_id')}
        and not exists (
          select from deliveries where channel_id = heads.channel_id and state = 'pending'
            and claimed_until is not null and claimed_until > ${now})
    ), lanes as (
      select *, row_number() over (
        partition by slow order by place, served_at nulls first, next_attempt_at) as lane_rank
      from due where place <= ${claiming.bounds.placesOfAccount}
    ), ranked as (
      select *, row_number() over (
        order by place, slow, served_at nulls first, next_attempt_at) as rank
      from lanes
      where lane_rank <= case when slow then ${places.later}::integer else ${places.first} end
    ), chosen as (
      select id from deliveries
      where id in (
          select id from ranked
          where rank <= case when place = 1 then ${places.free}::integer else ${places.more} end
        )
        and state = 'pending' and (claimed_until is null or claimed_until <= ${now})
      for update skip locked
    ), claimed as (
      update deliveries set attempts = attempts + 1,
        claimed_until = ${new Date(nowMs + claiming.claimMs)}
      where id in (select id from chosen)
      returning id, account_id, channel_id, attempts, expires_at, claimed_until, message, sequence
    ), turns as (
      insert into delivery_turns (account_id, kind, served_at)
      select distinct account_id, 'channel', ${now}::timestamptz from claimed order by 1
      on conflict (account_id, kind) do update set served_at = excluded.served_at
    )
    select claimed.id, 'channel' as kind, claimed.attempts, ${epochMs(sql, 'claimed.expires_at')} as "expiresAtMs",
      ${epochMs(sql, 'claimed.claimed_until')} as "claimedUntilMs", claimed.message,
      claimed.account_id as "accountId", accounts.is_operators as "isOperators",
      claimed.channel_id as "channelId", channels.type, channels.credential, channels.failures,
      ${epochMs(sql, 'channels.open_until')} as "openUntilMs", channels.slow as "isLater"
    from claimed join notification_channels as channels on channels.id = claimed.channel_id
      join accounts on accounts.id = claimed.account_id
    order by claimed.sequence`
  return rows.map(({ failures, openUntilMs, ...claim }) => ({ ...claim, circuit: { failures, openUntilMs } }))
}
