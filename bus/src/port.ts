import type { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import type { Assignment, RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'

/**
 * How the control plane and the agents meet. Two adapters (in-process, NATS) behave alike, and
 * one contract suite (`contract-suite.ts`) says how. Payloads are copied: nobody shares a reference.
 */
export type Bus = {
  readonly assignments: Assignments
  readonly readings: Readings
  readonly errors: Errors
  readonly persisted: Persisted
  readonly runs: Runs
  readonly presence: Presence
  readonly events: Events
  /** Absent: the bus keeps its consumers itself. */
  readonly consumers?: ConsumerCare
  readonly clock: Clock
  /** Calls back whenever the bus was away and is back, perhaps with less than it held. */
  onReturn(listener: () => void): Subscription
  close(): Promise<void>
}

/** Which consumers the streams have. A stream drops what no consumer waits for. */
export type ConsumerCare = {
  /** Whether there are as many as this version reads by. */
  areOursThere(): Promise<boolean>
  declareOurs(): Promise<void>
  /**
   * Whether there are those by which an earlier version reads. Messages wait for them too, so they are removed once no
   * control plane of that version has a partition.
   */
  areFormerThere(): Promise<boolean>
  removeFormer(): Promise<void>
}

/** Ends a watch, a service or an announcement. After it resolves, its handler is not called again. */
export type Subscription = { close(): Promise<void> }

/** One key-value bucket per region: key = check id, a removed key means stop. */
export type Assignments = {
  put(assignment: Assignment): Promise<void>
  remove(region: Region, checkId: string): Promise<void>
  /** What the bucket holds now: how the control plane reconciles it. */
  list(region: Region): Promise<Assignment[]>
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

/** A message as a consumer sees it. `sequence` rises within its partition, with gaps on some buses. */
export type StreamMessage = {
  readonly partition: number
  readonly sequence: number
  readonly data: Uint8Array
  /** When the stream took it, Unix ms. */
  readonly storedAt: number
  /**
   * The region whose credentials published it. Absent where the bus cannot tell, as within one process,
   * where every publisher is trusted.
   */
  readonly region?: Region
}

/** How far a consumer is behind: what it has not acknowledged, and the bytes of that. */
type ConsumerLag = { readonly messages: number; readonly bytes: number }

/** A stream in partitions, kept until every consumer has acknowledged. */
export type PartitionedStream<Addressed, Name extends string> = {
  /**
   * Resolves when the stream holds the message durably. The same `messageId` within the
   * deduplication window is held once and resolves with `duplicate: true`. The window only saves
   * work and may be forgotten by a restart: readers meet the same message twice and must expect it.
   * @throws BusUnavailable when the stream cannot take it now; the publisher tries again
   */
  publish(
    message: { partition: number; messageId: string; data: Uint8Array } & Addressed,
  ): Promise<{ sequence: number; duplicate: boolean }>
  /** A durable consumer of one partition; two consumers of different names see every message each. */
  consume(partition: number, name: Name): Promise<StreamConsumer>
  /** Exactly the messages of [first, last] that the stream still holds: how a batch is repeated. */
  replay(partition: number, first: number, last: number): Promise<StreamMessage[]>
}

export type ConsumerName = 'ingest' | 'assess'
export type ErrorsConsumerName = 'persist'

/** What agents measured, by check id. */
export type Readings = PartitionedStream<{ region: Region }, ConsumerName>

/** Error events between their acceptance and the stores, by project id; `limits.errorPartitions`. */
export type Errors = PartitionedStream<unknown, ErrorsConsumerName>

export type StreamConsumer = {
  /**
   * The next messages in order, waiting up to `waitMs` for the first. At least one message comes
   * even where it alone is larger than `bytesMax`. Resolves empty at the end of the wait or on abort.
   * @throws BusUnavailable while the bus is away; nothing is lost, ask again
   */
  fetch(bounds: {
    messagesMax: number
    bytesMax: number
    waitMs: number
    signal: AbortSignal
  }): Promise<StreamMessage[]>
  /**
   * Everything up to and including `sequence` is done with. It is never delivered again, except
   * that a crash right after may deliver some of it once more.
   */
  acknowledge(sequence: number): Promise<void>
  lag(): Promise<ConsumerLag>
  /** Unacknowledged messages are delivered again to whoever consumes next. */
  close(): Promise<void>
}

/** Tells an agent which of its batches are stored, so that its spool can let go of them. */
export type Persisted = {
  /** Every batch of this agent and partition up to and including `batch` is stored. */
  mark(region: Region, agent: string, partition: number, batch: number): Promise<void>
  /** The last mark of this agent and partition; null where none is known. */
  get(region: Region, agent: string, partition: number): Promise<number | null>
  /** The last mark of every partition first, then each new one. */
  watch(
    region: Region,
    agent: string,
    onMark: (partition: number, batch: number) => void,
  ): Promise<Subscription>
}

/** The answer to a run: the reading, or why this agent could not take it. */
export type RunReply = { agent: string } & ({ reading: Reading } | { error: string })

/** Request-reply per region; each request reaches one agent of the region. */
export type Runs = {
  /** A handler that throws sends no reply: who asked meets its timeout. */
  serve(region: Region, handler: (request: RunRequest) => Promise<RunReply>): Promise<Subscription>
  /** `no_agent` at once when nobody serves the region; `timeout` after `timeoutMs`. */
  request(
    region: Region,
    request: RunRequest,
    timeoutMs: number,
  ): Promise<RunReply | 'no_agent' | 'timeout'>
}

/** What an agent says of itself; forgotten when it stops saying so for the TTL. */
export type AgentPresence = {
  agent: string
  region: Region
  version: string
  startedAt: number
  /** Whether it runs browser checks; absent where the agent is older than this field: it does not. */
  chromium?: boolean | null
  /** Whether it measures at the phase that an assignment gives; absent where it is older than this field: it does not. */
  takesPhase?: boolean | null
  /**
   * Addresses and CIDRs that its requests come from, as it was told them; absent or empty: nobody
   * told it.
   */
  addresses?: readonly string[] | null
  /** Which installation it is, and after an @ its host; absent where it is older than this field. */
  instance?: string | null
  /** The name that its credentials were issued to, where that is another one. */
  enrolledAs?: string | null
  /** How it stood when it said so last; absent where the agent is older than this field. */
  report?: AgentReport | null
}

/** `revision` changes with every renewal: one that stands still for long is of an agent that is gone. */
export type AnnouncedAgent = AgentPresence & { revision: number }

export type Presence = {
  /**
   * Announces until closed; closing withdraws at once. A later announcement under the same name
   * takes the name over: the earlier one ends, and is told so once.
   * @param report asked at each announcement, which it must not hold up; one that throws tells nothing
   */
  announce(
    presence: AgentPresence,
    onSuperseded?: () => void,
    report?: () => AgentReport,
  ): Promise<Subscription>
  list(region: Region): Promise<AnnouncedAgent[]>
}

/** How far an agent's clock is from the control planes'. */
export type ClockSample = {
  /** Ahead of theirs, or behind where below 0, ms. */
  aheadMs: number
  /** It may be more or less by so much. */
  errorMs: number
  /** Whether the control plane and the bus agree on what time it is: else nobody knows whose clock is wrong. */
  isAgreed: boolean
}

/** What time it is in the mesh. */
export type Clock = {
  /** A control plane says what time it is, for the agents of a region. */
  tell(region: Region, now: () => number): Promise<void>
  /** null: it cannot be known now, as where an older control plane says nothing. */
  read(region: Region, agent: string, now: () => number): Promise<ClockSample | null>
}

/** At most once, no replay: live pages and streams. What must not be missed goes through Postgres. */
export type Events = {
  publish(kind: string, payload: unknown): void
  subscribe(kind: string, handler: (payload: unknown) => void): Promise<Subscription>
}

/** The bus cannot take or give anything now; what was asked may be asked again. */
export class BusUnavailable extends Error {
  override readonly name = 'BusUnavailable'
  /** How long the other side asks to wait before the next try, ms; 0 where it asks nothing. */
  readonly waitMs: number
  constructor(message?: string, options: ErrorOptions & { waitMs?: number } = {}) {
    super(message, options)
    this.waitMs = options.waitMs ?? 0
  }
}
