import { DeliverPolicy, type JsMsg } from '@nats-io/jetstream'
import { millis } from '@nats-io/nats-core'
import { serially } from '@probe-mesh/runtime/serially'
import { callHandler } from '../logger.ts'
import { BusUnavailable } from '../port.ts'
import { ifThere } from './ensure-stream.ts'
import { requestMsMax, type Link } from './link.ts'
import { bucketStream, bucketSubject } from './topology.ts'

/** After a silence this long the server is asked whether it has more. */
const silenceMs = 500
/** Questions in one silence. */
const silencesMax = requestMsMax / silenceMs
/** Changes may arrive between a reading and the question whether it is complete: then it is repeated. */
const readingsMax = 5
/** However sure, everything is read anew this often. */
const wholeEveryMs = 3_600_000
/** Writes of ours behind a gap; beyond this they are read again. */
const aheadMax = 100_000

/** A removed key leaves a marker. */
type Marker = { key: string; sequence: number; removedAtMs: number }

/** What is known of the keys of a bucket. */
export type BucketMirror<Value> = {
  /**
   * The values by key, as the server has them now. It asks for the position of the stream, and reads only what is
   * newer: everything at first, after a lost connection, when something vanished, and each hour.
   * @throws BusUnavailable
   */
  read(): Promise<ReadonlyMap<string, Value>>
  /** The markers that the last `read` found. */
  markers(): Marker[]
  /** The server has stored this value of ours at this sequence. Without this call, the next `read` finds it. */
  wrote(key: string, sequence: number, value: Value): void
  /** The server has removed this marker. */
  forget(marker: Marker): void
}

/** An undefined value cannot be read, and is not there for callers. */
type Entry<Value> = { sequence: number; value: Value | undefined; removedAtMs: number | null }

/** Of a stream; any change of it changes this. */
type Position = { created: string; last: number; lastAt: string; messages: number }

type State<Value> = {
  entries: Map<string, Entry<Value>>
  /** Everything up to this sequence is known. */
  through: number
  /** Sequences of our writes after that. */
  ahead: Set<number>
  /** The stream was exactly so, and the entries too; null: everything must be read. */
  proven: Position | null
  wholeAtMs: number
}

/** @param valueOf may throw: the key then counts as missing */
export const createBucketMirror = <Value>(
  link: Link,
  bucket: string,
  valueOf: (key: string, data: Uint8Array) => Value,
  now: () => number = Date.now,
): BucketMirror<Value> => {
  const state: State<Value> = {
    entries: new Map(),
    through: 0,
    ahead: new Set(),
    proven: null,
    wholeAtMs: 0,
  }
  link.onChange(() => {
    state.proven = null
  })

  const take = (message: JsMsg): void => {
    const { streamSequence: sequence, timestampNanos } = message.info
    const key = message.subject.slice(bucketSubject(bucket, '').length)
    if (state.entries.get(key)?.sequence !== sequence) {
      const isRemoved = ['DEL', 'PURGE'].includes(message.headers?.get('KV-Operation') ?? '')
      const removedAtMs = isRemoved ? millis(timestampNanos) : null
      let value: Value | undefined
      if (!isRemoved) callHandler(link.log, () => (value = valueOf(key, message.data)))
      note(state, key, { sequence, value, removedAtMs })
    }
    state.through = Math.max(state.through, sequence)
  }

  const readOnce = async (found: Position): Promise<void> => {
    const isWhole = !(await continues(link, bucket, state, found)) || now() - state.wholeAtMs >= wholeEveryMs
    if (isWhole) {
      Object.assign(state, { entries: new Map(), through: 0, proven: null, wholeAtMs: now() })
      state.ahead.clear()
    }
    if (found.messages > 0) await readBucket(link, bucket, isWhole ? null : state.through + 1, take)
    advance(state, found.last)
    if (isWhole) state.proven = { ...found, last: 0 }
  }

  const update = serially(() =>
    link.attempt(async () => {
      for (let n = 0; n < readingsMax; n++) {
        const before = state.through
        const found = await askPosition(link, bucket)
        // a write of ours was stored meanwhile
        if (found.last >= before && found.last < state.through) continue
        if (isKnown(state, found) && now() - state.wholeAtMs < wholeEveryMs) {
          state.proven = found
          return
        }
        await readOnce(found)
      }
    }),
  )

  return {
    read: async () => {
      await update()
      const values = new Map<string, Value>()
      for (const [key, { value }] of state.entries) if (value !== undefined) values.set(key, value)
      return values
    },
    markers: () =>
      [...state.entries].flatMap(([key, { sequence, removedAtMs }]) =>
        removedAtMs === null ? [] : [{ key, sequence, removedAtMs }],
      ),
    wrote: (key, sequence, value) => {
      const known = state.entries.get(key)?.sequence ?? 0
      if (known >= sequence) return
      // the server has lost what it had
      if (sequence <= state.through) state.proven = null
      note(state, key, { sequence, value, removedAtMs: null })
      if (state.ahead.size >= aheadMax) state.ahead.clear()
      state.ahead.add(sequence)
      advance(state, 0)
    },
    forget: ({ key, sequence }) => {
      if (state.entries.get(key)?.sequence === sequence) state.entries.delete(key)
    },
  }
}

