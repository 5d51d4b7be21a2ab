import { acknowledgeAction } from './alert-links.ts'
import { composeDigest, type CheckNow } from './digest.ts'
import { composeEnded, outageOf, separateEnded } from './ended-alerts.ts'
import { composeAgain } from './alert-message.ts'
import { closeBatch } from './message-batch.ts'
import type { ChannelMessage } from '../notifications/channels/forms/message.ts'
import {
  claimDueBatches,
  deleteBatch,
  findToldSingly,
  forgetWritten,
  hasOpenAlerts,
  noteCarriers,
  removeAlertMessages,
  writeBatch,
  writeStorm,
  type DueBatch,
  type WaitingMessage,
} from './alert-messages-store.ts'
import { addNotes } from './add-notes.ts'
import { explainCauses, groupByCause } from './explain-causes.ts'
import { tellLate } from './late-messages.ts'
import { nameChildren } from './name-children.ts'
import { deliveryTo, findAddress, type Receiver } from './receivers.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { DeliveryDraft } from '../notifications/delivery-record.ts'
import { insertDeliveries } from '../notifications/deliveries-store.ts'
import { findWatchedChecks } from './watched-checks-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import type { AlertContext } from './context.ts'

/**
 * Sends the next due batch: single messages, or one digest of all of them. Messages are removed and
 * deliveries written in one transaction.
 * @returns the number of batches sent, one or none
 */
export const sendNextBatch = (context: AlertContext): Promise<number> =>
  transact(context.sql, async (tx) => {
    const due = await claimDueBatches(tx, context.now(), 1)
    for (const batch of due) await sendTo(context, tx, batch)
    return due.length
  })

const sendTo = async (
  context: AlertContext,
  tx: Transaction,
  { receiver, batch, inStorm }: DueBatch,
): Promise<void> => {
  const nowMs = context.now()
  const address = await findAddress(context, tx, receiver)
  const removed = await removeAlertMessages(tx, receiver.id)
  if (address === null) {
    context.metrics.dropped.inc(removed.length)
    await deleteBatch(tx, receiver.id)
    return
  }
  const checks = await findWatchedChecks(
    tx,
    removed.map(({ checkId }) => checkId),
  )
  const again = removed.map((one) => ({
    ...one,
    message: composeAgain(one.message, checks.get(one.checkId), nowMs),
  }))
  const waiting = await addNotes(tx, await nameChildren(tx, again))
  const { ended, rest } = separateEnded(waiting)
  const now = new Map(
    [...checks].map(([id, { state }]) => [id, { status: state.status, sinceMs: state.statusSinceMs }]),
  )
  const late = tellLate(rest, now, nowMs)
  const lasting = groupByCause(await explainCauses(context, tx, receiver.accountId, late.kept))
  const closed = closeBatch(batch, ended.length + lasting.length, nowMs)
  await writeBatch(tx, receiver.id, closed.batch)
  if (waiting.length === 0) return
  const isOver = inStorm && (await isStormOver(tx, receiver, waiting))
  const asDigest = closed.asDigest || isOver || late.isStale
  const messages = await gather(context, tx, receiver, {
    waiting,
    ended,
    lasting,
    asDigest,
    inStorm,
    isOver,
    now,
  })
  const drafts: DeliveryDraft[] = []
  for (const each of messages) {
    const open = ended.includes(each.of) ? [] : each.of
    const linked = { address: address.address, of: open, publicUrl: context.publicUrl, nowMs }
    const action = await acknowledgeAction(tx, receiver, linked)
    drafts.push(deliveryTo(receiver, address, { ...each, action }, nowMs))
  }
  await insertDeliveries(tx, drafts, nowMs)
  const kept = new Set(late.kept.map(({ cause }) => cause))
  const untold = rest.filter(({ cause }) => !asDigest && !kept.has(cause))
  if (untold.length > 0) await forgetWritten(tx, untold)
  await noteCarriers(
    tx,
    receiver,
    messages.flatMap(({ cause: deliveryCause, of }) => of.map((one) => ({ one, deliveryCause }))),
    nowMs,
  )
  const digests = messages.filter(({ isDigest }) => isDigest).length
  context.metrics.sent.inc({ form: 'digest' }, digests)
  context.metrics.sent.inc({ form: 'single' }, messages.length - digests)
}

