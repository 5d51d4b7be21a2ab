import { endAddressUrl } from './address-mail.ts'
import { composeAlertMail, type MailAction } from './alert-message.ts'
import type { MailLinks } from './context.ts'
import { inZone } from '../notifications/channels/forms/in-zone.ts'
import type { ChannelMessage } from '../notifications/channels/forms/message.ts'
import type { DeliveryDraft } from '../notifications/delivery-record.ts'
import { insertDeliveries } from '../notifications/deliveries-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/** A channel, or a person who is notified by mail: a member, or a confirmed address. */
export type Receiver = { id: string; accountId: string; kind: 'channel' | 'mail' }

/** A receiver with what a rule chooses it by. */
export type NamedReceiver = Receiver & {
  isMember: boolean
  /** In lower case; null: a channel. */
  email: string | null
  /** A channel whose messages do not arrive. */
  isFailing: boolean
}

/**
 * The channels, members and confirmed addresses of these accounts. Messages wait for a channel that is not verified.
 * The address of a member is the member, so that one person gets one message.
 */
export const findReceivers = async (
  tx: Transaction,
  accountIds: readonly string[],
): Promise<NamedReceiver[]> => {
  const ids = [...accountIds]
  return await tx<NamedReceiver[]>`
    select id, account_id as "accountId", 'channel' as kind, false as "isMember", null as email,
      failing_since is not null as "isFailing"
    from notification_channels where account_id = any(${ids}::uuid[])
    union all
    select id, account_id, 'mail', true, lower(email), false from users where account_id = any(${ids}::uuid[])
    union all
    select id, account_id, 'mail', false, lower(email), false from alert_addresses
    where account_id = any(${ids}::uuid[]) and confirmed_at is not null and not exists (
      select from users where users.account_id = alert_addresses.account_id
        and lower(users.email) = lower(alert_addresses.email))
    order by id`
}

/** Where a receiver's messages go, with the zone of their times. Mail to an address has a link that ends it. */
export type ReceiverAddress = { address: string; zone: string; unsubscribeUrl?: string }

/**
 * The address of a receiver, locked until the transaction ends; null: the channel or member was deleted, or the
 * address ended its mails.
 */
export const findAddress = async (
  { publicUrl, tokens }: MailLinks,
  tx: Transaction,
  { id, kind }: Receiver,
): Promise<ReceiverAddress | null> => {
  if (kind === 'channel') {
    const [row] = await tx<ReceiverAddress[]>`
      select channel.id::text as address, accounts.time_zone as zone
      from notification_channels as channel join accounts on accounts.id = channel.account_id
      where channel.id = ${id} for key share of channel`
    return row ?? null
  }
  const [member] = await tx<ReceiverAddress[]>`
    select email as address, time_zone as zone from users where id = ${id} for key share`
  if (member !== undefined) return member
  const [outside] = await tx<ReceiverAddress[]>`
    select email as address, accounts.time_zone as zone
    from alert_addresses join accounts on accounts.id = alert_addresses.account_id
    where alert_addresses.id = ${id} and confirmed_at is not null for key share of alert_addresses`
  return outside === undefined
    ? null
    : { ...outside, unsubscribeUrl: endAddressUrl(publicUrl, tokens.of(id)) }
}

/** Messages older than this are not sent. */
const expiresMs = 86_400_000

/** The receivers that a rule names. */
type RuleReceivers = {
  readonly accountId: string
  /** null: every channel. */
  readonly channelIds: readonly string[] | null
  /** Takes over while a channel fails; absent in rules that name none. */
  readonly fallbackChannelId?: string | null
  readonly emailUsers: boolean
  /** Members; absent in rules that name none. */
  readonly userIds?: readonly string[]
  readonly addresses?: readonly string[]
}

/**
 * Writes a delivery of each message to each receiver of a rule. Two rules with the same cause and receiver
 * write one.
 * @param told only to these of its receivers, and to its fallback, which speaks for one of them; null: to all
 * @returns the receivers
 */
export const sendToReceivers = async (
  links: MailLinks,
  tx: Transaction,
  rule: RuleReceivers,
  messages: readonly { cause: string; message: ChannelMessage }[],
  nowMs: number,
  told: readonly string[] | null = null,
): Promise<string[]> => {
  if (messages.length === 0) return []
  const receivers = receiversOf(rule, await findReceivers(tx, [rule.accountId])).filter(
    ({ id }) => told === null || told.includes(id) || id === rule.fallbackChannelId,
  )
  const drafts: DeliveryDraft[] = []
  for (const receiver of receivers) {
    const address = await findAddress(links, tx, receiver)
    if (address === null) continue
    for (const { cause, message } of messages) {
      drafts.push(deliveryTo(receiver, address, { cause: `${cause}:${receiver.id}`, message }, nowMs))
    }
  }
  await insertDeliveries(tx, drafts, nowMs)
  return receivers.map(({ id }) => id)
}

/** The receivers of a rule, and its fallback while one of its channels fails (S-2027). */
export const receiversOf = <R extends NamedReceiver>(
  rule: Omit<RuleReceivers, 'accountId'>,
  receivers: readonly R[],
): R[] => {
  const named = receivers.filter((each) => isReceiver(rule, each))
  const fails = named.some(({ isFailing }) => isFailing)
  const fallback = fails ? receivers.find(({ id }) => id === rule.fallbackChannelId) : undefined
  return fallback === undefined || named.includes(fallback) ? named : [...named, fallback]
}

/** Whether a rule notifies a receiver of its account. */
const isReceiver = (
  rule: Omit<RuleReceivers, 'accountId'>,
  { id, kind, isMember, email }: NamedReceiver,
): boolean => {
  if (kind === 'channel') return rule.channelIds === null || rule.channelIds.includes(id)
  if (isMember && (rule.emailUsers || rule.userIds?.includes(id) === true)) return true
  return rule.addresses?.some((address) => address.toLowerCase() === email) === true
}

/** A message as a delivery to a receiver at its address, with times in the receiver's zone (S-1924). */
export const deliveryTo = (
  { id, accountId, kind }: Receiver,
  { address, zone, unsubscribeUrl }: ReceiverAddress,
  {
    cause,
    message: composed,
    action = null,
  }: { cause: string; message: ChannelMessage; action?: MailAction | null },
  nowMs: number,
): DeliveryDraft => {
  const message = inZone(composed, zone)
  const shared = { accountId, cause, expiresAtMs: nowMs + expiresMs }
  return kind === 'channel'
    ? { ...shared, kind, channelId: id, message }
    : { ...shared, kind, recipient: address, message: composeAlertMail(message, { unsubscribeUrl, action }) }
}
