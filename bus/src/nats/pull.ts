import { createInbox, nanos } from '@nats-io/nats-core'
import type { Msg } from '@nats-io/nats-core'
import { deliveryOf } from './delivery.ts'
import type { Delivery } from './delivery.ts'
import { requestMsMax, type Link } from './link.ts'

/** Between the messages of one pull; silence for longer means that something was lost. */
const betweenMsMax = 1_000

export type Pulled = {
  /** In the order they were delivered; kept whatever else happened. */
  deliveries: Delivery[]
  /**
   * How it ended: with all that was to be had, with a message too large for `bytesMax`, or
   * in doubt, so that messages may be under way or lost.
   */
  end: 'complete' | 'too_large' | 'doubtful'
}

type Ending = Pulled['end'] | 'ignore'

const endingOf = (code: number, description: string): Ending => {
  if (code === 100) return 'ignore'
  if (code === 404 || code === 408) return 'complete'
  if (code === 409 && /maxbytes/i.test(description)) return 'too_large'
  return 'doubtful'
}

/**
 * Asks a durable consumer once for messages: with `waitMs` 0 for what is there, else for the first
 * `messagesMax` to come. It speaks the protocol itself, since the client's `fetch` throws away what
 * it had received when a server of 2.9 misses heartbeats.
 */
export const pull = (
  link: Link,
  { stream, consumer }: { stream: string; consumer: string },
  wanted: { messagesMax: number; bytesMax?: number; waitMs: number },
  signal: AbortSignal,
): Promise<Pulled> =>
  new Promise((resolve) => {
    const deliveries: Delivery[] = []
    const inbox = createInbox(link.inboxPrefix)
    const finish = (end: Pulled['end']) => {
      clearTimeout(timer)
      stopListening()
      signal.removeEventListener('abort', abandon)
      subscription.unsubscribe()
      resolve({ deliveries, end })
    }
    const abandon = () => finish('doubtful')
    const take = (message: Msg) => {
      const status = message.headers?.code ?? 0
      if (status > 0) {
        const ending = endingOf(status, message.headers?.description ?? '')
        if (ending !== 'ignore') finish(ending)
        return
      }
      const delivery = deliveryOf(message)
      deliveries.push(delivery)
      const last = wanted.waitMs === 0 && delivery.pending === 0
      if (deliveries.length === wanted.messagesMax) finish('complete')
      // the server may go on delivering what came meanwhile, to nobody: it is asked before the next
      else if (last) finish('doubtful')
      else {
        clearTimeout(timer)
        timer = setTimeout(abandon, betweenMsMax)
      }
    }
    const subscription = link.nc.subscribe(inbox, {
      callback: (error, message) => {
        if (error === null) take(message)
        else abandon()
      },
    })
    let timer = setTimeout(abandon, wanted.waitMs + requestMsMax)
    const stopListening = link.onChange(abandon)
    signal.addEventListener('abort', abandon, { once: true })
    if (signal.aborted) {
      abandon()
      return
    }
    const request = {
      batch: wanted.messagesMax,
      ...(wanted.bytesMax === undefined ? {} : { max_bytes: wanted.bytesMax }),
      ...(wanted.waitMs === 0 ? { no_wait: true } : { expires: nanos(wanted.waitMs) }),
    }
    const subject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`
    link.nc.publish(subject, JSON.stringify(request), { reply: inbox })
  })
