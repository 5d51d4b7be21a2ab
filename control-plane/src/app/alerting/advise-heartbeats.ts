import { oneLine } from '@probe-mesh/runtime/one-line'
import { html, textOf } from '@probe-mesh/runtime/html'
import type { AlertContext } from '../../alerts/context.ts'
import { adviceOf, type Advice } from '../../heartbeats/advice.ts'
import { claimAdviceLooks, noteAdvised } from '../../heartbeats/advice-store.ts'
import { findOutages } from '../../heartbeats/heartbeat-watch-store.ts'
import { mailMembers } from '../../notifications/mail-members.ts'
import type { MailMessage } from '../../notifications/mail/mail.ts'
import { durationText } from '../../status/duration-text.ts'
import { transact } from '../../stores/postgres/transact.ts'

/** How often each heartbeat is looked at. */
const lookMs = 3_600_000
const mailMs = 3 * 86_400_000

/**
 * Tells the members of accounts once, by mail, that a heartbeat was never pinged or has another rhythm than
 * declared (S-620). Any number of control planes share the work.
 * @returns how many were looked at
 */
export const adviseHeartbeats = (
  { sql, publicUrl, now }: Pick<AlertContext, 'sql' | 'publicUrl' | 'now'>,
  limit: number,
): Promise<number> =>
  transact(sql, async (tx) => {
    const nowMs = now()
    const looked = await claimAdviceLooks(tx, { nowMs, nextMs: nowMs + lookMs, limit })
    const outages = looked.length === 0 ? [] : await findOutages(tx)
    for (const heartbeat of looked) {
      const { checkId, accountId, name, validFromMs, advised } = heartbeat
      const advice = adviceOf(heartbeat, outages, nowMs)
      // settings that changed since may be wrong anew
      const told = advice === null ? null : `${advice.kind}:${validFromMs}`
      if (advice === null || told === null || advised.includes(told)) continue
      await noteAdvised(tx, checkId, told)
      const url = `${publicUrl}/dashboard/checks/${checkId}`
      const message = adviceMail(advice, { name: oneLine(name), url })
      const cause = `heartbeat-advice:${checkId}:${told}`
      await mailMembers(tx, accountId, { cause, message, expiresAtMs: nowMs + mailMs }, nowMs)
    }
    return looked.length
  })

const adviceMail = (advice: Advice, { name, url }: { name: string; url: string }): MailMessage => {
  const { subject, said, next } = words(advice, name)
  return {
    subject,
    text: `${said}\n\n${next}\n${url}\n`,
    html: textOf(
      html`<p>${said}</p>
        <p>${next}</p>
        <p><a href="${url}">${url}</a></p>`,
    ),
  }
}

const words = (advice: Advice, name: string): { subject: string; said: string; next: string } => {
  switch (advice.kind) {
    case 'never_pinged':
      return {
        subject: `${name} was never pinged`,
        said: `The heartbeat ${name} has not got a single ping. It cannot say that its job failed.`,
        next: 'Let the job send its ping. The address is here:',
      }
    case 'more_often':
      return {
        subject: `${name} pings more often than declared`,
        said: `${name} pings about every ${durationText(advice.gapMs)}. Its schedule expects that less often, so a missed ping is noticed late.`,
        next: 'Change the schedule to that of the job:',
      }
    case 'less_often':
      return {
        subject: `${name} pings less often than declared`,
        said: `${name} pings about every ${durationText(advice.gapMs)}. Its schedule expects that more often, so it is down between its pings.`,
        next: 'Change the schedule to that of the job:',
      }
    default:
      return advice satisfies never
  }
}
