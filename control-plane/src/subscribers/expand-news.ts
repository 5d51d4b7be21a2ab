import { waitingDeliveriesMax } from '@probe-mesh/contracts/channel/outgoing-pools'
import { z } from 'zod'
import type { DeliveryDraft } from '../notifications/message.ts'
import { incidentUrl, maintenanceUrl, unsubscribeUrl } from '../page-record/page-links.ts'
import type { Connection, Sql, Transaction } from '../stores/postgres/connect.ts'
import { insertDeliveries } from '../notifications/deliveries-store.ts'
import { dropExcess } from '../notifications/open-deliveries-store.ts'
import { finishOutbox } from '../stores/outbox-store.ts'
import type { OutboxRow } from '../stores/outbox-store.ts'
import {
  findIncidentNews,
  findMaintenanceNews,
  findRecipients,
  lockOutboxRow,
} from './subscriber-news-store.ts'
import type { Audience } from './subscriber-news-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { newsMail } from './mails.ts'
import type { News } from './mails.ts'
import type { UnsubscribeTokens } from './subscriber-tokens.ts'

/** What a row of kind `mail` holds. */
const Payload = z.object({
  about: z.enum(['incident_update', 'maintenance']),
  id: z.uuid(),
  /** Of a window: what became of it after its announcement, and when; absent: it is announced. */
  news: z.enum(['changed', 'cancelled']).optional(),
  atMs: z.number().optional(),
})
type Payload = z.infer<typeof Payload>

/** Mails that were written, and messages that were dropped because too many of the account wait. */
export type Expanded = { written: number; dropped: number }

type Expanding = { tokens: UnsubscribeTokens; publicUrl: string; now: () => number }

const recipientsPerChunk = 1_000
/** News of an incident three days ago is none. */
const worthSendingMs = 3 * 86_400_000

/**
 * Writes one mail for each confirmed subscriber whom a row of the outbox concerns, and the row's
 * done mark with them: all of it or nothing, so that a process that dies in between leaves the whole
 * row to the next one. Memory holds one chunk of recipients at a time.
 * @returns how many mails, or null where what the row speaks of is gone or somebody else was faster
 */
export const expandNews = async (
  capabilities: Expanding & { sql: Sql },
  row: Pick<OutboxRow, 'id' | 'payload'>,
): Promise<Expanded | null> => {
  const { sql, publicUrl, now } = capabilities
  const payload = Payload.parse(row.payload)
  return transact(sql, async (tx) => {
    if (!(await lockOutboxRow(tx, row.id))) return null
    const found = await findNews(tx, payload, publicUrl)
    const mails = found === null ? null : await writeMails(tx, payload, found, capabilities)
    await finishOutbox(tx, [row.id], now())
    return mails
  })
}

type FoundNews = { news: News; audience: Audience }

const findNews = async (
  db: Connection,
  { about, id, news: told }: Payload,
  publicUrl: string,
): Promise<FoundNews | null> => {
  if (about === 'maintenance') {
    const found = await findMaintenanceNews(db, id)
    // what was cancelled meanwhile is not announced any more
    if (found === null || (found.isCancelled && told !== 'cancelled')) return null
    const url = maintenanceUrl(publicUrl, found.pageSlug, found.subjectId)
    return { news: { ...found, about, what: told ?? 'announced', url }, audience: found }
  }
  const found = await findIncidentNews(db, id)
  if (found === null) return null
  const url = incidentUrl(publicUrl, found.pageSlug, found.subjectId)
  return { news: { ...found, about, url }, audience: found }
}

const writeMails = async (
  tx: Transaction,
  { about, id, news: what, atMs }: Payload,
  { news, audience }: FoundNews,
  { tokens, publicUrl, now }: Expanding,
): Promise<Expanded> => {
  const mailFor = newsMail(news)
  let written = 0
  let dropped = 0
  let lastEmail = ''
  for (;;) {
    const recipients = await findRecipients(tx, audience, lastEmail, recipientsPerChunk)
    const drafts = recipients.map((recipient): DeliveryDraft => ({
      accountId: audience.accountId,
      kind: 'mail',
      recipient: recipient.email,
      bulk: true,
      cause: [about, id, ...(what === undefined ? [] : [what, atMs]), recipient.id].join(':'),
      message: mailFor(unsubscribeUrl(publicUrl, tokens.of(recipient.id))),
      expiresAtMs: now() + worthSendingMs,
    }))
    await insertDeliveries(tx, drafts, now())
    const excess = await dropExcess(tx, audience.accountId, waitingDeliveriesMax)
    dropped += excess.length
    written += recipients.length
    if (recipients.length < recipientsPerChunk) return { written, dropped }
    lastEmail = recipients.at(-1)?.email ?? ''
  }
}
