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

/** Whether a status is right; where requests of each place fail and succeed, which one is a matter of chance. */
export const isRight = (truth: Truth, status: string): boolean => {
  if (truth === 'out_of_sight') return status === 'up'
  if (truth === 'intermittent') return ['up', 'down', 'down_in_some_regions'].includes(status)
  return status === truth
}

export type Verdict = {
  slug: string
  from: number
  until: number
  truth: Truth
  /** When it was told first, after the interval's begin; null: never. */
  toldAfterMs: number | null
  /** Of the answers after that one. */
  asked: number
  wrong: readonly string[]
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
        }
      }),
    )
    .toSorted((a, b) => a.from - b.from)
