import { oneLine } from '@probe-mesh/runtime/one-line'
import { html, textOf } from '@probe-mesh/runtime/html'
import type { FailingChannel } from '@probe-mesh/contracts/channel/channel'
import type { AccountContext, Caller } from '../accounts/operations/context.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { MailMessage } from './mail/mail.ts'
import { mailMembers } from './mail-members.ts'
import { isoText } from '../stores/postgres/epoch-ms.ts'

/** A channel that comes and goes mails its members once in this time. */
const toldMs = 86_400_000
/** Messages that the fallback gets for those that the channel did not take before it was marked. */
const takenOverMax = 50

type FailedChannel = { accountId: string; channelId: string; detail: string }

/**
 * Marks a channel as failing, in the transaction that records the failure. The first time, the members get a
 * mail, and its alerts go to the fallbacks of the rules that sent them (S-2025, S-2026).
 */
export const markFailing = async (
  tx: Transaction,
  { accountId, channelId, detail }: FailedChannel,
  { publicUrl, nowMs }: { publicUrl: string; nowMs: number },
): Promise<void> => {
  const now = new Date(nowMs)
  const [marked] = await tx<{ name: string; tells: boolean }[]>`
    with before as (
      select id, coalesce(failing_told_at <= ${new Date(nowMs - toldMs)}, true) as tells
      from notification_channels where id = ${channelId} and failing_since is null for update
    )
    update notification_channels as channel set failing_since = ${now}, failing_detail = ${detail},
      failing_told_at = case when before.tells then ${now} else failing_told_at end
    from before where channel.id = before.id
    returning channel.name, before.tells`
  if (marked === undefined) {
    await tx`update notification_channels set failing_detail = ${detail} where id = ${channelId}`
    return
  }
  await takeOver(tx, channelId, nowMs)
  if (!marked.tells) return
  const url = `${publicUrl}/dashboard/channels/${channelId}`
  const message = failingMail({ name: marked.name, detail, url })
  const cause = `channel-failing:${channelId}:${nowMs}`
  await mailMembers(tx, accountId, { cause, message, expiresAtMs: nowMs + toldMs }, nowMs)
}

/** Copies the alerts that the channel did not take to the fallback of each rule that sent them. */
const takeOver = async (tx: Transaction, channelId: string, nowMs: number): Promise<void> => {
  const now = new Date(nowMs)
  const rows = await tx`
    insert into deliveries (id, account_id, kind, channel_id, cause, bulk, message, next_attempt_at,
      expires_at, created_at)
    select distinct on (fallback.id, missed.cause) gen_random_uuid(), missed.account_id, 'channel',
      fallback.id, missed.cause || ':fallback:' || fallback.id, false, missed.message, ${now}::timestamptz,
      missed.expires_at, ${now}::timestamptz
    from (
        select *, substring(cause from '^(?:digest:)?alert:([0-9a-f-]{36}):')::uuid as check_id from deliveries
        where channel_id = ${channelId} and delivered_at is null and expires_at > ${now}
          and cause ~ '^(digest:)?alert:[0-9a-f-]{36}:' and cause !~ ':fallback:'
          and (state = 'pending' or (state = 'dead' and created_at > ${new Date(nowMs - takenOverMs)}))
        order by sequence desc limit ${takenOverMax}
      ) as missed
      join alert_rules as rule on rule.account_id = missed.account_id and rule.enabled
        and (rule.channel_ids is null or ${channelId}::uuid = any(rule.channel_ids))
        and (rule.check_ids is null or missed.check_id = any(rule.check_ids))
      join notification_channels as fallback on fallback.id = rule.fallback_channel_id
        and fallback.id <> ${channelId}
    on conflict (cause) do nothing`
  if (rows.count > 0) await tx`select pg_notify('deliveries', '')`
}

/** A message that failed for good this long ago still goes to the fallback. */
const takenOverMs = 3_600_000

/** The failing channels of an account, the one that fails longest first. */
export const listFailingChannels = async (
  { sql }: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<{ channels: FailingChannel[] }> => {
  const channels = await inAccount(
    sql,
    accountId,
    (tx) => tx<FailingChannel[]>`
      select id, ${isoText(tx, 'failing_since')} as since, coalesce(failing_detail, '') as detail, (select count(*)::int from deliveries
        where channel_id = channel.id and state = 'pending') as waiting
      from notification_channels as channel
      where account_id = ${accountId} and failing_since is not null order by failing_since, id`,
  )
  return { channels }
}

/** Texts of an account and of a receiver: `detail` is redacted and bounded where it is recorded. */
const failingMail = (failing: { name: string; detail: string; url: string }): MailMessage => {
  const name = oneLine(failing.name)
  const subject = `Alerts to ${name} do not arrive`
  const said = `The last answer was: ${failing.detail}`
  const next =
    'Other channels and people of a rule, and its fallback channel, still get its alerts. Check the channel and send a test:'
  return {
    subject,
    text: `Messages to the channel ${name} fail.\n${said}\n\n${next}\n${failing.url}\n`,
    html: textOf(
      html`<p>Messages to the channel <strong>${name}</strong> fail.</p>
        <p>${said}</p>
        <p>${next}</p>
        <p><a href="${failing.url}">${failing.url}</a></p>`,
    ),
  }
}
