import type { World } from './world.ts'

/** A world that keeps what is written, and whose clock moves where a command pauses. */
export type TestWorld = World & {
  readonly written: { out: string; err: string }
  /** As if the user pressed Ctrl-C. */
  interrupt(): void
}

export const testWorld = (
  given: {
    environment?: Record<string, string>
    input?: string
    fetch?: typeof fetch
    columns?: number
    /** As on a terminal with colours. */
    isTerminal?: boolean
    nowMs?: number
  } = {},
): TestWorld => {
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
