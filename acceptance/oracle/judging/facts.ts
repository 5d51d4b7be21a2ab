import type { Answer, Script } from './script.ts'

/** All that the oracle knows after a run. Times are Unix milliseconds unless something else is said. */
export type Facts = {
  script: Script
  /** When the script began. */
  beganAt: number
  /** What is counted in slots: [fromMs, toMs), whole minutes in which every check was measured. */
  span: { fromMs: number; toMs: number }
  faults: readonly Fault[]
  requests: readonly Request[]
  /** The id of each check, by its name. */
  checkIds: ReadonlyMap<string, string>
  /** Of which checks each webhook is told, by name; null: of all. */
  hooks: ReadonlyMap<string, ReadonlySet<string> | null>
  /** What came at the webhooks, in order. */
  posts: readonly Post[]
  /** The ids of the readings that each agent journalled, by the agent's name. */
  journals: ReadonlyMap<string, ReadonlySet<string>>
  readings: readonly StoredReading[]
  revisions: readonly Revision[]
  flips: readonly Flip[]
  series: ReadonlyMap<string, SlotCounts>
  /** Readings that the API lists of some checks, all pages. */
  listed: ReadonlyMap<string, number>
  /** What the API and the gateway say of some checks. */
  said: readonly { check: string; api: string; gateway: string }[]
}

/** Something that was done to the mesh. */
export type Fault = {
  what: string
  /** Of agents that were killed or stood still; null where no agent was hit. */
  region: string | null
  fromMs: number
  /** When it was healed. */
  toMs: number
}

/** A request as the target journalled it, by its own clock. */
export type Request = { at: number; check: string; answer: Answer }

/** A message as the receiver journalled it. */
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

export type Verdict = 'up' | 'down' | 'blocked' | 'unmeasured'

export type StoredReading = {
  check: string
  checkId: string
  region: string
  slot: number
  kind: 'scheduled' | 'confirmation' | 'manual'
  number: number
  verdict: Verdict
  attempts: number
  /** Of the last attempt; null where the probe was held up, and does not say. */
  latencyMs: number | null
  measuredAt: number
  receivedAt: number
}

/** How a check is measured: from `fromMs` until `toMs`, or until now. */
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

/** One line of the table. `wrong`: how many things differ; a figure has none. */
export type Finding = {
  what: string
  oracle: string
  product: string
  wrong: number
  /** Some of what is wrong. */
  examples: readonly string[]
}

const examplesMax = 5

/** A line whose wrong things are listed. */
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
