import { backoffMs } from '@probe-mesh/runtime/backoff'
import { runLoop } from '@probe-mesh/runtime/loop'
import { setTimeout as wait } from 'node:timers/promises'
import { DeliverPolicy, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import { callHandler } from '../logger.ts'
import { BusUnavailable, type Subscription } from '../port.ts'
import { createRareLog } from '../rare-log.ts'
import type { Link } from './link.ts'
import { bucketStream, bucketSubject } from './topology.ts'

const retryMs = 500
/** A refusal lasts: the wait before a retry doubles up to this. */
const refusedRetryMsMax = 120_000
/** How long messages before a heartbeat may take from the socket to the callback. */
const settleMs = 1_000

type BucketHandler = {
  onPut(key: string, data: Uint8Array): void
  onRemove(key: string): void
  onCurrent(): void
}

/**
 * Watches the keys of a bucket that match a pattern: current values, `onCurrent` once, then changes. After a
 * lost connection the watch restarts and delivers only differences: new values, and removals of missing keys.
 * It also restarts when messages were lost on the way, such as behind a leaf node that lost its own
 * connection: heartbeats carry the number of messages sent.
 * @throws BusUnavailable when it cannot start
 */
export const watchBucket = async (
  link: Link,
  bucket: string,
  pattern: string,
  handler: BucketHandler,
): Promise<Subscription> => {
  const keys = trackKeys(bucketSubject(bucket, ''), handler, (call) => callHandler(link.log, call))
  const closing = new AbortController()
  const closed = anySignal([closing.signal, link.closing])
  let life = 0
  let messages: ConsumerMessages | null = null

  const begin = async (): Promise<void> => {
    const mine = ++life
    const isOver = () => closed.aborted || mine !== life
    await messages?.close()
    const consumer = await link.js.consumers.getPushConsumer(bucketStream(bucket), {
      deliver_policy: DeliverPolicy.LastPerSubject,
      filter_subjects: bucketSubject(bucket, pattern),
    })
    const { num_pending: pending } = await consumer.info(true)
    let seen: Set<string> | null = new Set()
    let received = 0
    const finishSnapshot = () => {
      if (seen === null || isOver()) return
      keys.arriveAtCurrent(seen)
      seen = null
    }
    const started = await consumer.consume({
      callback: (message) => {
        if (isOver()) return
        received = message.info.deliverySequence
        keys.take(message, seen)
        if (message.info.pending === 0) finishSnapshot()
      },
    })
    if (isOver()) {
      await started.close()
      return
    }
    messages = started
    void started.closed().then((error) => {
      if (isOver()) return
      link.log.warn({ err: error, bucket }, 'a watch ended; restarting it')
      void beginAgain()
    })
    if (pending === 0) setImmediate(finishSnapshot)
    const onHeartbeat = async (sent: number) => {
      if (received < sent) await wait(settleMs, undefined, { signal: closed }).catch(() => undefined)
      if (isOver()) return
      // The last message may be removed while in flight: an idle server has nothing more to send.
      if (received >= sent) return finishSnapshot()
      link.log.warn({ bucket, sent, received }, 'a watch lost messages on the way; restarting it')
      void beginAgain()
    }
    void eachHeartbeat(started, (sent) => void onHeartbeat(sent))
  }

  const rarely = createRareLog(link.log)
  const beginAgain = () => {
    let refusals = 0
    return runLoop({
      signal: closed,
      round: async () => {
        if (link.isUp()) await link.attempt(begin)
        return 'end'
      },
      everyMs: () => backoffMs({ firstMs: retryMs, maxMs: refusedRetryMsMax }, refusals + 1),
      onError: (error) => {
        rarely.warn(String(error), { err: error, bucket }, 'a watch could not be restarted; retrying')
        refusals = error instanceof BusUnavailable ? 0 : refusals + 1
      },
    })
  }

  try {
    await link.attempt(begin)
  } catch (error) {
    // The watch may still start later, and then must end.
    closing.abort()
    throw error
  }
  const stopListening = link.onChange((up) => {
    if (up) void beginAgain()
  })
  return {
    close: async () => {
      closing.abort()
      stopListening()
      await messages?.close()
    },
  }
}

/** Calls the handler with the differences between what it knows and what arrives. */
const trackKeys = (prefix: string, handler: BucketHandler, guarded: (call: () => void) => void) => {
  /** Stream sequences of the delivered values, by key. */
  const given = new Map<string, number>()
  let wasCurrent = false
  return {
    take: (message: JsMsg, seen: Set<string> | null): void => {
      const key = message.subject.slice(prefix.length)
      const operation = message.headers?.get('KV-Operation') ?? ''
      const sequence = message.info.streamSequence
      if (operation === 'DEL' || operation === 'PURGE') {
        seen?.delete(key)
        if (given.delete(key)) guarded(() => handler.onRemove(key))
        return
      }
      seen?.add(key)
      if (given.get(key) === sequence) return
      given.set(key, sequence)
      guarded(() => handler.onPut(key, new Uint8Array(message.data)))
    },
    arriveAtCurrent: (seen: ReadonlySet<string>): void => {
      for (const key of given.keys()) {
        if (seen.has(key)) continue
        given.delete(key)
        guarded(() => handler.onRemove(key))
      }
      if (wasCurrent) return
      wasCurrent = true
      guarded(() => handler.onCurrent())
    },
  }
}

/** @param then called with the number of messages that the server has sent */
const eachHeartbeat = async (messages: ConsumerMessages, then: (sent: number) => void): Promise<void> => {
  for await (const status of messages.status()) {
    if (status.type === 'heartbeat') then(status.lastConsumerSequence)
  }
}
