import { instantsOf } from '../altered.ts'
import { truthOf } from '../world.ts'
import type { Truth, World } from '../world.ts'

/** An instant of a world that is played otherwise, in the time of the documented one. */
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

/** What an answer said of a service at an instant. */
export type Told = { atMs: number; slug: string; status: string; summary: string }

/**
 * What a plain rule makes of the last probe of each region: `down` where fewer than half succeeded,
 * as in `avg by (service) (probe_success) < 0.5`.
 */
export const majorityOf = (probed: readonly boolean[]): 'up' | 'down' | 'no_data' => {
  if (probed.length === 0) return 'no_data'
  return probed.filter((success) => success).length * 2 < probed.length ? 'down' : 'up'
}

/** Whether a status is right. Where requests succeed and fail, neither `up` nor `down` is. */
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
  toldAfterMs: number | null
  /** Of the answers after that one. */
  asked: number
  wrong: readonly string[]
  /** Of all answers of the interval, how many said each status. */
  said: Readonly<Record<string, number>>
}

/** Each interval of truth beside what was answered in it, in the order in which they begin. */
export const judge = (world: World, told: readonly Told[]): Verdict[] =>
  world.services
    .flatMap(({ slug }) =>
      truthOf(world, slug).map(({ from, until, answer }) => {
        const own = told.filter((one) => one.slug === slug && from <= one.atMs && one.atMs < until)
        const first = own.findIndex(({ status }) => isRight(answer, status))
        const after = first === -1 ? [] : own.slice(first)
        const wrong = after.filter(({ status }) => !isRight(answer, status))
        return {
          slug,
          from,
          until,
          truth: answer,
          toldAfterMs: first === -1 ? null : (own[first]?.atMs ?? from) - from,
          asked: after.length,
          wrong: [...new Set(wrong.map(({ status }) => status))],
          said: countsOf(own.map(({ status }) => status)),
        }
      }),
    )
    .toSorted((a, b) => a.from - b.from)

const countsOf = (words: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]))
