import type { Truth } from './behaviour.ts'

/** What was true, and since when: against this every answer is held. */
export type Truths = {
  note(key: string, truth: Truth): void
  /** Everything that was true at any instant from `fromMs` to `toMs`; `up` where nothing is noted. */
  during(key: string, fromMs: number, toMs: number): ReadonlySet<Truth>
}

/** @param machine Unix milliseconds that are never put forward */
export const createTruths = (machine: () => number): Truths => {
  const notes = new Map<string, { sinceMs: number; truth: Truth }[]>()
  return {
    note: (key, truth) => {
      const own = notes.get(key) ?? [{ sinceMs: Number.NEGATIVE_INFINITY, truth: 'up' }]
      notes.set(key, [...own, { sinceMs: machine(), truth }])
    },
    during: (key, fromMs, toMs) => {
      const own = notes.get(key) ?? [{ sinceMs: Number.NEGATIVE_INFINITY, truth: 'up' }]
      const held = own.filter(({ sinceMs }, index) => {
        const untilMs = own[index + 1]?.sinceMs ?? Number.POSITIVE_INFINITY
        return sinceMs <= toMs && untilMs >= fromMs
      })
      return new Set(held.map(({ truth }) => truth))
    },
  }
}
