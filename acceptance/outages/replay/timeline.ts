import { instantsOf } from '../altered.ts'
import { truthOf, type Truth, type World } from '../world.ts'

/** Converts an instant of a played world to the time of the documented one. */
export const documentedMs = (documented: World, played: World, nowMs: number): number => {
  const from = instantsOf(played)
  const to = instantsOf(documented)
  const index = Math.max(
    0,
    from.findLastIndex((ms) => ms <= nowMs),
  )
  const [began = 0, ends = began] = from.slice(index)
  const [toBegan = 0, toEnds = toBegan] = to.slice(index)
  if (ends === began) return toBegan + (nowMs - began)
  return toBegan + ((nowMs - began) / (ends - began)) * (toEnds - toBegan)
}

/** An answer about a service at an instant. */
export type TimedAnswer = { atMs: number; slug: string; status: string; summary: string }

/**
 * A simple rule over the last probe of each region: `down` if fewer than half succeeded, like `avg by
 * (service) (probe_success) < 0.5`.
 */
export const majorityOf = (probed: readonly boolean[]): 'up' | 'down' | 'no_data' => {
  if (probed.length === 0) return 'no_data'
  return probed.filter((success) => success).length * 2 < probed.length ? 'down' : 'up'
}

/** Whether a status is right. If requests both succeed and fail, neither `up` nor `down` is. */
export const isRight = (truth: Truth, status: string): boolean => {
  if (truth === 'out_of_sight') return status === 'up'
  if (truth === 'intermittent') return status === 'down_in_some_regions'
  return status === truth
}

export type Verdict = {
  slug: string
  from: number
  until: number
  truth: Truth
  /** First answer with this status, after the start of the interval; null: never. */
  answeredAfterMs: number | null
  /** The number of answers after that one. */
  answersAfter: number
  wrong: readonly string[]
  /** The number of answers of the interval with each status. */
  statuses: Readonly<Record<string, number>>
}

/** Compares each interval of truth with its answers, in order of their starts. */
export const judge = (world: World, answers: readonly TimedAnswer[]): Verdict[] =>
  world.services
    .flatMap(({ slug }) =>
      truthOf(world, slug).map(({ from, until, answer }) => {
        const own = answers.filter((one) => one.slug === slug && from <= one.atMs && one.atMs < until)
        const first = own.findIndex(({ status }) => isRight(answer, status))
        const after = first === -1 ? [] : own.slice(first)
        const wrong = after.filter(({ status }) => !isRight(answer, status))
        return {
          slug,
          from,
          until,
          truth: answer,
          answeredAfterMs: first === -1 ? null : (own[first]?.atMs ?? from) - from,
          answersAfter: after.length,
          wrong: [...new Set(wrong.map(({ status }) => status))],
          statuses: countsOf(own.map(({ status }) => status)),
        }
      }),
    )
    .toSorted((a, b) => a.from - b.from)

const countsOf = (words: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]))
