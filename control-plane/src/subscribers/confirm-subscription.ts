import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { confirmSubscriber, findByConfirmHash } from './subscribers-store.ts'
import type { Subscriber } from './subscribers-store.ts'
import { confirmationHash } from './subscriber-tokens.ts'
import type { PublicContext } from './context.ts'

/** Whom a confirmation link is for. One that is unknown, replaced or over 24 hours old is SV-3001. */
export const findSubscriptionToConfirm = async (
  { sql, now }: Pick<PublicContext, 'sql' | 'now'>,
  token: string,
): Promise<Subscriber | Refusal> => {
  const subscriber = await findByConfirmHash(sql, confirmationHash(token))
  const works = subscriber?.confirmed === true || (subscriber?.confirmBeforeMs ?? 0) > now()
  return subscriber !== null && works ? subscriber : refuse('SV-3001')
}

/** Confirms a subscription: from now on it gets mail. Pressing the button twice is no mistake. */
export const confirmSubscription = async (
  context: Pick<PublicContext, 'sql' | 'now'>,
  token: string,
): Promise<Subscriber | Refusal> => {
  const subscriber = await findSubscriptionToConfirm(context, token)
  if ('refused' in subscriber) return subscriber
  await confirmSubscriber(context.sql, subscriber.id, context.now())
  return subscriber
}
