import { attentionDays, type Attention } from '@probe-mesh/contracts/overview/overview'
import type { Fragment, Transaction } from '../stores/postgres/connect.ts'
import { itemsOf } from './summary-store.ts'

/** A certificate that was shown longer ago may have been replaced. */
const shownMsMax = 2 * 86_400_000

/** Things that need attention besides the readings of checks. `items` are the first; `count` is of all. */
export type AccountAttention = {
  certificates: Found
  domains: Found
  unverifiedChannels: Found
  failingChannels: Found
  neverPinged: Found
  hasChannel: boolean
}
type Found = Pick<Attention, 'count' | 'items'>

export const findAttention = async (
  tx: Transaction,
  accountId: string,
  nowMs: number,
): Promise<AccountAttention> => {
  const until = new Date(nowMs + attentionDays * 86_400_000)
  const found = (rows: Fragment) => tx`
    jsonb_build_object('count', (select count(*) from (${rows}) as every), 'items', ${itemsOf(tx, rows)})`
  const [row] = await tx<AccountAttention[]>`
    with certificate as materialized (
      select checks.id, checks.name, min(certificate.expires_at) as at
      from checks join check_certificates as certificate on certificate.check_id = checks.id
      where checks.account_id = ${accountId} and not checks.paused
        and certificate.region = any(checks.regions) and certificate.expires_at <= ${until}
        and certificate.seen_at > ${new Date(nowMs - shownMsMax)}
      group by checks.id
    ),
    domain as materialized (
      select checks.id, checks.name, domain.expires_at as at
      from checks join check_domains as domain on domain.check_id = checks.id
      where checks.account_id = ${accountId} and not checks.paused and domain.expires_at <= ${until}
    ),
    channel as materialized (
      select id, name, verified_at, created_at, failing_since from notification_channels
      where account_id = ${accountId}
    ),
    heartbeat as materialized (
      select checks.id, checks.name, checks.created_at as at
      from checks join heartbeats on heartbeats.check_id = checks.id
      where checks.account_id = ${accountId} and not checks.paused
        and heartbeats.state ->> 'lastPingAtMs' is null
    )
    select ${found(tx`select * from certificate`)} as certificates,
      ${found(tx`select * from domain`)} as domains,
      ${found(tx`select id, name, created_at as at from channel where verified_at is null`)} as "unverifiedChannels",
      ${found(
        tx`select id, name, failing_since as at from channel where failing_since is not null`,
      )} as "failingChannels",
      ${found(tx`select * from heartbeat`)} as "neverPinged",
      exists (select from channel) as "hasChannel"`
  return row ?? nothing
}

const none: Found = { count: 0, items: [] }
const nothing: AccountAttention = {
  certificates: none,
  domains: none,
  unverifiedChannels: none,
  failingChannels: none,
  neverPinged: none,
  hasChannel: false,
}
