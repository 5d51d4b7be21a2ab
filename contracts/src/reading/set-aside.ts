const megabyte = 1024 * 1024
const dayMs = 86_400_000

/**
 * Retention of unreadable messages and readings. An owner is a region of the mesh, a private agent, or a kind of
 * messages without a sender. A purge deletes the oldest above the bounds once a minute. The limits per minute
 * and consuming loop bound the growth in between.
 */
export const poisonBounds = {
  owner: { rows: 10_000, bytes: 64 * megabyte },
  all: { rows: 100_000, bytes: 1024 * megabyte },
  ageMsMax: 7 * dayMs,
  ownerPerMinute: { rows: 1_000, bytes: 8 * megabyte },
  allPerMinute: { rows: 10_000, bytes: 64 * megabyte },
  /** Guaranteed to each owner after the total is used up. All floors together add at most the total again. */
  floorPerMinute: { rows: 10, bytes: 64 * 1024 },
} as const

/**
 * Retention of the outbox. Rows above the bounds, oldest first, and pending rows older than `ageMsMax` are
 * dropped and counted.
 */
export const outboxBounds = {
  ownerRows: 10_000,
  allRows: 1_000_000,
  ageMsMax: 7 * dayMs,
} as const

/** Retention of messages that were delivered or failed permanently. */
export const endedDeliveryBounds = { ownerRows: 10_000, allRows: 1_000_000 } as const
