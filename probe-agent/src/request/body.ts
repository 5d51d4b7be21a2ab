import { limits } from '@probe-mesh/contracts/limits'
import { contentCodings } from './content-coding.ts'
import type { Exchange } from './exchange.ts'
import { encodingChain } from './failure.ts'
import { createIntake } from './intake.ts'
import type { Intake } from './intake.ts'
import type { Body, Failure } from './outcome.ts'
import type { Stop } from './stop.ts'

export type BodyRead =
  | { ok: true; body: Body | null; endedAt: number }
  | { ok: false; failure: Failure }

/**
 * Reads a response's body to its end or to a bound, and at most one layer of encoding.
 * @param keep false reads for the time alone: nothing is decoded or held
 * @returns `endedAt` by `performance.now()`, when the last byte needed came from the wire
 */
export const readBody = (
  { head, read }: Pick<Exchange, 'head' | 'read'>,
  { keep, stop }: { keep: boolean; stop: Stop },
): Promise<BodyRead> => {
  const codings = contentCodings(head.headers['content-encoding'])
  if (codings.length > 1) return Promise.resolve({ ok: false, failure: encodingChain })
  return new Promise((resolve) => {
    let settled = false
    let endedAt = 0
    const settle = (result: Body | null | { failure: Failure }): void => {
      if (settled) return
      settled = true
      stop.during(null)
      intake.close()
      endedAt ||= performance.now()
      const failed = result !== null && 'failure' in result
      resolve(failed ? { ok: false, ...result } : { ok: true, body: result, endedAt })
    }
    const intake = keep ? createIntake(codings[0] ?? null, settle) : countingIntake(settle)
    stop.during(() => settle({ failure: stop.failure('transfer') }))
    read({
      onData: intake.write,
      onEnd: () => {
        endedAt = performance.now()
        intake.end()
      },
      onFailure: (failure) => settle({ failure }),
    })
  })
}

/** Follows a body that nobody needs, as far as one that somebody needs would be followed. */
const countingIntake = (onDone: (result: null) => void): Intake => {
  let bytes = 0
  return {
    write: (chunk) => {
      bytes += chunk.length
      if (bytes > limits.bodyBytesMax) onDone(null)
    },
    end: () => onDone(null),
    close: () => undefined,
  }
}
