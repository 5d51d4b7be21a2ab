import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import type { MailMessage } from '@probe-mesh/control-plane/src/notifications/mail/mail'
import { html, textOf } from '@probe-mesh/runtime/html'
import { nextMonthMs, type ReachedQuota } from './quota.ts'

/**
 * The mail to the users of an account that used 80 % or all of its monthly quota.
 * @param publicUrl of the dashboard; null: the mail has no link
 */
export const quotaMail = (
  { month, percent, spent, quota }: ReachedQuota,
  { publicUrl, nowMs }: { publicUrl: string | null; nowMs: number },
): MailMessage => {
  const until = minuteOf(nextMonthMs(Date.parse(month)))
  const lines = [
    `Probe Mesh has stored ${inFigures(spent)} of the ${inFigures(quota)} error events that your plan includes in ${month.slice(0, 7)} (UTC), as of ${minuteOf(nowMs)}.`,
    percent === 100
      ? `New events are counted as dropped until ${until}. SDKs are asked to pause for up to an hour at a time.`
      : `At 100 %, new events are counted as dropped until ${until}.`,
    'Project filters drop unwanted events before they count towards the quota.',
    'You receive this once a month at 80 %, and once at 100 %.',
  ]
  const link = publicUrl === null ? null : `${publicUrl}/dashboard/errors`
  const paragraphs = [
    ...lines.map((line) => html`<p>${line}</p>`),
    ...(link === null ? [] : [html`<p><a href="${link}">${link}</a></p>`]),
  ]
  return {
    subject:
      percent === 100
        ? 'The monthly error event quota is used up'
        : `${percent} % of the monthly error event quota is used`,
    text: `${[...lines, ...(link === null ? [] : [link])].join('\n\n')}\n`,
    html: `${paragraphs.map(textOf).join('\n')}\n`,
  }
}

const minuteOf = (atMs: number): string =>
  `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`
