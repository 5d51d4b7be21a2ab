import { createInbox, nanos, type Msg, type Subscription } from '@nats-io/nats-core'
import { deliveryOf, type Delivery } from './delivery.ts'
import { requestMsMax, type Link } from './link.ts'

/** Between the messages of one pull; a longer silence means that a message was lost. */
const betweenMsMax = 1_000

export type Pulled = {
  /** In the order of delivery; kept whatever the end. */
  deliveries: Delivery[]
  /**
   * How it ended: with all available messages, with a message too large for `bytesMax`, or in doubt, so that
   * messages may be in flight or lost.
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

/** Pulls messages of one durable consumer, one pull at a time. */
type Puller = {
  /**
   * Pulls the available messages, or if there are none, the first within `waitMs`. The server ends the pull
   * as soon as it has no more (`no_wait` with `expires`: it does not wait after the first message), so that
   * nothing is delivered after the pull.
   */
  pull(
    wanted: { messagesMax: number; bytesMax?: number; waitMs: number },
    signal: AbortSignal,
  ): Promise<Pulled>
  close(): void
}

/**
 * It implements the protocol itself, since the client's `fetch` discards received messages when a 2.9 server
 * misses heartbeats. It keeps one subscription as long as nothing is in doubt: each new one is propagated to
 * every server and leaf node.
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
  /** The server then drops the rest of a pull, or its deliveries are ignored. */
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
            // messages have their own subject, and the status of a pull has its reply subject
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
