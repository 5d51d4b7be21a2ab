import type { ApiAnswer } from '@probe-mesh/contracts/api/client'
import type { Write } from '../plan/writes.ts'
import type { ApplyCapabilities } from './capabilities.ts'
import { againMs, isLostConnection, patienceMs, retryAfterSecondsOf, tryingAgain } from './repeatable.ts'

/** How often a repeated call polls for the first one, which takes at most 15 s. */
const inFlightAsksMax = 20
const inFlightWaitSecondsMax = 5
/** A refused write may have to wait for a later window than the next. */
const limitWaitsMax = 10
const limitWaitSecondsMax = 300

/** The answer, or the interrupt that ended the wait for one. `isSent`: the write may have been applied. */
type Sent = { kind: 'answered'; answer: ApiAnswer<unknown> } | { kind: 'interrupted'; isSent: boolean }

/**
 * One write. It waits for the rate limit as long as `Retry-After` says, and while the API restarts, up to
 * `patienceMs`. A repeated POST is recognized by its `Idempotency-Key`, a PATCH sets the same values again, and "not
 * found" for a repeated DELETE means that the first one was applied.
 * @throws what the call throws if the connection was not lost, or the API did not come back
 */
export const sendWrite = async (
  capabilities: Omit<ApplyCapabilities, 'budget'>,
  write: Write,
): Promise<Sent> => {
  const { now, report } = capabilities
  let sinceMs: number | null = null
  let [limitWaits, inFlightAsks] = [0, 0]
  /** @returns whether the API may still come back */
  const isPatient = (): boolean => {
    if (sinceMs === null) report(tryingAgain)
    sinceMs ??= now()
    return now() - sinceMs < patienceMs
  }
  for (;;) {
    const answer = await call(capabilities, write).catch((error: unknown) => {
      if (!isLostConnection(error) || !isPatient()) throw error
      return null
    })
    if (answer === null) {
      if (!(await waited(capabilities, againMs))) return { kind: 'interrupted', isSent: true }
      continue
    }
    if (answer.ok) return { kind: 'answered', answer }
    const { headers, problem } = answer
    const seconds = retryAfterSecondsOf(headers)
    if (problem.status === 429 && seconds !== null && seconds <= limitWaitSecondsMax) {
      if (limitWaits++ === limitWaitsMax) return { kind: 'answered', answer }
      report(`The rate limit is reached (${problem.code}): waiting ${seconds} s.`)
      if (!(await waited(capabilities, seconds * 1000))) return { kind: 'interrupted', isSent: false }
      continue
    }
    if (problem.code === 'SV-9002' && isPatient()) {
      if (!(await waited(capabilities, againMs))) return { kind: 'interrupted', isSent: true }
      continue
    }
    if (sinceMs === null) return { kind: 'answered', answer }
    if (write.route === 'deleteCheck' && problem.code === 'SV-3001') {
      const value = { id: write.input.params.id, deleted: true }
      return { kind: 'answered', answer: { ok: true, value, headers } }
    }
    // the first request is still in progress: its answer is returned to the repeated one
    const isInFlight = problem.code === 'SV-3002' && seconds !== null
    if (!isInFlight || inFlightAsks++ === inFlightAsksMax) return { kind: 'answered', answer }
    const waitMs = Math.min(seconds, inFlightWaitSecondsMax) * 1000
    if (!(await waited(capabilities, waitMs))) return { kind: 'interrupted', isSent: true }
  }
}

/** @returns false if the user interrupted the wait */
const waited = async (
  { pause, signal }: Pick<ApplyCapabilities, 'pause' | 'signal'>,
  ms: number,
): Promise<boolean> => {
  try {
    await pause(ms)
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return !signal.aborted
}

const call = ({ client }: Pick<ApplyCapabilities, 'client'>, write: Write): Promise<ApiAnswer<unknown>> => {
  switch (write.route) {
    case 'deleteCheck':
      return client.call(write.route, write.input)
    case 'replaceCheck':
      return client.call(write.route, write.input)
    case 'createCheck':
      return client.call(write.route, write.input)
    case 'updateCheckRegions':
      return client.call(write.route, write.input)
    case 'updateCheckAssertions':
      return client.call(write.route, write.input)
    default:
      return write satisfies never
  }
}
