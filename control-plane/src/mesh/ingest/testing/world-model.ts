import { setImmediate as quiet } from 'node:timers/promises'
import type { StreamMessage } from '@probe-mesh/bus/port'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { readingId, type Reading } from '@probe-mesh/contracts/reading/reading'
import pino from 'pino'
import { Registry } from 'prom-client'
import type { DecodedMessage } from '../../../readings/decode.ts'
import { isOfTheData } from '../../../stores/retry.ts'
import type { Holding, IngestContext } from '../context.ts'
import type { IngestBatch } from '../ingest-batches-store.ts'
import { ingestMetrics } from '../metrics.ts'
import { createOwnFaults } from '../own-faults.ts'
import { repeatBatches } from '../repeat-batch.ts'
import { storeFetched } from '../store-batch.ts'
import { createStoredSlots } from '../stored-slots.ts'
import { createTablesModel, tables, type Gate, type Torn } from './tables-model.ts'

/** A call that a process sent to a server and that has not happened yet. */
type Call = { process: string; name: string; act: () => unknown; answer: PromiseWithResolvers<unknown> }
/** Without an answer the process does not know whether its call happened. */
export type Fate = 'answered' | 'unanswered' | 'not reached'

/** All that happens is within the same partitions of the tables on each run. */
const nowMs = Date.UTC(2026, 0, 15, 12)
const facts = { accountId: 'account', rawDays: 30, hourDays: 90 }
const log = pino({ level: 'silent' })
const connectionLost = () => new Error('socket hang up')

/**
 * The servers of ingest in memory, and processes that run the product's own steps of a batch. Nothing happens
 * by itself: the test decides which call is next, and which process or server is killed.
 */
