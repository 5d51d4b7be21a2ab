import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { deleteSubscriber, findSubscriber } from './subscribers-store.ts'
import type { Subscriber } from './subscribers-store.ts'
import type { PublicContext } from './context.ts'

/** Whose link this is; null for one who has unsubscribed since, SV-3001 for no link of ours. */
export const findSubscriptionToEnd = async (
  { sql, tokens }: Pick<PublicContext, 'sql' | 'tokens'>,
  token: string,
): Promise<Subscriber | null | Refusal> => {
  const id = tokens.read(token)
  return id === null ? refuse('SV-3001') : findSubscriber(sql, id)
}

/** Ends a subscription, at once and for good (RFC 8058). Doing so again changes nothing. */
export const unsubscribe = async (
  { sql, tokens }: Pick<PublicContext, 'sql' | 'tokens'>,
  token: string,
): Promise<{ unsubscribed: true } | Refusal> => {
  const id = tokens.read(token)
  if (id === null) return refuse('SV-3001')
  await deleteSubscriber(sql, id)
  return { unsubscribed: true }
}
