import { ClickHouseError } from '@clickhouse/client'
import { readingId } from '@probe-mesh/contracts/reading/reading'
import type { Reading, Verdict } from '@probe-mesh/contracts/reading/reading'
import type { ReadingRow } from '../../../readings/insert-readings.ts'
import type { ReadingTables } from '../reading-tables.ts'
import { nameOf, rollupKeyOf } from '../rollups-query.ts'
import type { Rollup, RollupDifference, RollupKey } from '../rollups-query.ts'
import { pairOf } from '../stored-slots.ts'

export type Table = 'readings_raw' | Rollup
export const rollups = ['readings_minute', 'readings_hour'] as const
export const tables = ['readings_raw', ...rollups] as const

/** The rows of an insert in one partition of one table, which the server writes at once. */
type Block = { table: Table; name: string; readings: Reading[] }
/** What remains of a block when the server is killed: it writes its part and its token one after the other. */
export type Torn = { part: boolean; token: boolean }
/** An insert that the server runs. */
export type RunningInsert = { blocks: Block[]; written: Block[]; ended: PromiseWithResolvers<void> }

/** Runs a step of a server when the test wants it. */
export type Gate = <T>(name: string, act: () => T | Promise<T>) => Promise<T>
const atOnce: Gate = async (_, act) => act()

const dayMs = 86_400_000
const verdicts = ['up', 'down', 'blocked', 'unmeasured'] as const
const partitionOf = (table: Table, slot: number): string =>
  new Date(slot).toISOString().slice(0, table === 'readings_hour' ? 7 : 10)

/**
 * ClickHouse as ingest knows it, without replicas. An insert writes the raw table and then each rollup, a part
 * for each partition. A part whose token is known is dropped, but still reaches the views. A rollup is the
 * list of the readings that it counts.
 */
