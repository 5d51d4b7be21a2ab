import { html, textOf } from '@probe-mesh/runtime/html'
import type { DeliveryDraft } from '../notifications/delivery-record.ts'
import { insertDeliveries } from '../notifications/deliveries-store.ts'
import type { MailMessage } from '../notifications/mail/mail.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import { timeText } from '../status/time-text.ts'
import { transact } from '../stores/postgres/transact.ts'
import { claimHandOver, findMemberNames, writeHandOver, type DueHandOver } from './schedules-store.ts'
import { shiftsBetween } from './who-is-on-call.ts'

const dayMs = 86_400_000
const mailMs = dayMs
/** A shift that lasts longer has no end in sight. */
const sightMs = 90 * dayMs

export type HandOverContext = { readonly sql: Sql; readonly publicUrl: string; readonly now: () => number }

/**
 * Tells who begins and who ends a shift, once: the mails and the note of who was told are one transaction. After a
 * time without a control plane only the present shift is told.
 * @returns the number of schedules looked at, one or none
 */
export const handOverNext = ({ sql, publicUrl, now }: HandOverContext): Promise<number> =>
  transact(sql, async (tx) => {
    const nowMs = now()
    const due = await claimHandOver(tx, nowMs)
    if (due === null) return 0
    const [shift] = shiftsBetween(due, nowMs, nowMs + sightMs)
    const onCall = shift?.userId ?? null
    const untilMs = shift?.toMs ?? nowMs + dayMs
    if (onCall !== due.onCall) {
      const members = new Map((await findMemberNames(tx, due.accountId)).map((each) => [each.id, each]))
      const [begins, ends] = [members.get(onCall ?? ''), members.get(due.onCall ?? '')]
      const after = begins?.name ?? 'no one'
      const drafts: DeliveryDraft[] = []
      const add = (member: { id: string; email: string } | undefined, what: string, message: MailMessage) => {
        if (member === undefined) return
        drafts.push({
          kind: 'mail',
          accountId: due.accountId,
          recipient: member.email,
          cause: `on-call:${due.id}:${nowMs}:${what}:${member.id}`,
          message,
          expiresAtMs: nowMs + mailMs,
        })
      }
      const endsAt =
        begins === undefined || untilMs >= nowMs + sightMs ? null : timeText(untilMs, begins.timeZone, nowMs)
      add(begins, 'begins', beginMail(due, endsAt, publicUrl))
      add(ends, 'ends', endMail(due, after, publicUrl))
      await insertDeliveries(tx, drafts, nowMs)
    }
    await writeHandOver(tx, { id: due.id, onCall, nextLookMs: Math.min(untilMs, nowMs + dayMs) })
    return 1
  })

const mailOf = (subject: string, text: string, url: string): MailMessage => ({
  subject,
  text: `${text}\n\n${url}\n`,
  html: textOf(
    html`<p>${text}</p>
      <p><a href="${url}">${url}</a></p>`,
  ),
})

const urlOf = ({ id }: Pick<DueHandOver, 'id'>, publicUrl: string): string =>
  `${publicUrl}/dashboard/on-call/${id}`

/** @param endsAt in the zone of the reader; null: no end in sight */
const beginMail = (schedule: DueHandOver, endsAt: string | null, publicUrl: string): MailMessage =>
  mailOf(
    `You are on call: ${schedule.name}`,
    `You are on call in ${schedule.name} until ${endsAt ?? 'further notice'}.`,
    urlOf(schedule, publicUrl),
  )

const endMail = (schedule: DueHandOver, after: string, publicUrl: string): MailMessage =>
  mailOf(
    `Your on-call shift is over: ${schedule.name}`,
    `Your shift in ${schedule.name} is over. On call now: ${after}.`,
    urlOf(schedule, publicUrl),
  )
