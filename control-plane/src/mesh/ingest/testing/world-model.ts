import { setImmediate as rest } from 'node:timers/promises'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { readingId } from '@probe-mesh/contracts/reading/reading'
import type { StreamMessage } from '@probe-mesh/bus/port'
import pino from 'pino'
import { Registry } from 'prom-client'
import type { DecodedMessage } from '../../../readings/decode.ts'
import { isOfTheData } from '../../../stores/retry.ts'
import type { Lease } from '../../../stores/leases/leases-store.ts'
import type { Holding, IngestContext } from '../context.ts'
import type { IngestBatch } from '../ingest-batches-store.ts'
import { ingestMetrics } from '../metrics.ts'
import { createOwnFaults } from '../own-faults.ts'
import { repeatBatches } from '../repeat-batch.ts'
import { storeFetched } from '../store-batch.ts'
import { createStoredSlots } from '../stored-slots.ts'
import { rollupKeyOf } from '../rollups-query.ts'
import { createTablesModel, rollups } from './tables-model.ts'
import type { Gate, Torn } from './tables-model.ts'

/** A call that a process sent to a server and that has not happened yet. */
type Call = { process: string; store: string; name: string; act: () => unknown; answer: PromiseWithResolvers<unknown> }

/** How a server treats a call. Without its answer, the process cannot know whether it happened. */
export type Fate = 'answered' | 'unanswered' | 'not reached'

const connectionLost = () => new Error('socket hang up')
/** Some time with the same partitions of all tables on each run. */
export const nowMs = Date.UTC(2026, 0, 15, 12)
const facts = { accountId: 'account', rawDays: 30, hourDays: 90 }

/**
 * The servers of ingest in memory, and processes that run the product's own steps of a batch. Nothing happens by
 * itself: the test decides which call is next, and which process or server is killed.
 */
