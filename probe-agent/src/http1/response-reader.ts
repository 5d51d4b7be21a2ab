import { createChunkReader, type ChunkReader } from './chunk-reader.ts'
import type { Fields } from './fields.ts'
import { framingOf } from './framing.ts'
import { createHeadReader } from './head-reader.ts'
import type { LineBound } from './lines.ts'
import type { Leniency, Tolerate } from './notes.ts'
import type { Problem } from './problem.ts'

export type ResponseHead = { status: number; headers: Fields }

/** Events of a response; none follows `onEnd` or `onProblem`. */
export type ResponseEvents = {
  /**
   * A 1xx response (RFC 9110 15.2); 101 leaves HTTP.
   * @returns false to stop reading
   */
  onInterim(status: number): boolean
  onHead(head: ResponseHead): void
  onData(data: Buffer): void
  onEnd(): void
  onProblem(problem: Problem): void
}

type ResponseReader = {
  push(chunk: Buffer): void
  /**
   * The peer closed the connection.
   * @returns whether the response was complete
   */
  close(): boolean
}

type State = 'head' | 'length' | 'chunked' | 'until_close' | 'over'

/**
 * Reads one response to one request, as strictly as `node:http` (RFC 9112), and nothing after it.
 * It saves a tenth of the processor time of an http check (`npm run bench -- probe`); a property
 * test compares it with `node:http` (`response-reader.test.ts`).
 * @param bound of each head, of chunk extensions, and of all trailers
 * @param tolerate when given, responses that browsers accept are accepted. For verdicts only:
 * nothing may be forwarded, or follow on the connection, after such a response.
 */
export const createResponseReader = (
  method: string,
  bound: LineBound,
  events: ResponseEvents,
  tolerate: Tolerate = null,
): ResponseReader => {
  /** Reported after a valid head: a rejected response reports nothing, wherever it was cut. */
  let tolerated: Set<Leniency> | null = null
  const note = tolerate === null ? null : (what: Leniency) => void (tolerated ??= new Set()).add(what)
  const reportNotes = (): void => {
    for (const what of tolerated ?? []) tolerate?.(what)
    tolerated = null
  }
  const heads = createHeadReader(bound, note)
  let chunks: ChunkReader | null = null
  let state: State = 'head'
  let left = 0

  const end = (): void => {
    state = 'over'
    reportNotes()
    events.onEnd()
  }
  const fail = (problem: Problem): void => {
    state = 'over'
    events.onProblem(problem)
  }

  /**
   * @returns where the content starts in the chunk; null: read no further
   */
  const readHead = (chunk: Buffer): number | null => {
    let at = 0
    for (;;) {
      const taken = heads.read(chunk, at)
      if (taken === null) return null
      if ('problem' in taken) {
        fail(taken.problem)
        return null
      }
      at = taken.rest
      const { status, fields, framing: framed } = taken.head
      const framing = framingOf(method, status, framed, note)
      if (framing === null) {
        fail('malformed')
        return null
      }
      if (status >= 100 && status < 200) {
        if (events.onInterim(status)) continue
        state = 'over'
        return null
      }
      reportNotes()
      events.onHead({ status, headers: fields })
      if (framing.kind === 'none') {
        end()
        return null
      }
      state = framing.kind
      if (framing.kind === 'length') left = framing.bytes
      if (framing.kind === 'chunked') chunks = createChunkReader(bound, note)
      return at
    }
  }

  const readContent = (bytes: Buffer): void => {
    if (state === 'until_close') events.onData(bytes)
    else if (state === 'length') {
      const data = bytes.length > left ? bytes.subarray(0, left) : bytes
      left -= data.length
      events.onData(data)
      if (left === 0) end()
    } else if (chunks !== null) {
      const result = chunks.read(bytes, events.onData)
      if (result === 'end') end()
      else if (result !== null) fail(result)
    }
  }

  return {
    push: (chunk) => {
      let from: number | null = 0
      if (state === 'head') from = readHead(chunk)
      if (from === null || state === 'over' || from === chunk.length) return
      readContent(from === 0 ? chunk : chunk.subarray(from))
    },
    close: () => {
      if (state === 'until_close') end()
      return state === 'over'
    },
  }
}
