import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { widestNetworkOf } from '@probe-mesh/contracts/target/network-of'
import { hash } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { subscriptionMailBounds } from '@probe-mesh/contracts/channel/outgoing-pools'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import {
  confirmationMs,
  type SubscribeInput,
  type SubscriptionAnswer,
} from '@probe-mesh/contracts/subscriber/subscriber'
import type { Transaction } from '../stores/postgres/connect.ts'
import { insertDeliveries } from '../notifications/deliveries-store.ts'
import {
  countConfirmed,
  countMail,
  countSubscriptionMail,
  hasConfirmedUser,
  lockMailsOfDay,
  type MailCounts,
} from './subscription-mails-store.ts'
import {
  upsertSubscriber,
  countConfirmationMails,
  findSubscribedTo,
  hasUnconfirmed,
  lockAddress,
  confirmSubscriber,
  findByConfirmHash,
  deleteSubscriber,
  findSubscriber,
  type SubscribedTo,
  type Subscriber,
} from './subscribers-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { confirmationMail } from './mails.ts'
import { confirmedCountedMax, exhaustedLimit } from './mail-allowance.ts'
import { newConfirmationToken, confirmationHash } from '../accounts/link-tokens.ts'
import type { PublicContext, SubscriptionOutcome } from './context.ts'

const dayMs = 86_400_000

/**
 * Subscribes an address to a page: it gets a confirmation link, and no other mail until the link is used
 * (double opt-in). The answer does not reveal whether the address is known, new or over a limit. An unknown
 * page is SV-3001, a component that is not on it SV-2001.
 * @param address the network address of the visitor
 */
export const subscribe = async (
  context: PublicContext,
  slug: string,
  { email, componentId }: SubscribeInput,
  address: string,
): Promise<SubscriptionAnswer | Refusal> => {
  const to = await findSubscribedTo(context.sql, slug, componentId ?? null)
  if (to === null) return refuse('SV-3001')
  if (componentId !== undefined && to.componentId === null) {
    const errors = [{ path: 'componentId', message: 'is not a component of this page' }]
    return refuse('SV-2001', { errors })
  }
  const outcome = await transact(context.sql, async (tx) => {
    const outcome = await requestConfirmation(context, tx, to, { email, address })
    await countSubscriptionMail(tx, to.accountId, outcome, context.now())
    return outcome
  })
  context.onSubscription(outcome)
  return {
    accepted: true,
    message: `A mail with a confirmation link is on its way to ${email}, unless the address is already subscribed or got too many of these mails today. The link works for 24 hours.`,
  }
}

const requestConfirmation = async (
  context: PublicContext,
  tx: Transaction,
  to: SubscribedTo,
  { email, address }: { email: string; address: string },
): Promise<SubscriptionOutcome> => {
  const { publicUrl, now } = context
  const { accountId, pageName, componentName, locale } = to
  await lockAddress(tx, email)
  const nowMs = now()
  const counts = { accountId, domain: domainOf(email), network: networkHash(accountId, address) }
  const limit = await findLimit(context, tx, { ...to, ...counts, email }, nowMs)
  if (limit !== null) return limit
  const { token, hash } = newConfirmationToken()
  const confirmBeforeMs = nowMs + confirmationMs
  const id = await upsertSubscriber(tx, {
    id: uuidv7(nowMs),
    to,
    email,
    confirmHash: hash,
    confirmBeforeMs,
    forgetBeforeMs: nowMs - dayMs,
    nowMs,
  })
  if (id === null) return 'confirmed_already'
  await countMail(tx, counts, nowMs)
  const confirmUrl = `${publicUrl}/subscriptions/confirm?token=${token}`
  const draft = {
    accountId,
    kind: 'mail' as const,
    recipient: email,
    bulk: true,
    cause: `subscription:${id}:${hash.toString('hex')}`,
    message: confirmationMail({ pageName, componentName, locale, confirmUrl }),
    expiresAtMs: confirmBeforeMs,
  }
  await insertDeliveries(tx, [draft], nowMs)
  return 'asked'
}

/** The reason why no mail may be sent to an address; null: it may. */
const findLimit = async (
  { blockedTargets, sendsMail }: PublicContext,
  tx: Transaction,
  request: MailCounts & { pageId: string; email: string },
  nowMs: number,
): Promise<SubscriptionOutcome | null> => {
  const { accountId, pageId, email, domain } = request
  if (blockedTargets.coversHost(domain)) return 'domain_denied'
  if (sendsMail && !(await hasConfirmedUser(tx, accountId))) return 'account_unconfirmed'
  const sent = await countConfirmationMails(tx, email, nowMs - dayMs)
  if (sent >= subscriptionMailBounds.perMailboxAndDay) return 'address_limit'
  const { unconfirmedPerPageMax } = subscriptionMailBounds
  if (await hasUnconfirmed(tx, pageId, unconfirmedPerPageMax)) return 'page_limit'
  const today = await lockMailsOfDay(tx, request, nowMs)
  const countedMax = confirmedCountedMax
  return exhaustedLimit(today, await countConfirmed(tx, { accountId, domain, countedMax }))
}

/** In A-labels, like the names of deny lists. */
export const domainOf = (email: string): string =>
  domainToASCII(email.slice(email.lastIndexOf('@') + 1)).toLowerCase()

/** A hash of the visitor's network, different for each account: the network itself is not stored. */
const networkHash = (accountId: string, address: string): string =>
  hash('sha256', `${accountId} ${widestNetworkOf(address)}`, 'base64url')

/** The subscription of a confirmation link. An unknown, replaced or expired link is SV-3001. */
export const findSubscriptionToConfirm = async (
  { sql, now }: Pick<PublicContext, 'sql' | 'now'>,
  token: string,
): Promise<Subscriber | Refusal> => {
  const subscriber = await findByConfirmHash(sql, confirmationHash(token))
  const works = subscriber?.confirmed === true || (subscriber?.confirmBeforeMs ?? 0) > now()
  return subscriber !== null && works ? subscriber : refuse('SV-3001')
}

/** Confirms a subscription, which gets mail from now on. Confirming twice is no error. */
export const confirmSubscription = async (
  context: Pick<PublicContext, 'sql' | 'now'>,
  token: string,
): Promise<Subscriber | Refusal> => {
  const subscriber = await findSubscriptionToConfirm(context, token)
  if ('refused' in subscriber) return subscriber
  await confirmSubscriber(context.sql, subscriber.id, context.now())
  return subscriber
}

/** The subscription of an unsubscribe link; null: it was deleted already, SV-3001: the link is invalid. */
export const findSubscriptionToEnd = async (
  { sql, tokens }: Pick<PublicContext, 'sql' | 'tokens'>,
  token: string,
): Promise<Subscriber | null | Refusal> => {
  const id = tokens.read(token)
  return id === null ? refuse('SV-3001') : findSubscriber(sql, id)
}

/** Deletes a subscription immediately (RFC 8058). Repeating it changes nothing. */
export const unsubscribe = async (
  { sql, tokens }: Pick<PublicContext, 'sql' | 'tokens'>,
  token: string,
): Promise<{ unsubscribed: true } | Refusal> => {
  const id = tokens.read(token)
  if (id === null) return refuse('SV-3001')
  await deleteSubscriber(sql, id)
  return { unsubscribed: true }
}
