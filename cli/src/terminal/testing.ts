import type { Context } from './context.ts'

/** A context that records output, with a clock that pauses advance. */
export type TestContext = Context & {
  readonly written: { out: string; err: string }
  /** Like Ctrl-C. */
  interrupt(): void
}

export const testContext = (
  given: {
    environment?: Record<string, string>
    input?: string
    fetch?: typeof fetch
    columns?: number
    /** A terminal with colours. */
    isTerminal?: boolean
    nowMs?: number
  } = {},
): TestContext => {
  const written = { out: '', err: '' }
  const ended = new AbortController()
  const { isTerminal = false, columns = 80 } = given
  let nowMs = given.nowMs ?? Date.parse('2026-11-20T12:00:00Z')
  const output = (to: 'out' | 'err') => ({
    write: (text: string) => {
      written[to] += text
    },
    isTerminal,
    hasColours: isTerminal,
    columns,
  })
  return {
    written,
    interrupt: () => ended.abort(new Error('interrupted')),
    environment: given.environment ?? {},
    out: output('out'),
    err: output('err'),
    readInput: async () => given.input ?? '',
    fetch:
      given.fetch ??
      (() => {
        throw new Error('this command calls nothing')
      }),
    now: () => nowMs,
    pause: async (ms) => {
      ended.signal.throwIfAborted()
      nowMs += ms
    },
    signal: ended.signal,
  }
}