export const createWorld = () => {
  const clickhouse = createTablesModel(() => nowMs)
  const metrics = ingestMetrics(new Registry())
  const violations: string[] = []
  const calls: Call[] = []
  const alive = new Set<string>()

  const records = new Map<string, IngestBatch>()
  const epochs = new Map<number, number>()
  const poison: unknown[] = []
  const published: DecodedMessage[] = []
  const lost = new Set<DecodedMessage>()
  const acknowledged = new Map<number, number>()
  const marks = new Map<number, number>()
  const deleted = new Set<string>()

  const streamOf = (partition: number): StreamMessage[] =>
    published.filter((message) => message.source.partition === partition && !lost.has(message)).map(({ source }) => source)
  const wanted = (isOf: (message: DecodedMessage) => boolean): Reading[] =>
    published.filter(isOf).flatMap(({ readings }) => readings).filter(({ checkId }) => !deleted.has(checkId))
  /** Expects that the raw table has what the stream or an agent may now delete. */
  const release = (isReleased: (message: DecodedMessage) => boolean, by: string): void => {
    const stored = new Set(clickhouse.rows.readings_raw.map(readingId))
    const missing = wanted(isReleased).filter((reading) => !stored.has(readingId(reading)))
    if (missing.length > 0) violations.push(`${by} releases ${missing.length} readings that are not stored`)
  }

  const gateOf =
    (process: string, store = 'other'): Gate =>
    (name, act) => {
    const answer = Promise.withResolvers<unknown>()
    if (alive.has(process)) calls.push({ process, store, name, act, answer })
    return answer.promise as Promise<Awaited<ReturnType<typeof act>>>
  }
  const contextOf = (process: string, holdings: Map<number, Holding>): IngestContext => {
    const gate = gateOf(process)
    return {
      records: {
        record: (batch, bad, leases) =>
          gate('record', () => {
            if (records.has(batch.token)) return new Set<number>()
            const gone = leases.filter(({ partition, epoch }) => epochs.get(partition) !== epoch)
            if (gone.length === 0) {
              records.set(batch.token, batch)
              poison.push(...bad)
            }
            return new Set(gone.map(({ partition }) => partition))
          }),
        forget: (token) => gate('forget', () => void records.delete(token)),
        open: (partitions) =>
          gate('open', () =>
            [...records.values()].filter(({ ranges }) => ranges.some((range) => partitions?.includes(range.partition))),
          ),
        keepPoison: (one) => gate('keep poison', () => void poison.push(one)),
      },
      tables: clickhouse.tablesFor(gateOf(process, 'clickhouse')),
      bus: {
        readings: {
          replay: (partition: number, first: number, last: number) =>
            gate('replay', () => streamOf(partition).filter(({ sequence }) => sequence >= first && sequence <= last)),
        },
        persisted: {
          get: (_region: string, _agent: string, partition: number) => gate('get mark', () => marks.get(partition) ?? null),
          mark: (_region: string, _agent: string, partition: number, batch: number) =>
            gate('mark', () => {
              release(({ source, sender }) => source.partition === partition && (sender?.batch ?? 0) <= batch, 'a mark')
              marks.set(partition, batch)
            }),
        },
      } as unknown as IngestContext['bus'],
      directory: {
        find: async (checkIds) => new Map([...checkIds].filter((id) => !deleted.has(id)).map((id) => [id, facts])),
        forget: () => {},
      },
      holdings,
      metrics,
      decode: (source) => published.find((message) => message.source === source) as DecodedMessage,
      poison: { keep: (all) => [...all] },
      ownFaults: createOwnFaults(),
      log: pino({ level: 'silent' }),
      now: () => nowMs,
      retry: async (_, attempt) => {
        for (;;) {
          try {
            return await attempt()
          } catch (error) {
            if (isOfTheData(error)) throw error
          }
        }
      },
      settleLater: () => {},
      onStored: () => {},
    }
  }
  const hold = (process: string, lease: Lease): Holding => {
    const { partition } = lease
    /** The bus repeats an acknowledgement whose answer is lost. */
    const acknowledge = (sequence: number): Promise<void> =>
      gateOf(process)('acknowledge', () => {
        release(({ source }) => source.partition === partition && source.sequence <= sequence, 'an acknowledgement')
        acknowledged.set(partition, Math.max(sequence, acknowledged.get(partition) ?? 0))
      }).catch(() => acknowledge(sequence))
    const consumer = { acknowledge } as unknown as Holding['consumer']
    return { lease, consumer, slots: createStoredSlots(), marks: new Map(), signal: new AbortController().signal }
  }
  /** Lets every process run until it waits for a server. */
  const quiet = async (): Promise<void> => {
    await rest()
  }

  return {
    clickhouse,
    calls,
    records,
    marks,
    metrics,
    poison,
    violations,
    deleted,
    lost,
    quiet,
    /** @param after the sender's former batch, null at the start of a pass over its spool */
    publish: (readings: readonly Reading[], batch = published.length + 1, after: number | null = null): DecodedMessage => {
      const partition = partitionOf(readings[0]?.checkId ?? '')
      const source = { partition, sequence: published.length + 1, data: new Uint8Array(1), storedAt: nowMs }
      const message = { source, sender: { agent: 'fra-1', region: 'fra', batch, after }, readings: [...readings], poison: [] }
      published.push(message)
      return message
    },
    /** A process acquires these partitions, also from a process that does not know it yet. */
    start: async (process: string, partitions: readonly number[], messagesMax = Infinity): Promise<void> => {
      alive.add(process)
      const holdings = new Map<number, Holding>()
      for (const partition of partitions) {
        const epoch = (epochs.get(partition) ?? 0) + 1
        epochs.set(partition, epoch)
        holdings.set(partition, hold(process, { partition, epoch }))
      }
      const context = contextOf(process, holdings)
      const work = async (): Promise<void> => {
        await repeatBatches(context, partitions)
        const fetched = published.flatMap((one) => {
          const [message, holding] = [one.source, holdings.get(one.source.partition)]
          const isNew = message.sequence > (acknowledged.get(message.partition) ?? 0)
          return holding !== undefined && isNew && !lost.has(one) ? [{ holding, message }] : []
        })
        for (let at = 0; at < fetched.length; at += messagesMax) {
          const taken = fetched.slice(at, at + messagesMax)
          taken.sort(({ message: a }, { message: b }) => a.partition - b.partition)
          await storeFetched(context, taken)
        }
      }
      work().catch((error: unknown) => violations.push(`${process} failed: ${String(error)}`))
      await quiet()
    },
    /** The next call happens. */
    answer: async (call: Call, fate: Fate = 'answered'): Promise<void> => {
      calls.splice(calls.indexOf(call), 1)
      try {
        const result = fate === 'not reached' ? null : call.act()
        if (fate === 'answered') call.answer.resolve(result)
        else call.answer.reject(connectionLost())
      } catch (error) {
        call.answer.reject(error)
      }
      await quiet()
    },
    /** Kills a process. @returns its inserts that are still on their way: they may arrive at any time */
    crash: async (process: string): Promise<Call[]> => {
      alive.delete(process)
      const sent = calls.filter((call) => call.process === process)
      for (const call of sent) calls.splice(calls.indexOf(call), 1)
      for (const call of sent) call.answer.reject(connectionLost())
      await quiet()
      return sent.filter(({ name }) => name === 'insert')
    },
    advance: async (): Promise<boolean> => {
      const [insert] = clickhouse.running
      if (insert !== undefined) clickhouse.advance(insert)
      await quiet()
      return insert !== undefined
    },
    /** Kills ClickHouse, which loses the statements that it runs and those on their way. */
    killClickHouse: async (torn: () => Torn): Promise<void> => {
      clickhouse.kill(torn)
      for (const call of calls.filter(({ store }) => store === 'clickhouse')) {
        calls.splice(calls.indexOf(call), 1)
        call.answer.reject(connectionLost())
      }
      await quiet()
    },
    /** Whether each reading is stored once, in the raw table and both rollups, and nothing is left to do. */
    problems: (): string[] => {
      const problems = [...violations]
      const counts = new Map<string, number>()
      for (const reading of clickhouse.rows.readings_raw) {
        counts.set(readingId(reading), (counts.get(readingId(reading)) ?? 0) + 1)
      }
      const all = wanted(() => true)
      for (const id of new Set(all.map(readingId))) {
        if (counts.get(id) !== 1) problems.push(`${id} is stored ${counts.get(id) ?? 0} times`)
      }
      for (const rollup of rollups) {
        const keys = [...new Map(all.map((reading) => rollupKeyOf(rollup, reading)).map((key) => [JSON.stringify(key), key])).values()]
        for (const difference of clickhouse.findDifferences(rollup, keys)) {
          problems.push(`${rollup} lacks ${JSON.stringify(difference)}`)
        }
      }
      if (records.size > 0) problems.push(`${records.size} batches are open`)
      if (poison.length > 0) problems.push(`${poison.length} readings are poison`)
      for (const { source } of published) {
        if (source.sequence > (acknowledged.get(source.partition) ?? 0)) problems.push(`${source.sequence} is not acknowledged`)
      }
      return problems
    },
  }
}

export type World = ReturnType<typeof createWorld>