type Gathered = {
  waiting: readonly WaitingMessage[]
  /** The messages of each outage that began and ended while they waited, and of the others by cause. */
  ended: readonly (readonly WaitingMessage[])[]
  lasting: readonly (readonly WaitingMessage[])[]
  asDigest: boolean
  inStorm: boolean
  isOver: boolean
  now: ReadonlyMap<string, CheckNow>
}

/** The messages that a receiver gets for what waited, each with what it tells; notes whether its storm is open. */
const gather = async (
  context: AlertContext,
  tx: Transaction,
  receiver: Receiver,
  { waiting, ended, lasting, asDigest, inStorm, isOver, now }: Gathered,
): Promise<
  { cause: string; message: ChannelMessage; of: readonly WaitingMessage[]; isDigest: boolean }[]
> => {
  const apart = asDigest ? await findOwnFollowUps(tx, receiver, waiting) : []
  const rest = waiting.filter((one) => !apart.some((of) => of.includes(one)))
  // a digest about one cause ends with the last recovery, like that of a storm
  const opens = asDigest ? rest.length > 0 : lasting.some((group) => group.length > 1)
  if (opens !== inStorm || isOver) await writeStorm(tx, receiver.id, (inStorm || opens) && !isOver)
  // the last recovery also closes the storm
  const digested = rest.length === 0 && isOver ? waiting : rest
  const told = asDigest ? [...apart, ...(digested.length > 0 ? [digested] : [])] : [...ended, ...lasting]
  return told.map((of) => {
    const only = apart.includes(of) ? followUpIn(of) : asDigest || of.length > 1 ? undefined : of[0]
    if (only !== undefined) return { cause: only.cause, message: only.message.content, of, isDigest: false }
    if (ended.includes(of)) return { ...composeEnded(of), of, isDigest: false }
    return { ...digestOf(context, receiver, of, { now, isOver, isOfCause: !asDigest }), of, isDigest: true }
  })
}

/** How an outage goes on at a receiver that has something open for it: its end, or what somebody did about it. */
const followUpIn = (of: readonly WaitingMessage[]): WaitingMessage | undefined =>
  of.find(({ message }) => message.event === 'recovery') ??
  of.findLast(({ message: { event } }) => event === 'acknowledged' || event === 'resolved')

/** The messages of each outage whose follow-up a digest would keep from its receiver (S-1911). */
const findOwnFollowUps = async (
  tx: Transaction,
  receiver: Receiver,
  waiting: readonly WaitingMessage[],
): Promise<(readonly WaitingMessage[])[]> => {
  const outages = [...Map.groupBy(waiting, outageOf).values()].flatMap((of) => {
    const { checkId, message } = followUpIn(of) ?? {}
    return checkId === undefined || message === undefined
      ? []
      : [{ of, checkId, alertKey: message.content.alertKey }]
  })
  const told = await findToldSingly(tx, receiver, outages)
  return outages.filter(({ alertKey }) => told.has(alertKey)).map(({ of }) => of)
}

/** Whether every alert of the storm has recovered, also those of this batch, so that its receiver gets its end. */
const isStormOver = async (
  tx: Transaction,
  { accountId }: Receiver,
  waiting: readonly WaitingMessage[],
): Promise<boolean> =>
  [...new Map(waiting.map((one) => [one.checkId, one])).values()].every(
    ({ message }) => message.event === 'recovery',
  ) && !(await hasOpenAlerts(tx, accountId))

const digestOf = (
  { publicUrl }: AlertContext,
  receiver: Receiver,
  waiting: readonly WaitingMessage[],
  { now, isOver, isOfCause }: { now: ReadonlyMap<string, CheckNow>; isOver: boolean; isOfCause: boolean },
): { cause: string; message: ChannelMessage } => {
  const messages = waiting.map(({ checkId, message }) => ({ ...message, checkId }))
  const alertKey = `storm:${receiver.id}`
  return {
    cause: `digest:${waiting[0]?.cause ?? ''}`,
    message: composeDigest(messages, {
      alertKey,
      publicUrl,
      isOver,
      now,
      ...(isOfCause && { shared: messages[0]?.shared }),
    }),
  }
}
