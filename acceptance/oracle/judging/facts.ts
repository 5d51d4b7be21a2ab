import type { Answer, Script } from './script.ts'

/** All facts of the oracle after a run. Times are Unix milliseconds by default. */
export type Facts = {
  script: Script
  /** The start of the script. */
  beganAt: number
  /** The period of counted slots: [fromMs, toMs), whole minutes in which every check was measured. */
  span: { fromMs: number; toMs: number }
  faults: readonly Fault[]
  requests: readonly Request[]
  /** The id of each check, by its name. */
  checkIds: ReadonlyMap<string, string>
  /** The checks of each webhook, by name; null: all. */
  hooks: ReadonlyMap<string, ReadonlySet<string> | null>
  /** The messages at the webhooks, in order. */
  posts: readonly Post[]
  /** The ids of the readings that each agent journalled, by the agent's name. */
  journals: ReadonlyMap<string, ReadonlySet<string>>
  readings: readonly StoredReading[]
  revisions: readonly Revision[]
  flips: readonly Flip[]
  series: ReadonlyMap<string, SlotCounts>
  /** The number of readings that the API lists for some checks, over all pages. */
  listed: ReadonlyMap<string, number>
  /** The status of some checks, by the API and the gateway. */
  statuses: readonly { check: string; api: string; gateway: string }[]
}

/** A fault of the mesh. */
export type Fault = {
  what: string
  /** The region of killed or frozen agents; null: no agent was affected. */
  region: string | null
  fromMs: number
  /** The end of the fault. */
  toMs: number
}

/** A request in the target's journal, by its own clock. */
export type Request = { at: number; check: string; answer: Answer }

/** A message in the receiver's journal. */
export type Post = {
  at: number
  hook: string
  id: string
  /** `ok`: it was answered 200. */
  answered: 'ok' | '503' | 'drop'
  type: string
  alertKey: string
  text: string
}

type Verdict = 'up' | 'down' | 'blocked' | 'unmeasured'

export type StoredReading = {
  check: string
  checkId: string
  region: string
  slot: number
  kind: 'scheduled' | 'confirmation' | 'manual'
  number: number
  verdict: Verdict
  attempts: number
  /** The latency of the last attempt; null: the probe was delayed. */
  latencyMs: number | null
  measuredAt: number
  receivedAt: number
}

/** The settings of a check from `fromMs` until `toMs`; null: still valid. */
export type Revision = {
  check: string
  regions: readonly string[]
  intervalMs: number
  paused: boolean
  fromMs: number
  toMs: number | null
}

export type Flip = { id: string; check: string; version: number; to: string; at: number }

export type SlotCounts = Record<'due' | 'measured' | 'lost' | Verdict, number>

/** One line of the table. `wrong`: the number of differences; 0 for a mere figure. */
export type Finding = {
  what: string
  oracle: string
  product: string
  wrong: number
  /** Some of the differences. */
  examples: readonly string[]
}

const examplesMax = 5

/** Creates a line with its differences. */
export const finding = (
  what: string,
  oracle: string | number,
  product: string | number,
  wrong: readonly string[] = [],
): Finding => ({
  what,
  oracle: String(oracle),
  product: String(product),
  wrong: wrong.length,
  examples: wrong.slice(0, examplesMax),
})

export const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 23)
