const megabyte = 1024 * 1024
const dayMs = 86_400_000

/**
 * What is kept of messages and readings that could not be read. An owner is a region of the mesh, a private
 * agent, or a kind of messages that name nobody. The table keeps the newest within its bounds; a purge brings
 * it there once a minute, and the shares of a minute bound what comes between, at each loop that reads.
 */
export const poisonBounds = {
  owner: { rows: 10_000, bytes: 64 * megabyte },
  all: { rows: 100_000, bytes: 1024 * megabyte },
  ageMsMax: 7 * dayMs,
  ownerPerMinute: { rows: 1_000, bytes: 8 * megabyte },
  allPerMinute: { rows: 10_000, bytes: 64 * megabyte },
  /** Of an owner, where all together have had their share: all such together at most as much again. */
  floorPerMinute: { rows: 10, bytes: 64 * 1024 },
} as const

/**
 * What is kept of the outbox. Rows that were told stay for `toldAgeMsMax`, for a person to see; rows that
 * could not be told for `ageMsMax` are dropped and counted, like the oldest beyond the bounds.
 */
export const outboxBounds = {
  ownerRows: 10_000,
  allRows: 1_000_000,
  toldAgeMsMax: 7 * dayMs,
  ageMsMax: 7 * dayMs,
} as const

/** Messages that failed permanently, or were delivered: kept for a person to see. */
export const endedDeliveryBounds = { ownerRows: 10_000, allRows: 1_000_000 } as const
