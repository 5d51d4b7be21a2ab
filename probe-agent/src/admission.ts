import type { Logger } from '@probe-mesh/bus/logger'
import type { Admission, Refusal } from '@probe-mesh/bus/refusal'

/**
 * A server that refuses an agent before the first admission may still be starting: retry for this
 * long, ms.
 */
export const neverAdmittedMsMax = 5_000
/**
 * After an unexplained refusal an admitted agent keeps measuring for this long, ms: the server may
 * be wrong.
 */
export const unexplainedMsMax = 3_600_000
const logAgainMs = 600_000

/**
 * Exit codes for supervisors. A restart alone fixes neither: `notLetIn` needs new credentials,
 * `misfit` other settings.
 */
export const exitCodes = { notAdmitted: 77, misfit: 78 } as const

/** Why an agent stops, in one line, and its exit code. */
export type Ending = { text: string; code: number }

type Refused = { refusal: Refusal; sinceMs: number }

/**
 * Whether a refusal is final (S-2811).
 * @param nowMs and `sinceMs` are monotonic
 */
export const endingOf = (
  { refusal, sinceMs }: Refused,
  { wasAdmitted, nowMs }: { wasAdmitted: boolean; nowMs: number },
): Ending | null => {
  const { how, text } = refusal
  if (how === 'misfit') return { text, code: exitCodes.misfit }
  // an account may be resumed, and the other installation may stop
  if (how === 'suspended' || how === 'held') return null
  const patienceMs = how !== 'refused' ? 0 : wasAdmitted ? unexplainedMsMax : neverAdmittedMsMax
  return nowMs - sinceMs >= patienceMs ? { text, code: exitCodes.notAdmitted } : null
}

export type AgentAdmission = Admission & {
  /** Admitted, and not refused since. */
  isAdmitted(): boolean
  /** The current problem; null: none is known. */
  problem(): string | null
  /** Resolves when the agent is admitted, the mesh is unreachable, or the refusal is final. */
  settled: Promise<void>
  ended: Promise<Ending>
  /** Why the agent stops; null while it runs. */
  ending(): Ending | null
}

/** Tracks whether the mesh admits this agent, and decides when to stop retrying. */
export const createAgentAdmission = ({
  log,
  nowMs = () => performance.now(),
}: {
  log: Logger
  /** Monotonic ms */
  nowMs?: () => number
}): AgentAdmission => {
  const settled = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<Ending>()
  let wasAdmitted = false
  let refused: Refused | null = null
  let loggedAtMs = Number.NEGATIVE_INFINITY
  let ending: Ending | null = null
  return {
    onRefused: (refusal) => {
      refused = { refusal, sinceMs: refused?.sinceMs ?? nowMs() }
      ending ??= endingOf(refused, { wasAdmitted, nowMs: nowMs() })
      if (ending !== null) {
        settled.resolve()
        ended.resolve(ending)
      } else if (nowMs() - loggedAtMs >= logAgainMs) {
        loggedAtMs = nowMs()
        log.error({ how: refusal.how }, `${refusal.text}; retrying with growing pauses`)
      }
      if (refusal.how === 'suspended') settled.resolve()
    },
    onLetIn: () => {
      wasAdmitted = true
      refused = null
      loggedAtMs = Number.NEGATIVE_INFINITY
      settled.resolve()
    },
    onAway: () => settled.resolve(),
    isAdmitted: () => wasAdmitted && refused === null,
    problem: () => refused?.refusal.text ?? null,
    settled: settled.promise,
    ended: ended.promise,
    ending: () => ending,
  }
}
