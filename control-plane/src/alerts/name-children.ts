import { oneLine } from '@probe-mesh/runtime/one-line'
import { childrenNamedMax } from '@probe-mesh/contracts/check/check-parents'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { AlertMessage, FailingChildren } from './alert-message.ts'
import type { WaitingMessage } from './alert-messages-store.ts'
import { findFailingChildren } from './parents-store.ts'

/** The messages that say what depends on a check. */
const namingEvents: ReadonlySet<string> = new Set(['alert', 'reminder', 'recovery'])
/** Names in all messages of one batch together. */
const namesMax = 1_000

/** Adds to messages about parents which checks that depend on them fail too, as it is when they are sent (S-1952). */
export const nameChildren = async (
  tx: Transaction,
  waiting: readonly WaitingMessage[],
): Promise<WaitingMessage[]> => {
  if (waiting.length === 0) return []
  const found = await findFailingChildren(
    tx,
    waiting.map(({ checkId }) => checkId),
    { perParent: childrenNamedMax, limit: namesMax },
  )
  const byParent = Map.groupBy(found, ({ parentId }) => parentId)
  return waiting.map((one) => {
    const children = byParent.get(one.checkId) ?? []
    const [first] = children
    if (first === undefined || !namingEvents.has(one.message.event)) return one
    const failing = { count: first.count, names: children.map(({ name }) => name) }
    return { ...one, message: withChildren(one.message, failing) }
  })
}

/** A message about a check with its failing children. */
const withChildren = (message: AlertMessage, children: FailingChildren): AlertMessage => {
  const { content, event } = message
  const text = `${content.text}\n${childrenText(event, children, 'it')}`
  const fact = { name: 'Depend on it and fail too', value: String(children.count) }
  const facts = event === 'recovery' ? content.facts : [...content.facts, fact]
  return { ...message, children, content: { ...content, text, facts } }
}

/** `9 checks that depend on it fail too: cart, shop and 7 more.` */
export const childrenText = (
  event: AlertMessage['event'],
  { count, names }: FailingChildren,
  parent: string,
): string => {
  const [isOne, more] = [count === 1, count - names.length]
  const listed = names.map(oneLine).join(', ') + (more > 0 ? ` and ${more} more` : '')
  const which = isOne ? `1 check that depends on ${parent}` : `${count} checks that depend on ${parent}`
  if (event !== 'recovery') return `${which} ${isOne ? 'fails' : 'fail'} too: ${listed}.`
  return `${which} ${isOne ? 'has' : 'have'} not recovered yet: ${listed}. A held alert follows if its check still fails.`
}
