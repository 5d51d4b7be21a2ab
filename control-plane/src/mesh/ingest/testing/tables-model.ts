import { ClickHouseError } from '@clickhouse/client'
import { readingId, type Reading } from '@probe-mesh/contracts/reading/reading'
import type { ReadingRow } from '../../../readings/insert-readings.ts'
import type { ReadingTables } from '../reading-tables.ts'
import { nameOf, rollupKeyOf, type Rollup, type RollupKey } from '../rollups-query.ts'
import { pairOf } from '../stored-slots.ts'

export type Table = 'readings_raw' | Rollup
export const rollups = ['readings_minute', 'readings_hour'] as const
export const tables = ['readings_raw', ...rollups] as const

/** The rows of an insert in one partition of one table. `name` is its token there. */
type Block = { table: Table; name: string; readings: Reading[] }
/** What remains of a block if the server is killed, since it writes the part and its token one by one. */
export type Torn = { part: boolean; token: boolean }
/** An insert that the server runs, also if its client is gone. */
type RunningInsert = { blocks: Block[]; written: Block[]; ended: PromiseWithResolvers<void> }
/** Runs a call of a server when the test wants it. */
export type Gate = <T>(name: string, act: () => T | Promise<T>) => Promise<T>
const atOnce: Gate = async (_, act) => act()

const verdicts = ['up', 'down', 'blocked', 'unmeasured'] as const
const dayOf = (slot: number): number => Math.floor(slot / 86_400_000)
const partitionOf = (table: Table, slot: number): string =>
  table === 'readings_hour' ? new Date(slot).toISOString().slice(0, 7) : `${dayOf(slot)}`

/**
 * ClickHouse as ingest knows it, without replicas. An insert writes the raw table and then each rollup, a part
 * for each partition. A part whose token is known is dropped, but still reaches the views. A rollup is modelled
 * as the readings that it counts.
 */
