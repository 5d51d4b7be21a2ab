import type { Logger } from '@probe-mesh/bus/logger'
import type { Admission, Refusal } from '@probe-mesh/bus/refusal'

/** A server that refuses one that was never let in is asked again for so long, ms: it may be starting. */
export const neverLetInMsMax = 5_000
/** One that was let in, and is refused without a reason, measures on for so long, ms: the server may be wrong. */
export const unexplainedMsMax = 3_600_000
const sayAgainMs = 600_000

/**
 * What supervisors go by. Neither is helped by a restart alone: `notLetIn` needs new credentials, `misfit` a
 * change of what the agent was told.
 */
export const exitCodes = { notLetIn: 77, misfit: 78 } as const

/** Why an agent ends, in one line, and with which code. */
export type Ending = { text: string; code: number }

type Refused = { refusal: Refusal; sinceMs: number }

/** Whether a refusal is the end (S-2811). Pure. @param nowMs and `sinceMs` are monotonic */
export const endingOf = (
  { refusal, sinceMs }: Refused,
  { wasLetIn, nowMs }: { wasLetIn: boolean; nowMs: number },
): Ending | null => {
  const { how, text } = refusal
  if (how === 'misfit') return { text, code: exitCodes.misfit }
  // an account may be resumed, another installation stopped
  if (how === 'suspended' || how === 'held') return null
  const patienceMs = how !== 'refused' ? 0 : wasLetIn ? unexplainedMsMax : neverLetInMsMax
  return nowMs - sinceMs >= patienceMs ? { text, code: exitCodes.notLetIn } : null
}

export type AgentAdmission = Admission & {
  /** Whether it was let in, and was not refused since. */
  isIn(): boolean
  /** What is wrong now; null: nothing is known of. */
  problem(): string | null
  /** Resolves once it is let in, nobody answers, or it is over. */
  settled: Promise<void>
  ended: Promise<Ending>
  /** Why it is over; null while it is not. */
  ending(): Ending | null
}

/** Follows whether the mesh lets this agent in, and decides when it is of no use to try on. */
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
  let wasLetIn = false
  let refused: Refused | null = null
  let saidAtMs = Number.NEGATIVE_INFINITY
  let ending: Ending | null = null
  return {
    onRefused: (refusal) => {
      refused = { refusal, sinceMs: refused?.sinceMs ?? nowMs() }
      ending ??= endingOf(refused, { wasLetIn, nowMs: nowMs() })
      if (ending !== null) {
        settled.resolve()
        ended.resolve(ending)
      } else if (nowMs() - saidAtMs >= sayAgainMs) {
        saidAtMs = nowMs()
        log.error({ how: refusal.how }, `${refusal.text}; it is tried again, ever more rarely`)
      }
      if (refusal.how === 'suspended') settled.resolve()
    },
    onLetIn: () => {
      wasLetIn = true
      refused = null
      saidAtMs = Number.NEGATIVE_INFINITY
      settled.resolve()
    },
    onAway: () => settled.resolve(),
    isIn: () => wasLetIn && refused === null,
    problem: () => refused?.refusal.text ?? null,
    settled: settled.promise,
    ended: ended.promise,
    ending: () => ending,
  }
}
