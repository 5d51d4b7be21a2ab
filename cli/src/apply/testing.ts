import type { Check } from '@probe-mesh/contracts/check/check'
import type { ApiAnswer } from '@probe-mesh/contracts/api/client'
import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import type { RefusalCode } from '@probe-mesh/contracts/schema/refusal'
import { answerWrite } from '../plan/testing.ts'
import type { Write } from '../plan/writes.ts'
import type { ApplyCapabilities } from './capabilities.ts'
import type { RepeatableClient } from './repeatable-client.ts'

/** What a call meets in the place of an answer, or after it. */
export type Interference =
  | { kind: 'refuse'; code: RefusalCode; headers?: Record<string, string> }
  /** The connection goes, before the call is carried out or after. */
  | { kind: 'lose'; carriedOut: boolean }
  | { kind: 'fail'; error: Error }
  /** Answered as ever, with these headers. */
  | { kind: 'headers'; headers: Record<string, string> }
  /** Answered as ever, while somebody asks the run to end. */
  | { kind: 'interrupt'; headers?: Record<string, string> }

export type ModelWorld = ApplyCapabilities & {
  /** Every call that was sent, in order, such as `deleteCheck id of web`. */
  readonly calls: readonly string[]
  readonly said: readonly string[]
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
 * An API over an account as a value, and a clock that only pauses move.
 * @param interfere what happens to the call of that number, counted from 0; null: it is answered
 */
export const createWorld = (
  start: readonly Check[],
  interfere: (call: number, route: string) => Interference | null = () => null,
): ModelWorld => {
  let account = start
  const ended = new AbortController()
  let nowMs = 0
  const [calls, said, pauses]: [string[], string[], number[]] = [[], [], []]
  const created = new Map<string, unknown>()

  const refused = (code: RefusalCode, headers: Record<string, string> = {}) => ({
    ok: false as const,
    problem: toProblem(refuse(code)),
    headers: new Headers(headers),
  })
  const answer = (write: Write | { route: 'listChecks' }, headers: Headers): ApiAnswer<unknown> => {
    if (write.route === 'listChecks') return { ok: true, value: { checks: account }, headers }
    // as its Idempotency-Key has it: a repeated POST is given the first one's answer
    const key = write.route === 'createCheck' ? JSON.stringify(write.input.body) : null
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
    if (met?.kind === 'lose' && !met.carriedOut) throw lostConnection()
    if (met?.kind === 'interrupt') ended.abort(new Error('interrupted'))
    const isOdd = met?.kind === 'headers' || met?.kind === 'interrupt'
    const answered = answer(write, new Headers(isOdd ? met.headers : {}))
    if (met?.kind === 'lose') throw lostConnection()
    return answered
  }
  return {
    client: { call: call as RepeatableClient['call'], repeatable: true },
    signal: ended.signal,
    now: () => nowMs,
    pause: async (ms) => {
      ended.signal.throwIfAborted()
      pauses.push(ms)
      nowMs += ms
    },
    say: (line) => void said.push(line),
    calls,
    said,
    pauses,
    account: () => account,
  }
}

const describeCall = (write: Write | { route: 'listChecks' }): string => {
  if (write.route === 'listChecks') return write.route
  const what = write.route === 'createCheck' ? write.input.body.name : write.input.params.id
  return `${write.route} ${what}`
}
