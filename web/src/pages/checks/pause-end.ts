import { pauseDaysMax, type CheckPause } from '@probe-mesh/contracts/check/check-pause'
import { html, type Html } from '@probe-mesh/runtime/html'
import type { Asked } from '../../api/ask.ts'
import { selectField, textField, type FormState, type Typed } from '../../html/components/form.ts'
import { instantOf, zonedText } from '../../html/local-time.ts'
import { tomorrowMorning } from '../alerts/snooze.ts'

const minuteMs = 60_000
/** A refused resume is tried again for longer than this after the end. */
const lateMs = 10_000

/** When a pause ends: a choice, or a typed time. @param zone of the member */
export const pauseEndFields = (form: FormState, zone: string): Html => html`
  ${selectField(form, {
    name: 'for',
    label: 'Pause for',
    choices: [
      { value: '60', label: '1 hour' },
      { value: '240', label: '4 hours' },
      { value: 'tomorrow', label: `until tomorrow 09:00 (${zone})` },
      { value: '1440', label: '1 day' },
      { value: '10080', label: '7 days' },
    ],
  })}
  ${textField(form, {
    name: 'until',
    label: 'Or until',
    type: 'datetime-local',
    hint: `In ${zone.replaceAll('_', ' ')}, at most ${pauseDaysMax} days ahead. The checks then resume by themselves.`,
  })}
`

/** The end in a submitted form, for the API to refuse if it is wrong. A typed time counts before the choice. */
export const pauseEndIn = (typed: Typed, { nowMs, zone }: { nowMs: number; zone: string }): string => {
  const until = typed['until']?.trim() ?? ''
  if (until !== '') return instantOf(until, zone)
  const chosen = typed['for'] ?? ''
  if (chosen === 'tomorrow') return tomorrowMorning(nowMs, zone)
  return /^\d{1,6}$/.test(chosen) ? new Date(nowMs + Number(chosen) * minuteMs).toISOString() : chosen
}

type At = { id: string; nowMs: number; zone: string }

/** `Paused until 29 Nov 2026, 09:00`, or why it is still paused afterwards. Nothing for a pause without an end. */
export const pauseNotice = (found: Asked<CheckPause> | null, at: At): Html =>
  html`<div data-live="pause">${found !== null && noticeOf(found, at)}</div>`

const noticeOf = (found: Asked<CheckPause>, { id, nowMs, zone }: At): Html | null => {
  if (!found.ok)
    return html`<p class="problems">The end of the pause could not be read: ${found.problem.message}</p>`
  const { paused, until } = found.value
  if (!paused || until === null) return null
  const isLate = Date.parse(until) + lateMs < nowMs
  return html`<p class="notice">
    <strong>
      Paused until
      <time datetime="${until}" data-exact="short"
        >${zonedText(Date.parse(until), zone)} (${zone.replaceAll('_', ' ')})</time
      >.
    </strong>
    ${
      isLate
        ? 'It could not be resumed then, which is tried again every minute. Resume it by hand to see why.'
        : html`It then resumes by itself. <a href="/dashboard/checks/${id}/pause">Change the end</a>`
    }
  </p>`
}
