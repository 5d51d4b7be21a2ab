import { insertReadings } from '../../readings/insert-readings.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { runningInsertsEnded } from '../../stores/clickhouse/running-inserts.ts'
import { countInRollup, rebuildRollup, rollupDifferences } from './rollups-query.ts'
import { newestStoredSlots, storedReadingIds, storedReadingPlaces } from './stored-readings-query.ts'

/** What ingest does in ClickHouse. */
export const readingTables = (clickhouse: ClickHouse) => ({
  isReplicated: clickhouse.isReplicated,
  insert: insertReadings.bind(null, clickhouse),
  insertsEnded: () => runningInsertsEnded(clickhouse),
  findStored: storedReadingIds.bind(null, clickhouse),
  findPlaces: storedReadingPlaces.bind(null, clickhouse),
  findNewest: newestStoredSlots.bind(null, clickhouse),
  findDifferences: rollupDifferences.bind(null, clickhouse),
  count: countInRollup.bind(null, clickhouse),
  rebuild: rebuildRollup.bind(null, clickhouse),
})

export type ReadingTables = ReturnType<typeof readingTables>
