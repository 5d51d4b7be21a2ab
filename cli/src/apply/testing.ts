import type { Check } from '@probe-mesh/contracts/check/check'
import type { ApiAnswer } from '@probe-mesh/contracts/api/client'
import { refuse, toProblem, type RefusalCode } from '@probe-mesh/contracts/schema/refusal'
import { answerWrite } from '../plan/testing.ts'
import type { Write } from '../plan/writes.ts'
import type { ApplyCapabilities } from './capabilities.ts'
import type { RepeatableClient } from './repeatable-client.ts'

/** What happens to a call instead of an answer, or after it. */
export type Interference =
  | { kind: 'refuse'; code: RefusalCode; headers?: Record<string, string> }
  /** The connection is lost before or after the call is applied. */
  | { kind: 'lose'; completedCalls: boolean }
  | { kind: 'fail'; error: Error }
  /** Answered as usual, with these headers. */
  | { kind: 'headers'; headers: Record<string, string> }
  /** Answered as usual, while the user interrupts the run. */
  | { kind: 'interrupt'; headers?: Record<string, string> }

export type ModelContext = ApplyCapabilities & {
  /** Every call sent, in order, such as `deleteCheck id of web`. */
  readonly calls: readonly string[]
  readonly reported: readonly string[]
  /** Milliseconds of each pause. */
  readonly pauses: readonly number[]
  account(): readonly Check[]
}

/** The errors of `fetch` where a connection breaks off. */
export const lostConnection = (): TypeError =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
  })

/**
 * An API over an account in memory, and a clock that only pauses advance.
 * @param interfere what happens to a call by its number from 0; null: it is answered
 */
export const createContext = (
  start: readonly Check[],
  interfere: (call: number, route: string) => Interference | null = () => null,
): ModelContext => {
  let account = start
  const ended = new AbortController()
  let nowMs = 0
  const [calls, reported, pauses]: [string[], string[], number[]] = [[], [], []]
  const created = new Map<string, unknown>()

  const refused = (code: RefusalCode, headers: Record<string, string> = {}) => ({
    ok: false as const,
    problem: toProblem(refuse(code)),
    headers: new Headers(headers),
  })
  const answer = (write: Write | { route: 'listChecks' }, headers: Headers): ApiAnswer<unknown> => {
    if (write.route === 'listChecks') return { ok: true, value: { checks: account }, headers }
    // like an Idempotency-Key: a repeated POST gets the answer of the first one
    const isPost = write.route === 'createCheck' || write.route === 'replaceCheck'
    const key = isPost ? JSON.stringify(write.input.body) : null
    if (key !== null && created.has(key)) return { ok: true, value: created.get(key), headers }
    const done = answerWrite(account, write)
    if (!done.ok) return refused(done.code)
    account = done.account
    if (key !== null) created.set(key, done.value)
    return { ok: true, value: done.value, headers }
  }
  const call = async (route: string, input: unknown): Promise<ApiAnswer<unknown>> => {
    const write = { route, input } as Write | { route: 'listChecks' }
    const met = interfere(calls.length, route)
    calls.push(describeCall(write))
    if (met?.kind === 'refuse') return refused(met.code, met.headers)
    if (met?.kind === 'fail') throw met.error
    if (met?.kind === 'lose' && !met.completedCalls) throw lostConnection()
    if (met?.kind === 'interrupt') ended.abort(new Error('interrupted'))
    const isOdd = met?.kind === 'headers' || met?.kind === 'interrupt'
    const answered = answer(write, new Headers(isOdd ? met.headers : {}))
    if (met?.kind === 'lose') throw lostConnection()
    return answered
  }
  return {
    client: { call: call as RepeatableClient['call'], repeatable: true },
    budget: null,
    signal: ended.signal,
    now: () => nowMs,
    pause: async (ms) => {
      ended.signal.throwIfAborted()
      pauses.push(ms)
      nowMs += ms
    },
    report: (line) => void reported.push(line),
    calls,
    reported,
    pauses,
    account: () => account,
  }
}

const describeCall = (write: Write | { route: 'listChecks' }): string => {
  if (write.route === 'listChecks') return write.route
  const what = write.route === 'createCheck' ? write.input.body.name : write.input.params.id
  return `${write.route} ${what}`
}
