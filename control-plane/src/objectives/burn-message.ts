import type { ObjectiveState } from '@probe-mesh/contracts/objective/objective'
import { oneLine } from '@probe-mesh/runtime/one-line'
import { instantText } from '../alerts/alert-message.ts'
import type { ChannelMessage } from '../notifications/channels/forms/message.ts'
import { durationText } from '../status/duration-text.ts'
import type { FoundObjective } from './objectives-store.ts'
import type { Burn } from './step-burns.ts'

const windowTexts = { '5m': '5 min', '30m': '30 min', '1h': '1 h', '6h': '6 h', '3d': '3 days' } as const

/** The rate that is a ticket for the next working day. Faster ones are pages (SRE workbook, chapter 5). */
const ticketRate = 1

/** The message about a pair of windows that begins to burn, or no longer does. */
export const composeBurn = (
  { event, pair, sinceMs }: Pick<Burn, 'event' | 'pair' | 'sinceMs'>,
  objective: Pick<
    FoundObjective,
    'id' | 'name' | 'target' | 'windowDays' | 'checkName' | 'tag' | 'latencyMsMax'
  >,
  state: ObjectiveState,
  by: { ruleName: string; publicUrl: string; nowMs: number },
): ChannelMessage => {
  const { rate, long, short } = pair
  const { id, target, windowDays, checkName, tag, latencyMsMax } = objective
  const name = oneLine(objective.name)
  const rateOver = (window: typeof long): string =>
    `${rateText(state.burnRates[window])} over ${windowTexts[window]}`
  const rates = `${rateOver(long)}, ${rateOver(short)}`
  const since = instantText(sinceMs)
  const left = leftText(objective, state)
  return {
    event: event === 'begin' ? 'alert' : 'recovery',
    title:
      event === 'begin'
        ? `${name} burns its error budget: rate ${rateOver(long)}`
        : `${name} no longer burns its error budget at a rate of ${rate}`,
    text: [
      event === 'begin'
        ? `Burn rate ${rates}. Alerts from ${rate} in both.`
        : `Burn rate ${rates}. The alert began at ${since} and ended after ${durationText(by.nowMs - sinceMs)}.`,
      left === null ? '' : `Error budget: ${left}.`,
    ]
      .filter((line) => line !== '')
      .join('\n'),
    facts: [
      { name: 'Objective', value: name },
      { name: 'Target', value: `${target} % in ${windowDays} days` },
      ...(checkName === null ? [] : [{ name: 'Check', value: oneLine(checkName) }]),
      ...(tag === null ? [] : [{ name: 'Tag', value: oneLine(tag) }]),
      ...(latencyMsMax === null ? [] : [{ name: 'Latency', value: `at most ${latencyMsMax} ms` }]),
      { name: 'Burn rate', value: rates },
      { name: 'Alerts from', value: `${rate} over ${windowTexts[long]} and ${windowTexts[short]}` },
      ...(left === null ? [] : [{ name: 'Error budget', value: left }]),
      { name: 'Severity', value: rate === ticketRate ? 'ticket' : 'page' },
      { name: 'Since', value: since },
      { name: 'Rule', value: by.ruleName },
    ],
    url: `${by.publicUrl}/dashboard/objectives/${id}`,
    at: new Date(by.nowMs).toISOString(),
    alertKey: `burn:${id}:${long}:${sinceMs}`,
  }
}

const rateText = (rate: number | null): string =>
  rate === null ? 'not known' : String(Number(rate.toFixed(2)))

/** `43.2 % is left, 18.6 of 43.2 min`; null without a judged probe in the window. */
const leftText = (
  { windowDays }: Pick<FoundObjective, 'windowDays'>,
  { budgetRatio, budgetMinutes, budgetMinutesLeft, measuredShare }: ObjectiveState,
): string | null => {
  if (budgetRatio === null || budgetMinutesLeft === null) return null
  const percent = (Math.floor(Math.abs(budgetRatio) * 1000) / 10).toFixed(1)
  const measured =
    measuredShare > 0.99 ? '' : `, ${durationText(measuredShare * windowDays * 86_400_000)} measured`
  const whole = `${durationText(budgetMinutes * 60_000)} in ${windowDays} days${measured}`
  return budgetRatio < 0
    ? `overspent by ${percent} % of ${whole}`
    : `${percent} % is left, ${durationText(budgetMinutesLeft * 60_000)} of ${whole}`
}
