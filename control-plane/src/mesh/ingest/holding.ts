import type { StreamConsumer } from '@probe-mesh/bus/port'
import type { Lease } from '../../stores/leases/leases-store.ts'
import type { StoredSlots } from './stored-slots.ts'

/**
 * A partition while ingest has it. What is remembered of its stored slots is true only as long as
 * nobody else stores: it goes with the lease.
 */
export type Holding = {
  readonly lease: Lease
  readonly consumer: StreamConsumer
  readonly slots: StoredSlots
  /** By agent: up to which of its batches everything of this partition is stored. */
  readonly marks: Map<string, number>
  /** Aborted when the partition is left. */
  readonly signal: AbortSignal
}

/** A message, and the holding that fetched it. */
export type Fetched<M> = { readonly holding: Holding; readonly message: M }
