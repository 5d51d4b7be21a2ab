import { uuidv7 } from '@probe-mesh/contracts/ids'
import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { confirmationMs } from '@probe-mesh/contracts/subscriber'
import type { SubscribeInput, SubscriptionAnswer } from '@probe-mesh/contracts/subscriber'
import type { Transaction } from '../postgres/connect.ts'
import { insertDeliveries } from '../postgres/deliveries.ts'
import {
  askSubscriber,
  countAsked,
  findSubscribedTo,
  hasUnconfirmed,
  lockAddress,
} from '../postgres/subscribers.ts'
import type { SubscribedTo } from '../postgres/subscribers.ts'
import { transact } from '../postgres/transact.ts'
import { confirmationMail } from '../subscribers/confirmation-mail.ts'
import { newConfirmationToken } from '../subscribers/subscriber-tokens.ts'
import type { PublicContext, SubscriptionOutcome } from './context.ts'

/** Links mailed to one address within a day, whoever asks and for whatever pages. */
const mailsPerAddressAndDay = 5
const dayMs = 86_400_000
/** Beyond this somebody subscribes addresses by the list: no more until some confirm or run out. */
const unconfirmedPerPageMax = 10_000

/**
 * Somebody asks for a page's mail: a confirmation link goes to the address, and nothing else does
 * until it was used (double opt-in). The answer is the same whether the address is known, new, or was
 * asked too often. An unknown page is SV-3001, a component that is not on it SV-2001.
 */
export const subscribe = async (
  context: PublicContext,
  slug: string,
  { email, componentId }: SubscribeInput,
): Promise<SubscriptionAnswer | Refusal> => {
  const to = await findSubscribedTo(context.sql, slug, componentId ?? null)
  if (to === null) return refuse('SV-3001')
  if (componentId !== undefined && to.componentId === null) {
    const errors = [{ path: 'componentId', message: 'is not a component of this page' }]
    return refuse('SV-2001', { errors })
  }
  const outcome = await transact(context.sql, (transaction) => ask(context, transaction, to, email))
  context.onSubscription(outcome)
  return {
    accepted: true,
    message: `A mail with a link is on its way to ${email}, unless that address has the mail already or was asked often today. The link works for 24 hours.`,
  }
}

const ask = async (
  { publicUrl, now }: PublicContext,
  transaction: Transaction,
  to: SubscribedTo,
  email: string,
): Promise<SubscriptionOutcome> => {
  await lockAddress(transaction, email)
  const nowMs = now()
  const forgetBeforeMs = nowMs - dayMs
  const asked = await countAsked(transaction, email, forgetBeforeMs)
  if (asked >= mailsPerAddressAndDay) return 'address_limit'
  if (await hasUnconfirmed(transaction, to.pageId, unconfirmedPerPageMax)) return 'page_limit'
  const { token, hash } = newConfirmationToken()
  const confirmBeforeMs = nowMs + confirmationMs
  const id = await askSubscriber(transaction, {
    id: uuidv7(nowMs),
    to,
    email,
    confirmHash: hash,
    confirmBeforeMs,
    forgetBeforeMs,
    nowMs,
  })
  if (id === null) return 'confirmed_already'
  const { accountId, pageName, componentName } = to
  const confirmUrl = `${publicUrl}/subscriptions/confirm?token=${token}`
  const draft = {
    accountId,
    kind: 'mail' as const,
    recipient: email,
    bulk: true,
    cause: `subscription:${id}:${hash.toString('hex')}`,
    message: confirmationMail({ pageName, componentName, confirmUrl }),
    expiresAtMs: confirmBeforeMs,
  }
  await insertDeliveries(transaction, [draft], nowMs)
  return 'asked'
}
