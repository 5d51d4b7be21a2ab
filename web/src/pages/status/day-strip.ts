import type { PublicDay } from '@probe-mesh/contracts/status-page/public-page'
import { flag, html, type Html } from '@probe-mesh/runtime/html'
import { englishDays, runsOf, type DayRun, type DayText, type DayTone } from './day-words.ts'

/** The same as in the style sheet, so that all bars have one baseline. */
const heights: Readonly<Record<DayTone, number>> = {
  good: 32,
  uncertain: 24,
  partly: 16,
  bad: 10,
  silent: 3,
}
const height = 32
/** A bar of 3 and a gap of 1: the dash pattern of the style sheet, which restarts with every run. */
const pitch = 4

/**
 * The days as bars. islands/days.js makes each bar a button, by the items of the list (`dayList`) in the same
 * `.days` element. @param label the text alternative, one sentence
 */
export const dayBars = (runs: readonly DayRun[], label: string): Html => {
  const count = runs.reduce((sum, { days }) => sum + days, 0)
  return html`<div class="day-strip">
    <svg
      class="strip"
      viewBox="0 0 ${count * pitch - 1} ${height}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${label}"
    >
      ${Map.groupBy(barsOf(runs), ({ tone }) => tone)
        .entries()
        .map(
          ([tone, own]) =>
            html`<path
              class="${tone}"
              d="${own.map(({ start, days }) => lineOf(tone, start, days)).join('')}"
            />`,
        )
        .toArray()}
    </svg>
  </div>`
}

/**
 * Every day in words, newest first. A run of equal days is one dashed line and one item, so a page of twenty
 * components stays small.
 */
export const dayList = (runs: readonly DayRun[], { formats }: DayText = englishDays): Html =>
  html`<ol class="plainly">
    ${runs
      .toReversed()
      .map(
        ({ from, to, text, hasIncidents }) =>
          html`<li data-from="${from}" data-to="${to}" ${flag('data-incidents', hasIncidents)}>
            ${formats.days(from, to)}: <span>${text}</span>
          </li>`,
      )}
  </ol>`

/** Bars, and below them a summary that opens the list. */
export const dayStrip = (
  days: readonly PublicDay[],
  { label, summary }: { label: string; summary: Html },
): Html => {
  const runs = runsOf(days)
  return html`<div class="days">
    ${dayBars(runs, label)}
    <details>
      <summary>${summary}</summary>
      ${dayList(runs)}
    </details>
  </div>`
}

type Bars = { tone: DayTone; start: number; days: number }

/** Runs of one tone, regardless of the texts of their days. */
const barsOf = (runs: readonly DayRun[]): Bars[] => {
  const bars: Bars[] = []
  let start = 0
  for (const { tone, days } of runs) {
    const last = bars.at(-1)
    if (last?.tone === tone) last.days += days
    else bars.push({ tone, start, days })
    start += days
  }
  return bars
}

const lineOf = (tone: DayTone, start: number, days: number): string =>
  `M${start * pitch} ${height - heights[tone] / 2}h${days * pitch - 1}`
