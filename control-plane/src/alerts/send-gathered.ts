import { composeDigest } from './digest.ts'
import { release } from './gather.ts'
import type { ChannelMessage } from '../notifications/message.ts'
import {
  claimDueGatherings,
  deleteGathering,
  hasOpenAlerts,
  takeAlertMessages,
  writeGathering,
  writeStorm,
} from './alert-messages-store.ts'
import type { DueGathering, WaitingMessage } from './alert-messages-store.ts'
import { deliveryTo, findAddress } from './receivers.ts'
import type { Receiver } from './receivers.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { insertDeliveries } from '../notifications/deliveries-store.ts'
import { findStatuses } from './watched-checks-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import type { AlertContext } from './context.ts'

/**
 * Sends what waits for one receiver whose time has come: each message, or one digest that holds them
 * all. What was taken and what is delivered change together.
 * @returns how many receivers there were, one or none
 */
export const sendGathered = (context: AlertContext): Promise<number> =>
  transact(context.sql, async (tx) => {
    const due = await claimDueGatherings(tx, context.now(), 1)
    for (const waiting of due) await sendTo(context, tx, waiting)
    return due.length
  })

const sendTo = async (
  context: AlertContext,
  tx: Transaction,
  { receiver, gathering, inStorm }: DueGathering,
): Promise<void> => {
  const nowMs = context.now()
  const address = await findAddress(tx, receiver)
  const waiting = await takeAlertMessages(tx, receiver.id)
  if (address === null) {
    context.metrics.gone.inc(waiting.length)
    await deleteGathering(tx, receiver.id)
    return
  }
  const released = release(gathering, waiting.length, nowMs)
  await writeGathering(tx, receiver.id, released.gathering)
  if (waiting.length === 0) return
  const isOver = inStorm && (await isStormOver(tx, receiver, waiting))
  const asDigest = released.asDigest || isOver
  if (asDigest !== inStorm || isOver)
    await writeStorm(tx, receiver.id, (inStorm || asDigest) && !isOver)
  const told = asDigest
    ? [await digestOf(context, tx, receiver, waiting, isOver)]
    : waiting.map(({ cause, message }) => ({ cause, message: message.content }))
  await insertDeliveries(
    tx,
    told.map((each) => deliveryTo(receiver, address, each, nowMs)),
    nowMs,
  )
  context.metrics.sent.inc({ form: asDigest ? 'digest' : 'single' }, told.length)
}

/** Whatever is open was told in a digest, and now nothing is: who was told of a storm hears its end. */
const isStormOver = async (
  tx: Transaction,
  { accountId }: Receiver,
  waiting: readonly WaitingMessage[],
): Promise<boolean> =>
  waiting.every(({ message }) => message.event === 'recovery') &&
  !(await hasOpenAlerts(tx, accountId))

const digestOf = async (
  { publicUrl }: AlertContext,
  tx: Transaction,
  receiver: Receiver,
  waiting: readonly WaitingMessage[],
  isOver: boolean,
): Promise<{ cause: string; message: ChannelMessage }> => {
  const messages = waiting.map(({ checkId, message }) => ({ ...message, checkId }))
  const now = await findStatuses(
    tx,
    messages.map(({ checkId }) => checkId),
  )
  const alertKey = `storm:${receiver.id}`
  return {
    cause: `digest:${waiting[0]?.cause ?? ''}`,
    message: composeDigest(messages, { alertKey, publicUrl, isOver, now }),
  }
}
