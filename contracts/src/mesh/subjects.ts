import { isPrivateRegion } from '../reading/private-region.ts'
import type { Region } from '../reading/regions.ts'
import { limits } from '../schema/limits.ts'
import { hash32 } from '../reading/slots.ts'

/** Names on NATS and on the in-process bus (S-2802, S-2803). */
export const subjects = {
  assignments: (region: Region) => `assignments_${region}`,
  presence: (region: Region) => `agents_${region}`,
  run: (region: Region) => `mesh.run.${region}`,
  readings: (partition: number, region: Region) => `mesh.readings.${partition}.${region}`,
  readingsStream: 'READINGS',
  errors: (partition: number | '*') => `mesh.errors.${partition}`,
  errorsStream: 'ERRORS',
  // one bucket for all private agents, keyed by agent, since each bucket costs a stream
  persisted: (region: Region) => `persisted_${isPrivateRegion(region) ? 'private' : region}`,
  events: (kind: string) => `mesh.events.${kind}`,
} as const

/**
 * Agents announce their presence every `announceMs`. An entry expires after `ttlMs`, up to 2x late. For a faster
 * decision, an agent counts as offline after `silentMs` without an announcement.
 */
export const presence = { announceMs: 2_000, silentMs: 7_000, ttlMs: 15_000 } as const

/** How often agents announce themselves, and after what silence they are replaced and forgotten; shorter in tests. */
export type PresencePace = { readonly [K in keyof typeof presence]: number }

/** The partition of a check's readings, in [0, 16). One assessor handles all readings of a check. */
export const partitionOf = (checkId: string): number => hash32(checkId) % limits.partitions

/** The partition of a project's error events, in [0, 4). One persister stores all events of a project. */
export const errorPartitionOf = (projectId: string): number => hash32(projectId) % limits.errorPartitions

export const partitions: readonly number[] = Array.from({ length: limits.partitions }, (_, n) => n)

export const errorPartitions: readonly number[] = partitions.slice(0, limits.errorPartitions)