export const createTablesModel = (now: () => number) => {
  const rows: Record<Table, Reading[]> = { readings_raw: [], readings_minute: [], readings_hour: [] }
  const tokens = new Set<string>()
  const running = new Set<RunningInsert>()
  /** Other statements that were sent and have not ended. */
  const sent = new Set<Promise<unknown>>()

  const write = ({ table, name, readings }: Block, { part, token }: Torn): boolean => {
    if (tokens.has(name)) return false
    if (part) rows[table].push(...readings)
    if (token) tokens.add(name)
    return true
  }
  const blocksOf = (batch: readonly ReadingRow[], token: string): Block[] =>
    tables.flatMap((table) => {
      const inTable = batch.filter(({ reading, rawDays }) =>
        table === 'readings_hour' ? true : reading.slot + rawDays * dayMs > now(),
      )
      const counted = inTable
        .map(({ reading }) => ({ ...reading }))
        .filter(({ kind }) => table === 'readings_raw' || kind === 'scheduled')
      const groups = Map.groupBy(counted, ({ slot }) => `${table} ${partitionOf(table, slot)} ${token}`)
      return [...groups].map(([name, readings]) => ({ table, name, readings }))
    })
  const begin = (batch: readonly ReadingRow[], token: string): RunningInsert => {
    if (batch.some(({ reading }) => !verdicts.includes(reading.verdict))) {
      throw new ClickHouseError({ message: 'Unknown element for enum', code: '691', type: 'UNKNOWN_ENUM' })
    }
    const insert = { blocks: blocksOf(batch, token), written: [], ended: Promise.withResolvers<void>() }
    insert.ended.promise.catch(() => {})
    running.add(insert)
    return insert
  }
  /** Writes the next block of a running insert. */
  const advance = (insert: RunningInsert): void => {
    const block = insert.blocks.shift()
    if (block !== undefined && write(block, { part: true, token: true })) insert.written.push(block)
    if (insert.blocks.length > 0) return
    running.delete(insert)
    insert.ended.resolve()
  }
  const counts = (readings: readonly Reading[], rollup: Rollup) => {
    const byKey = new Map<string, RollupDifference>()
    for (const reading of readings) {
      if (reading.kind !== 'scheduled') continue
      const key = rollupKeyOf(rollup, reading)
      const entry = byKey.get(nameOf(key)) ?? { ...key, up: 0, down: 0, blocked: 0, unmeasured: 0 }
      entry[reading.verdict] += 1
      byKey.set(nameOf(key), entry)
    }
    return byKey
  }
  const findDifferences = (rollup: Rollup, keys: readonly RollupKey[]): RollupDifference[] => {
    const [raw, counted] = [counts(rows.readings_raw, rollup), counts(rows[rollup], rollup)]
    return keys.flatMap((key) => {
      const of = (verdict: Verdict): number =>
        (raw.get(nameOf(key))?.[verdict] ?? 0) - (counted.get(nameOf(key))?.[verdict] ?? 0)
      const difference = { ...key, up: of('up'), down: of('down'), blocked: of('blocked'), unmeasured: of('unmeasured') }
      return verdicts.some((verdict) => difference[verdict] !== 0) ? [difference] : []
    })
  }
  const scheduled = (isWanted: (reading: Reading) => boolean): Reading[] =>
    rows.readings_raw.filter((reading) => reading.kind === 'scheduled' && isWanted(reading))
  const slotName = ({ checkId, region, slot }: Pick<Reading, 'checkId' | 'region' | 'slot'>) =>
    `${checkId} ${region} ${slot}`

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
        while (gate === atOnce && running.has(insert)) advance(insert)
        await insert.ended.promise
      },
      insertsEnded: () =>
        gate('inserts ended', async () => {
          await Promise.allSettled([...[...running].map(({ ended }) => ended.promise), ...sent])
        }),
      findStored: (readings) =>
        gate('find stored', () => {
          const stored = new Set(rows.readings_raw.map(readingId))
          const ids = readings.map((reading) => readingId(reading as Reading))
          return new Set(ids.filter((id) => stored.has(id)))
        }),
      findPlaces: () => Promise.reject(new Error('it has no shards')),
      findNewest: (readings) =>
        gate('find newest', () => {
          const from = Math.min(...readings.map(({ slot }) => slot))
          const pairs = new Set(readings.map(pairOf))
          const newest = new Map<string, number>()
          for (const reading of scheduled(({ slot }) => slot >= from)) {
            const pair = pairOf(reading)
            if (pairs.has(pair)) newest.set(pair, Math.max(reading.slot, newest.get(pair) ?? 0))
          }
          return newest
        }),
      findDifferences: (rollup, keys) => gate('compare', () => findDifferences(rollup, keys)),
      count: (rollup, readings) =>
        send('count', () => {
          const names = new Set(readings.map(slotName))
          rows[rollup].push(...scheduled((reading) => names.has(slotName(reading))))
        }),
      rebuild: async (rollup, keys) => {
        const names = new Set(keys.map(nameOf))
        const isOfKeys = (reading: Reading): boolean => names.has(nameOf(rollupKeyOf(rollup, reading)))
        if (keys.length === 0) return
        await send('delete', () => {
          rows[rollup] = rows[rollup].filter((reading) => !isOfKeys(reading))
        })
        await send('insert again', () => {
          rows[rollup].push(...scheduled(isOfKeys))
        })
      },
    }
  }
  return {
    rows,
    running,
    begin,
    advance,
    tablesFor,
    findDifferences,
    /** Kills the server: of each block of a running insert remains what `torn` says. */
    kill: (torn: () => Torn) => {
      const under = [...running].flatMap(({ written, blocks }) => [
        ...written,
        ...blocks.slice(0, 1).filter(({ name }) => !tokens.has(name)),
      ])
      for (const { table, name, readings } of under) {
        tokens.delete(name)
        rows[table] = rows[table].filter((reading) => !readings.includes(reading))
      }
      for (const block of new Map(under.map((one) => [one.name, one])).values()) write(block, torn())
      for (const { ended } of running) ended.reject(new Error('socket hang up'))
      running.clear()
    },
    write,
    blocksOf,
    /** Loses rows, not their tokens. */
    forget: (table: Table, isLost: (reading: Reading) => boolean = () => true) => {
      rows[table] = rows[table].filter((reading) => !isLost(reading))
    },
  }
}

export type TablesModel = ReturnType<typeof createTablesModel>
