import { readingId, type Reading } from '@probe-mesh/contracts/reading/reading'

/** Checks remembered for one partition. Beyond this all are forgotten and looked up again. */
const checksMaxDefault = 200_000
const rowsAtFirst = 1_024

type Pair = Pick<Reading, 'checkId' | 'region'>

/** A check and region as a key. */
export const pairOf = ({ checkId, region }: Pair): string => `${checkId}:${region}`

/**
 * Remembers the newest stored slot of each check and region. Agents send slots in order, so a newer slot is
 * new without a query. The slots are in one array of numbers, with a row for each check and a column for each
 * region: a map with a key for each pair would use five times the memory.
 */
export const createStoredSlots = (checksMax = checksMaxDefault) => {
  const rows = new Map<string, number>()
  const columns = new Map<string, number>()
  /** NaN if unknown. */
  let table = new Float64Array(0)
  /** Columns that a row has room for. */
  let width = 0

  const at = ({ checkId, region }: Pair): number | null => {
    const row = rows.get(checkId)
    const column = columns.get(region)
    return row === undefined || column === undefined ? null : row * width + column
  }
  const newestOf = (pair: Pair): number => table[at(pair) ?? -1] ?? Number.NaN
  const widen = (): void => {
    const wider = Math.max(4, width * 2)
    const next = new Float64Array((table.length / Math.max(1, width)) * wider).fill(Number.NaN)
    for (let row = 0; row < rows.size; row++) {
      next.set(table.subarray(row * width, (row + 1) * width), row * wider)
    }
    table = next
    width = wider
  }
  const lengthen = (): void => {
    const next = new Float64Array(Math.max(rowsAtFirst * width, table.length * 2)).fill(Number.NaN)
    next.set(table)
    table = next
  }
  const forget = (): void => {
    rows.clear()
    table.fill(Number.NaN)
  }
  const placeOf = (pair: Pair): number => {
    if (!columns.has(pair.region)) {
      if (columns.size >= width) widen()
      columns.set(pair.region, columns.size)
    }
    if (!rows.has(pair.checkId)) {
      if (rows.size >= checksMax) forget()
      if ((rows.size + 1) * width > table.length) lengthen()
      rows.set(pair.checkId, rows.size)
    }
    return at(pair) ?? 0
  }
  const raise = (pair: Pair, slot: number): void => {
    const place = placeOf(pair)
    if (!(slot <= (table[place] ?? Number.NaN))) table[place] = slot
  }
  return {
    isKnown: (pair: Pair): boolean => !Number.isNaN(newestOf(pair)),
    /** Whether memory alone proves that this reading is not stored yet. */
    isSurelyNew: (reading: Reading): boolean =>
      reading.kind === 'scheduled' && reading.slot > newestOf(reading),
    /** Another process may have stored. */
    forget,
    /** No slot of this pair after this one is stored. */
    raise,
    /** A pair that memory forgot during its batch stays unknown: a newer slot may be stored. */
    remember: (reading: Reading): void => {
      const place = reading.kind === 'scheduled' ? at(reading) : null
      if (place !== null && reading.slot > (table[place] ?? Number.NaN)) table[place] = reading.slot
    },
  }
}

export type StoredSlots = ReturnType<typeof createStoredSlots>

/** Queries to ClickHouse, for what memory cannot answer. */
export type StoredQueries = {
  /** The newest stored slot of each reading's pair from the oldest of these slots on, by `pairOf`. */
  findNewest(readings: readonly Reading[]): Promise<Map<string, number>>
  /** Which of these readings are stored, by `readingId`. */
  findStored(readings: readonly Reading[]): Promise<Set<string>>
}

/**
 * Positions of readings that must not be inserted: repeated identities within the batch, and readings that
 * are stored already. The first reading of a slot is kept.
 */
export const twinPositions = async (
  readings: readonly Reading[],
  slotsOf: (reading: Reading) => StoredSlots,
  store: StoredQueries,
): Promise<Set<number>> => {
  await learn(readings, slotsOf, store)
  const seen = new Set<string>()
  const twins = new Set<number>()
  const doubtful = new Map<string, number>()
  for (const [position, reading] of readings.entries()) {
    const id = readingId(reading)
    if (seen.has(id)) {
      twins.add(position)
      continue
    }
    seen.add(id)
    if (!slotsOf(reading).isSurelyNew(reading)) doubtful.set(id, position)
  }
  if (doubtful.size === 0) return twins
  const asked = [...doubtful.values()].flatMap((position) => readings[position] ?? [])
  for (const id of await store.findStored(asked)) {
    const position = doubtful.get(id)
    if (position !== undefined) twins.add(position)
  }
  return twins
}

/** After a start memory is empty: one query about pairs replaces one about every reading. */
const learn = async (
  readings: readonly Reading[],
  slotsOf: (reading: Reading) => StoredSlots,
  store: StoredQueries,
): Promise<void> => {
  const unknown = readings.filter(
    (reading) => reading.kind === 'scheduled' && !slotsOf(reading).isKnown(reading),
  )
  if (unknown.length === 0) return
  const newest = await store.findNewest(unknown)
  const oldestAsked = unknown.reduce((oldest, { slot }) => Math.min(oldest, slot), Infinity)
  for (const reading of unknown) {
    slotsOf(reading).raise(reading, newest.get(pairOf(reading)) ?? oldestAsked - 1)
  }
}