export const createTablesModel = (now: () => number) => {
  const rows: Record<Table, Reading[]> = { readings_raw: [], readings_minute: [], readings_hour: [] }
  const tokens = new Set<string>()
  const running = new Set<RunningInsert>()
  /** Other statements on their way to the server. */
  const sent = new Set<Promise<unknown>>()

  const write = ({ table, name, readings }: Block, { part, token }: Torn): void => {
    if (part) rows[table].push(...readings)
    if (token) tokens.add(name)
  }
  const blocksOf = (batch: readonly ReadingRow[], token: string): Block[] =>
    tables.flatMap((table) => {
      const kept = batch.filter(
        ({ reading, rawDays }) =>
          (table === 'readings_hour' || dayOf(now() - reading.slot) < rawDays) &&
          (table === 'readings_raw' || reading.kind === 'scheduled'),
      )
      const readings = kept.map(({ reading }) => ({ ...reading }))
      const groups = Map.groupBy(readings, ({ slot }) => `${table} ${partitionOf(table, slot)} ${token}`)
      return [...groups].map(([name, of]) => ({ table, name, readings: of }))
    })
  const begin = (batch: readonly ReadingRow[], token: string): RunningInsert => {
    if (batch.some(({ reading }) => !verdicts.includes(reading.verdict))) {
      throw new ClickHouseError({ message: 'Unknown element for enum', code: '691', type: 'UNKNOWN' })
    }
    const insert = { blocks: blocksOf(batch, token), written: [], ended: Promise.withResolvers<void>() }
    insert.ended.promise.catch(() => {})
    running.add(insert)
    return insert
  }
  /** Writes the next block of a running insert. */
  const advance = (insert: RunningInsert): void => {
    const block = insert.blocks.shift()
    if (block !== undefined && !tokens.has(block.name)) {
      write(block, { part: true, token: true })
      insert.written.push(block)
    }
    if (insert.blocks.length > 0) return
    running.delete(insert)
    insert.ended.resolve()
  }
  const finish = (insert: RunningInsert): void => {
    while (running.has(insert)) advance(insert)
  }
  const scheduled = (isWanted: (reading: Reading) => boolean): Reading[] =>
    rows.readings_raw.filter((reading) => reading.kind === 'scheduled' && isWanted(reading))
  /** Selects the readings of some keys of a rollup. */
  const under = (rollup: Rollup, keys: readonly RollupKey[]) => {
    const names = new Set(keys.map(nameOf))
    return (reading: Reading): boolean => names.has(nameOf(rollupKeyOf(rollup, reading)))
  }

  /** The tables for one process. */
  const tablesFor = (gate = atOnce): ReadingTables => {
    const send: Gate = (name, act) => {
      const sending = gate(name, act)
      sent.add(sending)
      const end = () => void sent.delete(sending)
      sending.then(end, end)
      return sending
    }
    return {
      isReplicated: false,
      insert: async (batch, token) => {
        if (batch.length === 0) return
        const insert = await gate('insert', () => begin(batch, token))
        if (gate === atOnce) finish(insert)
        await insert.ended.promise
      },
      insertsEnded: () =>
        gate('inserts ended', async () => {
          await Promise.allSettled([...[...running].map(({ ended }) => ended.promise), ...sent])
        }),
      findStored: (readings) =>
        gate('find stored', () => {
          const stored = new Set(rows.readings_raw.map(readingId))
          return new Set(readings.map((reading) => readingId(reading as Reading))).intersection(stored)
        }),
      findPlaces: () => Promise.reject(new Error('it has no shards')),
      findNewest: (readings) =>
        gate('find newest', () => {
          const pairs = new Set(readings.map(pairOf))
          const newest = new Map<string, number>()
          for (const { slot, ...pair } of scheduled((reading) => pairs.has(pairOf(reading)))) {
            newest.set(pairOf(pair), Math.max(slot, newest.get(pairOf(pair)) ?? 0))
          }
          return newest
        }),
      findDifferences: (rollup, keys) =>
        gate('compare', () => {
          const differences = new Map(
            keys.map((key) => [nameOf(key), { ...key, up: 0, down: 0, blocked: 0, unmeasured: 0 }]),
          )
          const count = (readings: readonly Reading[], step: number): void => {
            for (const reading of readings) {
              const difference = differences.get(nameOf(rollupKeyOf(rollup, reading)))
              if (difference !== undefined) difference[reading.verdict] += step
            }
          }
          count(
            scheduled(() => true),
            1,
          )
          count(rows[rollup], -1)
          return [...differences.values()].filter((one) => verdicts.some((verdict) => one[verdict] !== 0))
        }),
      count: (rollup, readings) =>
        send('count', () => {
          const slots = new Set(readings.map(({ slot, ...pair }) => `${pairOf(pair)}:${slot}`))
          rows[rollup].push(...scheduled(({ slot, ...pair }) => slots.has(`${pairOf(pair)}:${slot}`)))
        }),
      rebuild: async (rollup, keys) => {
        const isWanted = under(rollup, keys)
        if (keys.length === 0) return
        await send('delete', () => {
          rows[rollup] = rows[rollup].filter((reading) => !isWanted(reading))
        })
        await send('insert again', () => void rows[rollup].push(...scheduled(isWanted)))
      },
    }
  }
  return {
    rows,
    running,
    advance,
    tablesFor,
    write,
    blocksOf,
    /** Kills the server: of each block that its inserts wrote remains what `torn` says. */
    kill: (torn: () => Torn): void => {
      const cut = [...running].flatMap(({ written, blocks }) => [
        ...written,
        ...blocks.slice(0, 1).filter(({ name }) => !tokens.has(name)),
      ])
      for (const { table, name, readings } of cut) {
        tokens.delete(name)
        rows[table] = rows[table].filter((reading) => !readings.includes(reading))
      }
      for (const block of new Map(cut.map((one) => [one.name, one])).values()) write(block, torn())
      for (const { ended } of running) ended.reject(new Error('socket hang up'))
      running.clear()
    },
    /** Loses rows, not their tokens. */
    forget: (table: Table, isLost: (reading: Reading) => boolean): void => {
      rows[table] = rows[table].filter((reading) => !isLost(reading))
    },
  }
}
