import { contentCodings } from './content-coding.ts'
import type { Exchange } from './exchange.ts'
import { encodingChain } from './failure.ts'
import { createBodyDecoder } from './body-decoder.ts'
import type { Body, Failure } from './outcome.ts'
import type { Stop } from './stop.ts'

type BodyRead =
  | {
      ok: true
      body: Body | null
      endedAt: number
      /** If the body was still arriving at the deadline: the whole time, ms. */
      flowingMs: number | null
    }
  | { ok: false; failure: Failure }

/**
 * Reads a response's body to its end or a limit, with at most one layer of encoding. A body that
 * still arrives at the deadline is accepted if its end does not matter (S-311, S-316).
 * @param keep false only measures the time: nothing is stored
 * @returns `endedAt` by `performance.now()`, when the last needed byte arrived
 */
export const readBody = (
  { head, headAt, read }: Pick<Exchange, 'head' | 'headAt' | 'read'>,
  { keep, judgesBody, stop }: { keep: boolean; judgesBody: boolean; stop: Stop },
): Promise<BodyRead> => {
  const codings = contentCodings(head.headers['content-encoding'])
  return new Promise((resolve) => {
    let settled = false
    let flowingMs: number | null = null
    let endedAt = 0
    let lastAt: number | null = null
    const isFlowing = (now: number): boolean =>
      lastAt !== null && (isStream(head) || now - lastAt <= silentShare * (now - headAt))
    const settle = (result: Body | null | { failure: Failure }): void => {
      if (settled) return
      settled = true
      stop.during(null)
      intake.close()
      endedAt ||= performance.now()
      const failed = result !== null && 'failure' in result
      resolve(failed ? { ok: false, ...result } : { ok: true, body: result, endedAt, flowingMs })
    }
    // always decoded: a body that cannot be decoded is broken for every client
    const intake = createBodyDecoder(codings[0] ?? null, settle, keep)
    stop.during(() => {
      const now = performance.now()
      if (judgesBody || stop.passedMs() === null || !isFlowing(now)) {
        settle({ failure: stop.failure('transfer') })
        return
      }
      flowingMs = stop.passedMs()
      intake.cut()
    })
    read({
      onData: (data) => {
        lastAt = performance.now()
        // without content, as after HEAD, nothing is encoded
        if (codings.length > 1 && data.length > 0) settle({ failure: encodingChain })
        else intake.write(data)
      },
      onEnd: () => {
        endedAt = performance.now()
        intake.end()
      },
      onFailure: (failure) => settle({ failure }),
    })
  })
}

/** How long an arriving body may be silent, as a share of the time since the head. */
const silentShare = 0.4

/** A stream never ends and may be silent for long: one byte proves that it started. */
const isStream = ({ headers }: Exchange['head']): boolean =>
  /^(?:text\/event-stream|multipart\/x-mixed-replace)\b/i.test(headers['content-type'] ?? '')
