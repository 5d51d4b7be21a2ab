import { createInbox, nanos } from '@nats-io/nats-core'
import type { Msg, Subscription } from '@nats-io/nats-core'
import { deliveryOf } from './delivery.ts'
import type { Delivery } from './delivery.ts'
import { requestMsMax, type Link } from './link.ts'

/** Between the messages of one pull and before its end; silence for longer means that something was lost. */
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

/** Asks one durable consumer for messages, one pull at a time. */
type Puller = {
  /**
   * Asks for what is there, and where there is nothing, for what comes first within `waitMs`. The
   * server ends either itself as soon as it has no more (`no_wait` beside `expires`: once something
   * came, nothing is waited for), so that nothing is delivered to nobody.
   */
  pull(
    wanted: { messagesMax: number; bytesMax?: number; waitMs: number },
    signal: AbortSignal,
  ): Promise<Pulled>
  close(): void
}

/**
 * It speaks the protocol itself, since the client's `fetch` throws away what it had received when a
 * server of 2.9 misses heartbeats. It listens on one subscription as long as nothing is in doubt:
 * each new one is told to every server and leaf node.
 */
export const createPuller = (
  link: Link,
  { stream, consumer }: { stream: string; consumer: string },
): Puller => {
  const asking = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`
  let inbox = ''
  let subscription: Subscription | null = null
  let pulls = 0
  let current: { take(message: Msg): void; abandon(): void } | null = null

  const listen = (): Subscription => {
    inbox = createInbox(link.inboxPrefix)
    return link.nc.subscribe(`${inbox}.*`, {
      callback: (error, message) => {
        if (error === null) current?.take(message)
        else current?.abandon()
      },
    })
  }
  /** What the server still has for a pull it drops then, or delivers to nobody. */
  const stopListening = (): void => {
    subscription?.unsubscribe()
    subscription = null
  }

  return {
    pull: (wanted, signal) =>
      new Promise((resolve) => {
        subscription ??= listen()
        pulls += 1
        const reply = `${inbox}.${pulls}`
        const deliveries: Delivery[] = []
        const finish = (end: Pulled['end']) => {
          current = null
          clearTimeout(timer)
          stopWatching()
          signal.removeEventListener('abort', abandon)
          if (end === 'doubtful') stopListening()
          resolve({ deliveries, end })
        }
        const abandon = () => finish('doubtful')
        const take = (message: Msg) => {
          const status = message.headers?.code ?? 0
          if (status > 0) {
            const ending = endingOf(status, message.headers?.description ?? '')
            // messages come under their own subject, and what is said of a pull under its reply
            if (ending !== 'ignore' && message.subject === reply) finish(ending)
            return
          }
          deliveries.push(deliveryOf(message))
          if (deliveries.length === wanted.messagesMax) finish('complete')
          else {
            clearTimeout(timer)
            timer = setTimeout(abandon, betweenMsMax)
          }
        }
        let timer = setTimeout(abandon, wanted.waitMs + requestMsMax)
        const stopWatching = link.onChange(abandon)
        current = { take, abandon }
        signal.addEventListener('abort', abandon, { once: true })
        if (signal.aborted) {
          abandon()
          return
        }
        const request = {
          batch: wanted.messagesMax,
          ...(wanted.bytesMax === undefined ? {} : { max_bytes: wanted.bytesMax }),
          no_wait: true,
          ...(wanted.waitMs === 0 ? {} : { expires: nanos(wanted.waitMs) }),
        }
        link.nc.publish(asking, JSON.stringify(request), { reply })
      }),
    close: stopListening,
  }
}
