import { sourceMapLimits } from './contracts/source-map.ts'
import type { ClickHouse } from '@probe-mesh/control-plane/src/stores/clickhouse/connect'
import type { Sql } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import { pruneSpikes } from './alert/error-spikes-store.ts'
import { purgeOccurrences } from './issues/occurrences-query.ts'
import {
  findUnpurgedProjects,
  markProjectsPurged,
  pruneErrorEventIds,
} from './projects/error-projects-store.ts'
import { deleteUnusedMaps, purgeSourceMaps } from './source-maps/error-source-maps-store.ts'
import { pruneChunks } from './source-maps/error-upload-chunks-store.ts'

const projectsPerPurge = 200
const rowsPerPurge = 1_000
/** The same as for occurrences. */
const spikeAgeMsMax = 90 * 86_400_000
/** How long the id of an event is remembered, to recognise a repeated one. */
const eventIdAgeMsMax = 30 * 86_400_000
const unusedMapMsMax = sourceMapLimits.unusedDaysMax * 86_400_000
/** Longer than a batch that found the map may take to be written. */
const deletedMapMsMin = 600_000
/** Few, because each may have several megabytes. */
const mapsPerPurge = 200

/**
 * Deletes what is kept no longer, also while error tracking is off: what was promised of stored data holds.
 * @param stores.delayMs how long after the deletion of a project its events may still be stored, ms
 */
export const createErrorPurge = ({
  sql,
  clickhouse,
  delayMs,
}: {
  sql: Sql
  clickhouse: ClickHouse
  delayMs: number
}) => ({
  /** Deletes the events of deleted projects. */
  projects: async (nowMs: number): Promise<void> => {
    const projectIds = await findUnpurgedProjects(sql, nowMs - delayMs, projectsPerPurge)
    if (projectIds.length === 0) return
    await purgeOccurrences(clickhouse, projectIds)
    await markProjectsPurged(sql, projectIds, nowMs)
  },
  /** Deletes expired rows. @returns whether there may be more */
  expired: async (nowMs: number): Promise<boolean> => {
    const ids = await pruneErrorEventIds(sql, nowMs - eventIdAgeMsMax, rowsPerPurge)
    const spikes = await pruneSpikes(sql, nowMs - spikeAgeMsMax, rowsPerPurge)
    await deleteUnusedMaps(sql, nowMs - unusedMapMsMax, nowMs, rowsPerPurge)
    const maps = await purgeSourceMaps(sql, nowMs - deletedMapMsMin, mapsPerPurge)
    const chunks = await pruneChunks(sql, nowMs - sourceMapLimits.chunkAgeMsMax, mapsPerPurge)
    return Math.max(ids, spikes) >= rowsPerPurge || Math.max(maps, chunks) >= mapsPerPurge
  },
})