const note = <Value>({ entries }: State<Value>, key: string, entry: Entry<Value>): void => {
  if ((entries.get(key)?.sequence ?? 0) < entry.sequence) entries.set(key, entry)
}

/** Moves over what is known, up to the first gap. */
const advance = <Value>(state: State<Value>, through: number): void => {
  state.through = Math.max(state.through, through)
  while (state.ahead.delete(state.through + 1)) state.through++
  for (const sequence of state.ahead) if (sequence <= state.through) state.ahead.delete(sequence)
}

const askPosition = async (link: Link, bucket: string): Promise<Position> => {
  const { created, state } = await link.jsm.streams.info(bucketStream(bucket))
  return { created, last: state.last_seq, lastAt: state.last_ts, messages: state.messages }
}

/** Whether the stream has exactly what is known. */
const isKnown = <Value>({ proven, through, entries }: State<Value>, found: Position): boolean =>
  proven !== null &&
  proven.created === found.created &&
  through === found.last &&
  entries.size === found.messages &&
  (proven.last !== found.last || proven.lastAt === found.lastAt)

/** Whether a stream has only got newer messages since: it was neither emptied nor restored from a copy. */
const continues = async <Value>(
  link: Link,
  bucket: string,
  { proven, through }: State<Value>,
  found: Position,
): Promise<boolean> => {
  if (proven === null || proven.created !== found.created || found.last <= through) return false
  if (proven.last === 0) return true
  const known = await ifThere(link.jsm.streams.getMessage(bucketStream(bucket), { seq: proven.last }))
  // a newer value of the same key has replaced it
  return known === null || known.timestamp === proven.lastAt
}

/**
 * Reads the last message of each key.
 * @param from the first sequence; null: all of them
 * @throws BusUnavailable
 */
const readBucket = async (
  link: Link,
  bucket: string,
  from: number | null,
  take: (message: JsMsg) => void,
): Promise<void> => {
  const consumer = await link.js.consumers.getPushConsumer(bucketStream(bucket), {
    filter_subjects: bucketSubject(bucket, '>'),
    ...(from === null
      ? { deliver_policy: DeliverPolicy.LastPerSubject }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from }),
  })
  const { num_pending: pending } = await consumer.info(true)
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  ended.catch(() => undefined)
  const giveUp = () => reject(new BusUnavailable(`the keys of ${bucket} did not arrive`))
  let received = 0
  let silences = 0
  /** The last message may be replaced before it is sent. */
  const askForEnd = async () => {
    const info = await consumer.info()
    if (info.num_pending === 0 && info.delivered.consumer_seq <= received) resolve()
    else if (++silences >= silencesMax) giveUp()
    else silence.refresh()
  }
  const silence = setTimeout(() => void askForEnd().catch(giveUp), silenceMs)
  const stopListening = link.onChange(giveUp)
  link.closing.addEventListener('abort', giveUp, { once: true })
  try {
    if (pending === 0) return
    const messages = await consumer.consume({
      callback: (message) => {
        silences = 0
        silence.refresh()
        received = message.info.deliverySequence
        take(message)
        if (message.info.pending === 0) resolve()
      },
    })
    await ended.finally(() => messages.close())
  } finally {
    clearTimeout(silence)
    stopListening()
    link.closing.removeEventListener('abort', giveUp)
    await consumer.delete().catch(() => undefined)
  }
}
