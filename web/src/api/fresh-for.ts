import type { Asked } from './ask.ts'

/**
 * Requests again only when the last answer is older than the limit. Callers that arrive during a request wait
 * for it. Refusals are not reused.
 * @param now Unix ms
 */
export const freshFor = <T>(
  ms: number,
  now: () => number,
  ask: () => Promise<Asked<T>>,
): (() => Promise<Asked<T>>) => {
  let last: { atMs: number; answer: Promise<Asked<T>> } | null = null
  return () => {
    if (last !== null && now() - last.atMs < ms) return last.answer
    const asked = { atMs: now(), answer: ask() }
    last = asked
    const forget = (): void => {
      if (last === asked) last = null
    }
    asked.answer.then((answer) => !answer.ok && forget(), forget)
    return asked.answer
  }
}
