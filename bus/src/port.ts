import type { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import type { Assignment, RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'

/**
 * The port between control planes and agents. The in-process and the NATS adapter behave alike, as one
 * contract suite (`contract-suite.ts`) requires. Payloads are copied, so no two sides share a reference.
 */
export type Bus = {
  readonly assignments: Assignments
  readonly readings: Readings
  readonly errors: Errors
  readonly persisted: Persisted
  readonly runs: Runs
  readonly presence: Presence
  readonly events: Events
  /** Absent: the bus manages its consumers itself. */
  readonly consumers?: ConsumerCare
  readonly clock: Clock
  /** Calls back when the bus is available again, perhaps with data lost. */
  onReturn(listener: () => void): Subscription
  close(): Promise<void>
}

/** The consumers of the streams. A stream drops messages that no consumer waits for. */
export type ConsumerCare = {
  /** Whether all consumers of this version exist. */
  areOursThere(): Promise<boolean>
  declareOurs(): Promise<void>
}

/** Ends a watch, a service or an announcement. After it resolves, its handler is not called again. */
export type Subscription = { close(): Promise<void> }

/** An assignment as far as a control plane compares it with what it should be. */
export type HeldAssignment = {
  checkId: string
  revision: number
  /** Absent: of an older control plane. */
  phaseMs?: number | undefined
  sealed?: string | undefined
}

export const heldOf = (assignment: Assignment): HeldAssignment => ({
  checkId: assignment.checkId,
  revision: assignment.revision,
  ...(assignment.phaseMs !== undefined && { phaseMs: assignment.phaseMs }),
  ...('sealed' in assignment && assignment.sealed !== undefined && { sealed: assignment.sealed }),
})

/** One key-value bucket per region: the key is the check id, and a removed key stops the check. */
export type Assignments = {
  put(assignment: Assignment): Promise<void>
  remove(region: Region, checkId: string): Promise<void>
  /** What the region has now, for the control plane to reconcile. Repeated, it costs little where nothing changed. */
  held(region: Region): Promise<HeldAssignment[]>
  /** Current values first, then `onCurrent` once, then changes in order, each key's last value last. */
  watch(
    region: Region,
    handler: {
      onPut(assignment: Assignment): void
      onRemove(checkId: string): void
      onCurrent(): void
    },
  ): Promise<Subscription>
}

/** A message of a consumer. `sequence` rises within its partition, with gaps on some buses. */
export type StreamMessage = {
  readonly partition: number
  readonly sequence: number
  readonly data: Uint8Array
  /** When the stream stored it, Unix ms. */
  readonly storedAt: number
  /**
   * The region whose credentials published it. Absent when the bus does not know it, as within one process,
   * where every publisher is trusted.
   */
  readonly region?: Region
}

/** What a consumer has not acknowledged yet. */
export type ConsumerLag = { readonly messages: number; readonly bytes: number }

/** A stream in partitions, kept until every consumer has acknowledged. */
export type PartitionedStream<Addressed, Name extends string> = {
  /**
   * Resolves when the stream has stored the message. The same `messageId` within the deduplication window is
   * stored once and resolves with `duplicate: true`. The window only saves work and may be lost on a restart:
   * readers must expect the same message twice.
   * @throws BusUnavailable when the stream cannot store it now; the publisher retries
   */
  publish(
    message: { partition: number; messageId: string; data: Uint8Array } & Addressed,
  ): Promise<{ sequence: number; duplicate: boolean }>
  /** A durable consumer of one partition; each consumer name receives every message. */
  consume(partition: number, name: Name): Promise<StreamConsumer>
  /** The messages of [first, last] that the stream still has, to repeat a batch exactly. */
  replay(partition: number, first: number, last: number): Promise<StreamMessage[]>
}

export type ConsumerName = 'ingest' | 'assess'
export type ErrorsConsumerName = 'persist'

/** Measurements of agents, by check id. */
export type Readings = PartitionedStream<{ region: Region }, ConsumerName>

/** Error events between their acceptance and the databases, by project id; `limits.errorPartitions`. */
export type Errors = PartitionedStream<unknown, ErrorsConsumerName>

export type StreamConsumer = {
  /**
   * The next messages in order, waiting up to `waitMs` for the first. Returns at least one message, even if
   * it alone is larger than `bytesMax`. Resolves empty after the wait or on abort.
   * @throws BusUnavailable while the bus is unavailable; nothing is lost, retry
   */
  fetch(bounds: {
    messagesMax: number
    bytesMax: number
    waitMs: number
    signal: AbortSignal
  }): Promise<StreamMessage[]>
  /**
   * Acknowledges everything up to and including `sequence`. It is not delivered again, except that a crash
   * right after may deliver some of it once more.
   */
  acknowledge(sequence: number): Promise<void>
  lag(): Promise<ConsumerLag>
  /** Unacknowledged messages are delivered again to the next consumer. */
  close(): Promise<void>
}

/** Marks which batches of an agent are stored, so that its spool can delete them. */
export type Persisted = {
  /** Marks every batch of this agent and partition up to and including `batch` as stored. */
  mark(region: Region, agent: string, partition: number, batch: number): Promise<void>
  /** The last mark of this agent and partition; null when none is known. */
  get(region: Region, agent: string, partition: number): Promise<number | null>
  /** The last mark of every partition first, then each new one. */
  watch(
    region: Region,
    agent: string,
    onMark: (partition: number, batch: number) => void,
  ): Promise<Subscription>
}

/** The reply to a run: the reading, or why this agent could not measure. */
export type RunReply = { agent: string } & ({ reading: Reading } | { error: string })

/** Request-reply per region; each request reaches one agent of the region. */
export type Runs = {
  /** A handler that throws sends no reply: the request times out. */
  serve(region: Region, handler: (request: RunRequest) => Promise<RunReply>): Promise<Subscription>
  /** `no_agent` at once when no agent serves the region; `timeout` after `timeoutMs`. */
  request(region: Region, request: RunRequest, timeoutMs: number): Promise<RunReply | 'no_agent' | 'timeout'>
}

/** Settings of an agent that must match those of the control planes. */
export type AgentSettings = {
  /** The mark of its REGION_KEY (`markOfRegionKey`); null: it has none. */
  regionKey?: string | null
  /** The networks of its TARGET_ALLOW. */
  targetAllow?: readonly string[] | null
}

/** An agent that waits because another installation runs under its name. */
export type WaitingAgent = { agent: string; region: Region; instance: string }

/** The announcement of an agent, which expires when it is not renewed within the TTL. */
export type AgentPresence = {
  agent: string
  region: Region
  version: string
  startedAt: number
  /** Whether it runs browser checks; absent: an older agent, which does not. */
  chromium?: boolean | null
  /** Whether it measures at the phase of the assignment; absent: an older agent, which does not. */
  takesPhase?: boolean | null
  /** Configured source addresses and CIDRs of its requests; absent or empty: not configured. */
  addresses?: readonly string[] | null
  /** Which installation it is, and after an @ its host; absent: an older agent. */
  instance?: string | null
  /** The name that its credentials were issued to, if different. */
  enrolledAs?: string | null
  /** Settings that must match those of the control planes; absent: an older agent. */
  settings?: AgentSettings | null
  /** Its last report; absent: an older agent. */
  report?: AgentReport | null
}

/** `revision` changes with every renewal: when it stops changing, the agent is offline. */
export type AnnouncedAgent = AgentPresence & { revision: number }

export type Presence = {
  /**
   * Announces until closed; closing withdraws at once. A later announcement under the same name takes the
   * name over: the earlier one ends, and its `onSuperseded` is called once.
   * @param report called at each announcement, must return at once; if it throws, the report is left out
   */
  announce(
    presence: AgentPresence,
    onSuperseded?: () => void,
    report?: () => AgentReport,
  ): Promise<Subscription>
  list(region: Region): Promise<AnnouncedAgent[]>
  /** Tells operators that an agent waits; expires like an announcement. Absent: the bus cannot tell. */
  tellWaiting?(waiting: WaitingAgent): Promise<void>
}

/** The difference between an agent's clock and the control planes'. */
export type ClockSample = {
  /** How far it is ahead, ms; negative: behind. */
  aheadMs: number
  /** The uncertainty in both directions, ms. */
  errorMs: number
  /** Whether the control plane and the bus agree on the time: if not, it is unknown whose clock is wrong. */
  isAgreed: boolean
}

/** The time of the mesh. */
export type Clock = {
  /** Publishes a control plane's time for the agents of a region. */
  tell(region: Region, now: () => number): Promise<void>
  /** null: unknown for now, as with an older control plane, which publishes no time. */
  read(region: Region, agent: string, now: () => number): Promise<ClockSample | null>
}

/**
 * Without replay, for live pages and streams. `publish` is at most once; an event that must reach the
 * subscribers is written to the outbox in Postgres, and `deliver` takes it from there.
 */
export type Events = {
  publish(kind: string, payload: unknown): void
  /**
   * Publishes in order, and resolves when the server has all of them: whoever is subscribed gets them.
   * @throws BusUnavailable any of them may be lost; publish them again
   */
  deliver(events: readonly { kind: string; payload: unknown }[]): Promise<void>
  subscribe(kind: string, handler: (payload: unknown) => void): Promise<Subscription>
}

/** The bus is temporarily unavailable; the operation may be retried. */
export class BusUnavailable extends Error {
  override readonly name = 'BusUnavailable'
  /** How long the other side asks to wait before a retry, ms; 0: it does not ask. */
  readonly waitMs: number
  constructor(message?: string, options: ErrorOptions & { waitMs?: number } = {}) {
    super(message, options)
    this.waitMs = options.waitMs ?? 0
  }
}