export const createWorld = () => {
  const clickhouse = createTablesModel(() => nowMs)
  const metrics = ingestMetrics(new Registry())
  const calls: Call[] = []
  const alive = new Set<string>()
  const problems: string[] = []

  const records = new Map<string, IngestBatch>()
  const epochs = new Map<number, number>()
  const published: DecodedMessage[] = []
  const lost = new Set<DecodedMessage>()
  const acknowledged = new Map<number, number>()
  const marks = new Map<number, number>()
  const deleted = new Set<string>()

  /** The messages of a partition that the stream has. */
  const streamOf = (partition: number): StreamMessage[] =>
    published.flatMap((one) => (one.source.partition === partition && !lost.has(one) ? [one.source] : []))
  /** The stream or an agent may delete these messages: the raw table must have their readings. */
  const release = (isReleased: (message: DecodedMessage) => boolean, by: string): void => {
    const stored = new Set(clickhouse.rows.readings_raw.map(readingId))
    for (const reading of published.filter(isReleased).flatMap(({ readings }) => readings)) {
      if (stored.has(readingId(reading)) || deleted.has(reading.checkId)) continue
      problems.push(`${by} releases ${readingId(reading)}, which is not stored`)
    }
  }
  const drop = (isDropped: (call: Call) => boolean): Call[] => {
    const dropped = calls.filter(isDropped)
    for (const call of dropped) calls.splice(calls.indexOf(call), 1)
    for (const { answer } of dropped) answer.reject(connectionLost())
    return dropped
  }
  const gateOf =
    (process: string): Gate =>
    (name, act) => {
      const answer = Promise.withResolvers<unknown>()
      if (alive.has(process)) calls.push({ process, name, act, answer })
      return answer.promise as never
    }
  const contextOf = (gate: Gate, holdings: Map<number, Holding>): IngestContext => {
    /** The bus repeats an acknowledgement whose answer is lost. */
    const acknowledge = (partition: number, last: number): Promise<void> =>
      gate('acknowledge', () => {
        const isReleased = (one: DecodedMessage) =>
          one.source.partition === partition && one.source.sequence <= last && !lost.has(one)
        release(isReleased, 'a consumer')
        acknowledged.set(partition, Math.max(last, acknowledged.get(partition) ?? 0))
      }).catch(() => acknowledge(partition, last))
    for (const [partition, { lease }] of holdings) {
      const consumer = { acknowledge: (last: number) => acknowledge(partition, last) } as Holding['consumer']
      const signal = new AbortController().signal
      holdings.set(partition, { lease, consumer, slots: createStoredSlots(), marks: new Map(), signal })
    }
    const bus = {
      readings: {
        replay: (partition: number, first: number, last: number) =>
          gate('replay', () =>
            streamOf(partition).filter(({ sequence }) => sequence >= first && sequence <= last),
          ),
      },
      persisted: {
        get: (_r: string, _a: string, partition: number) =>
          gate('get mark', () => marks.get(partition) ?? null),
        mark: (_r: string, _a: string, partition: number, batch: number) =>
          gate('mark', () => {
            release(
              (one) => one.source.partition === partition && (one.sender?.batch ?? 0) <= batch,
              'a mark',
            )
            marks.set(partition, batch)
          }),
      },
    } as unknown as IngestContext['bus']
    return {
      bus,
      holdings,
      metrics,
      log,
      tables: clickhouse.tablesFor(gate),
      records: {
        record: (batch, _poison, leases) =>
          gate('record', () => {
            const isLost = ({ partition, epoch }: (typeof leases)[number]) => epochs.get(partition) !== epoch
            const gone = records.has(batch.token) ? [] : leases.filter(isLost)
            if (gone.length === 0) records.set(batch.token, batch)
            return new Set(gone.map(({ partition }) => partition))
          }),
        forget: (token) => gate('forget', () => void records.delete(token)),
        open: (partitions = []) =>
          gate('open', () =>
            [...records.values()].filter(({ ranges }) =>
              ranges.some(({ partition }) => partitions.includes(partition)),
            ),
          ),
        keepPoison: async () => void problems.push('a readable message is poison'),
      },
      factsOfChecks: {
        find: async (ids) => new Map([...ids].filter((id) => !deleted.has(id)).map((id) => [id, facts])),
        forget: () => {},
      },
      decode: (source) => published.find((message) => message.source === source) as DecodedMessage,
      poison: { keep: () => [] },
      ownFaults: createOwnFaults(),
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

  return {
    clickhouse,
    calls,
    records,
    marks,
    metrics,
    deleted,
    lost,
    /** @param after the sender's former batch; null at the start of a pass over its spool */
    publish: (readings: readonly Reading[], after: number | null = null): DecodedMessage => {
      const [partition, batch] = [partitionOf(readings[0]?.checkId ?? ''), published.length + 1]
      const source = { partition, sequence: batch, data: new Uint8Array(1), storedAt: nowMs }
      const sender = { agent: 'fra-1', region: 'fra', batch, after }
      const message = { source, sender, readings: [...readings], poison: [] }
      published.push(message)
      return message
    },
    /** A process acquires these partitions, perhaps of a process that does not know it yet. */
    start: async (process: string, partitions: readonly number[], messagesMax = 1_000): Promise<void> => {
      alive.add(process)
      const holdings = new Map<number, Holding>()
      for (const partition of partitions) {
        epochs.set(partition, (epochs.get(partition) ?? 0) + 1)
        holdings.set(partition, { lease: { partition, epoch: epochs.get(partition) } } as Holding)
      }
      const gate = gateOf(process)
      const context = contextOf(gate, holdings)
      const work = async (): Promise<void> => {
        await repeatBatches(context, partitions)
        const fetch = () =>
          published.flatMap((one) => {
            const [message, holding] = [one.source, holdings.get(one.source.partition)]
            const isNew = message.sequence > (acknowledged.get(message.partition) ?? 0)
            return holding !== undefined && isNew && !lost.has(one) ? [{ holding, message }] : []
          })
        const fetched = await context.retry('bus', () => gate('fetch', fetch))
        for (let at = 0; at < fetched.length; at += messagesMax) {
          const taken = fetched.slice(at, at + messagesMax)
          await storeFetched(
            context,
            taken.toSorted((a, b) => a.message.partition - b.message.partition),
          )
        }
      }
      work().catch((error: unknown) => problems.push(`${process} failed: ${String(error)}`))
      await quiet()
    },
    /** A call happens, or not. */
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
    /** ClickHouse writes the next block of one of its inserts. @returns whether there was one */
    write: async (at = 0): Promise<boolean> => {
      const running = [...clickhouse.running]
      const insert = running[at % Math.max(1, running.length)]
      if (insert !== undefined) clickhouse.advance(insert)
      await quiet()
      return insert !== undefined
    },
    /** Kills a process. @returns its inserts on their way, which may arrive at any time */
    crash: async (process: string): Promise<Call[]> => {
      alive.delete(process)
      const dropped = drop((call) => call.process === process)
      await quiet()
      return dropped.filter(({ name }) => name === 'insert')
    },
    /** Kills ClickHouse, and with it every connection. */
    killClickHouse: async (torn: () => Torn): Promise<void> => {
      clickhouse.kill(torn)
      drop(({ name }) => /^(insert|find|compare|count|delete)/.test(name))
      await quiet()
    },
    /** What is not as it must be when all is done: each reading once in each table, nothing left to do. */
    problems: (): string[] => {
      const all = new Map(published.flatMap(({ readings }) => readings).map((one) => [readingId(one), one]))
      const wrong = tables.flatMap((table) => {
        const counts = Map.groupBy(clickhouse.rows[table], readingId)
        return [...all].flatMap(([id, { checkId, kind }]) => {
          const count = counts.get(id)?.length ?? 0
          const wanted = table === 'readings_raw' || kind === 'scheduled' ? 1 : 0
          return count === wanted || deleted.has(checkId) ? [] : [`${table} has ${id} ${count} times`]
        })
      })
      const isWaiting = ({ source }: DecodedMessage) =>
        source.sequence > (acknowledged.get(source.partition) ?? 0)
      return [
        ...problems,
        ...wrong,
        ...[...records.keys()].map((token) => `batch ${token} is open`),
        ...published.filter(isWaiting).map(({ source }) => `${source.sequence} is not acknowledged`),
      ]
    },
  }
}

export type World = ReturnType<typeof createWorld>
