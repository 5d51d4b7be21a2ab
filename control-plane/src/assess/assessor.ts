import type { Reading } from '@probe-mesh/contracts/reading'
import type { Bus, ReadingsConsumer, StreamMessage } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import { decodeMessage } from '../readings/decode.ts'
import {
  findStatesOfChecks,
  findStatesOfPartitions,
  recordFlips,
  writeStates,
} from '../postgres/states.ts'
import type { Sql } from '../postgres/connect.ts'
import { Closing, pause, retryWhileAway } from '../retry.ts'
import type { Book } from './book.ts'
import type { Confirmer } from './confirmer.ts'
import type { AssessMetrics } from './metrics.ts'

/** States are written behind at this pace, which is also how far an answer may lag a reading. */
const writeBehindMs = 300
const writeBehindRowsMax = 2_000
const sweepMs = 1_000
/** After a start nobody is called stale before the backlog had this long to be read. */
const startGraceMs = 10_000
const fetchWaitMs = 5_000
const fetchMessagesMax = 200
const fetchBytesMax = 2 * 1024 * 1024

export type Assessor = {
  /** A check was created, changed or deleted: take it again from Postgres. */
  reload(checkId: string): Promise<void>
  close(): Promise<void>
}

/**
 * Judges readings as they come: state in memory, flips in Postgres by compare-and-set before
 * anything else is read, everything else written behind and acknowledged only then.
 */
export const startAssessor = async (capabilities: {
  sql: Sql
  bus: Bus
  book: Book
  confirmer: Confirmer
  metrics: AssessMetrics
  partitions: readonly number[]
  log: Logger
  now: () => number
}): Promise<Assessor> => {
  const { sql, bus, book, confirmer, metrics, partitions, log, now } = capabilities
  const closing = new AbortController()
  const startedAt = now()
  const retry = <T>(attempt: () => Promise<T>): Promise<T> =>
    retryWhileAway(attempt, {
      signal: closing.signal,
      onWait: (error, waitMs) => log.warn({ err: error, waitMs }, 'assess waits for postgres'),
    })

  for (const check of await findStatesOfPartitions(sql, partitions)) book.load(check)
  const consumers: ReadingsConsumer[] = []
  for (const partition of partitions)
    consumers.push(await bus.readings.consume(partition, 'assess'))
  const processed = new Map<ReadingsConsumer, number>()
  const caughtUp = new Set<ReadingsConsumer>()

  /** Loads what this batch needs and Postgres may have; what is missing there was deleted. */
  const loadUnknown = async (readings: readonly Reading[]): Promise<void> => {
    const unknown = new Set(
      readings.map((reading) => reading.checkId).filter((id) => !book.has(id)),
    )
    if (unknown.size === 0) return
    for (const check of await retry(() => findStatesOfChecks(sql, [...unknown]))) book.load(check)
  }

  const flips = serially(async (): Promise<void> => {
    const writes = book.flips()
    if (writes.length === 0) return
    const won = await retry(() => recordFlips(sql, writes, now()))
    const lost: string[] = []
    for (const write of writes) {
      if (won.has(write.checkId)) {
        book.settle(write)
        for (const { change } of write.flips) metrics.flips.inc({ to: change.to })
      } else lost.push(write.checkId)
    }
    if (lost.length > 0) {
      metrics.conflicts.inc(lost.length)
      for (const checkId of lost) book.forget(checkId)
      for (const check of await retry(() => findStatesOfChecks(sql, lost))) book.load(check)
    }
  })

  const judge = async (messages: readonly StreamMessage[]): Promise<void> => {
    const readings = messages.flatMap((message) => decodeMessage(message).readings)
    await loadUnknown(readings)
    for (const reading of readings) {
      const confirmation = book.observe(reading)
      if (confirmation !== null) confirmer.ask(confirmation)
    }
    metrics.readings.inc(readings.length)
    await flips()
  }

  const follow = async (consumer: ReadingsConsumer): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        const messages = await consumer.fetch({
          messagesMax: fetchMessagesMax,
          bytesMax: fetchBytesMax,
          waitMs: caughtUp.has(consumer) ? fetchWaitMs : 0,
          signal: closing.signal,
        })
        const last = messages.at(-1)
        if (last === undefined) {
          caughtUp.add(consumer)
          continue
        }
        await judge(messages)
        processed.set(consumer, last.sequence)
      } catch (error) {
        if (error instanceof Closing) return
        log.error({ err: error }, 'assess cannot follow; trying again')
        await pause(1_000, closing.signal)
      }
    }
  }

  /** Everything judged by now is written, then acknowledged: a crash repeats, and repeats agree. */
  const writeBehind = serially(async (): Promise<void> => {
    const through = [...processed]
    processed.clear()
    const putBack = (): void => {
      for (const [consumer, sequence] of through) {
        processed.set(consumer, Math.max(sequence, processed.get(consumer) ?? 0))
      }
    }
    for (;;) {
      const writes = book.takeDirty(writeBehindRowsMax)
      if (writes.length === 0) break
      try {
        await retry(() => writeStates(sql, writes))
      } catch (error) {
        book.markDirty(writes.map((write) => write.checkId))
        putBack()
        throw error
      }
    }
    if (book.isFlipping()) putBack()
    else await Promise.all(through.map(([consumer, sequence]) => consumer.acknowledge(sequence)))
  })

  const keepPace = async (everyMs: number, act: () => Promise<void>): Promise<void> => {
    while (!closing.signal.aborted) {
      await pause(everyMs, closing.signal)
      await act().catch((error: unknown) => {
        if (!(error instanceof Closing))
          log.error({ err: error }, 'assess cannot write; trying again')
      })
    }
  }

  const sweep = async (): Promise<void> => {
    if (now() - startedAt < startGraceMs || caughtUp.size < consumers.length) return
    book.sweep()
    await flips()
  }

  const loops = [
    ...consumers.map(follow),
    keepPace(writeBehindMs, writeBehind),
    keepPace(sweepMs, sweep),
  ]
  return {
    reload: async (checkId) => {
      const found = await retry(() => findStatesOfChecks(sql, [checkId]))
      if (found.length === 0) book.forget(checkId)
      for (const check of found) book.load(check)
    },
    close: async () => {
      closing.abort()
      await Promise.all(loops)
      await writeBehind().catch((error: unknown) => {
        log.warn(
          { err: error },
          'last states were not written; they are judged again at the next start',
        )
      })
      await Promise.all(consumers.map((consumer) => consumer.close()))
    },
  }
}

/** One run at a time; a call that comes during a run waits for a whole run of its own. */
const serially = (act: () => Promise<void>): (() => Promise<void>) => {
  let tail: Promise<void> = Promise.resolve()
  return () => {
    const run = tail.then(act)
    tail = run.catch(() => {})
    return run
  }
}
