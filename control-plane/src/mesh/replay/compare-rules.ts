import type { ReplayedRule } from '@probe-mesh/contracts/check/rule-replay'
import { statusRuleText, type StatusRule } from '@probe-mesh/contracts/check/status-rule'
import type { StatusChange } from '../../status/observe.ts'
import { readArrivals } from './arrivals-query.ts'
import { byArrival, createReplay, type ArrivedReading, type ReplayedHistory } from './replay.ts'
import { sumUp } from './sum-up.ts'

/** What a comparison needs besides the readings. */
export type Compared = {
  history: ReplayedHistory
  regions: number
  current: StatusRule
  tried: StatusRule
  /** Outages are counted from here, Unix ms. */
  fromMs: number
}

/** A page of readings as ClickHouse answered it. */
export type Page = {
  text: string
  /** The most readings it may have; one with more is not judged. */
  readingsMax: number
  /** No reading of a later page arrived before, Unix ms. */
  settledMs: number
}

/** Judges stored readings again under two rules, page by page. */
export const createComparison = ({ history, regions, current, tried, fromMs }: Compared) => {
  const made = [current, tried].map((rule) => {
    const changes: StatusChange[] = []
    return { rule, changes, replay: createReplay(history, rule, (change) => changes.push(change)) }
  })
  /** Read, but others may have arrived before. */
  let waiting: ArrivedReading[] = []
  return {
    /** @returns the number of readings; null: too many */
    judge: ({ text, readingsMax, settledMs }: Page): number | null => {
      const page = readArrivals(history.check.checkId, text)
      if (page.length > readingsMax) return null
      const known = [...waiting, ...page].toSorted(byArrival)
      const settled = known.findIndex(({ atMs }) => atMs > settledMs)
      waiting = settled < 0 ? [] : known.slice(settled)
      for (const each of settled < 0 ? known : known.slice(0, settled)) {
        for (const { replay } of made) replay.judge(each)
      }
      return page.length
    },
    /** What each rule amounts to until an instant: the current one, and the one to try. */
    end: (toMs: number): ReplayedRule[] => {
      const isPausedAt = (atMs: number): boolean =>
        history.revisions.findLast(({ validFromMs }) => validFromMs <= atMs)?.paused === true
      return made.map(({ rule, changes, replay }) => {
        replay.passUntil(toMs)
        return { rule, text: statusRuleText(rule, regions), ...sumUp(changes, { fromMs, toMs, isPausedAt }) }
      })
    },
  }
}
