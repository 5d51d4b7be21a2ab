import { waitingDeliveriesMax } from '@probe-mesh/contracts/channel/outgoing-pools'
import { z } from 'zod'
import type { DeliveryDraft } from '../notifications/delivery-record.ts'
import { incidentUrl, maintenanceUrl, unsubscribeUrl } from '../records/status-page/page-record.ts'
import type { Connection, Sql, Transaction } from '../stores/postgres/connect.ts'
import { insertDeliveries } from '../notifications/deliveries-store.ts'
import { dropExcess } from '../notifications/open-deliveries-store.ts'
import { finishOutbox, type OutboxRow } from '../stores/outbox-store.ts'
import {
  findIncidentNews,
  findMaintenanceNews,
  findRecipients,
  lockOutboxRow,
  type Audience,
} from './subscriber-news-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { newsMail, type News } from './mails.ts'
import type { UnsubscribeTokens } from '../accounts/link-tokens.ts'

/** The payload of an outbox row of kind `mail`. */
const Payload = z.object({
  about: z.enum(['incident_update', 'maintenance']),
  id: z.uuid(),
  /** For a window: a change after its announcement, and when; absent: the announcement. */
  news: z.enum(['changed', 'cancelled']).optional(),
  atMs: z.number().optional(),
})
type Payload = z.infer<typeof Payload>

/** Mails written, and messages dropped because the account has too many pending ones. */
export type Expanded = { written: number; dropped: number }

type ExpandContext = { tokens: UnsubscribeTokens; publicUrl: string; now: () => number }

const recipientsPerChunk = 1_000
/** News older than this is not sent. */
const expiryMs = 3 * 86_400_000

/**
 * Writes one mail for each subscriber who had confirmed when the news was written, and marks the row as done, in one
 * transaction, so that a crash leaves the whole row to the next process. Memory holds one chunk of
 * recipients at a time.
 * @returns the number of mails, or null when the subject was deleted or another process finished the row
 */
export const expandNews = async (
  capabilities: ExpandContext & { sql: Sql },
  row: Pick<OutboxRow, 'id' | 'payload'>,
): Promise<Expanded | null> => {
  const { sql, publicUrl, now } = capabilities
  const payload = Payload.parse(row.payload)
  return transact(sql, async (tx) => {
    const writtenAtMs = await lockOutboxRow(tx, row.id)
    if (writtenAtMs === null) return null
    const found = await findNews(tx, payload, publicUrl)
    const mails =
      found === null ? null : await writeMails(tx, payload, { ...found, writtenAtMs }, capabilities)
    await finishOutbox(tx, [row.id], now())
    return mails
  })
}

type FoundNews = { news: News; audience: Audience }

const findNews = async (
  db: Connection,
  { about, id, news: change }: Payload,
  publicUrl: string,
): Promise<FoundNews | null> => {
  if (about === 'maintenance') {
    const found = await findMaintenanceNews(db, id)
    // a window that was cancelled in the meantime is no longer announced
    if (found === null || (found.isCancelled && change !== 'cancelled')) return null
    const url = maintenanceUrl(publicUrl, found.pageSlug, found.subjectId)
    return { news: { ...found, about, what: change ?? 'announced', url }, audience: found }
  }
  const found = await findIncidentNews(db, id)
  if (found === null) return null
  const url = incidentUrl(publicUrl, found.pageSlug, found.subjectId)
  return { news: { ...found, about, url }, audience: found }
}

const writeMails = async (
  tx: Transaction,
  { about, id, news: what, atMs }: Payload,
  { news, audience, writtenAtMs }: FoundNews & { writtenAtMs: number },
  { tokens, publicUrl, now }: ExpandContext,
): Promise<Expanded> => {
  const mailFor = newsMail(news)
  let written = 0
  let dropped = 0
  let lastEmail = ''
  for (;;) {
    const recipients = await findRecipients(tx, audience, writtenAtMs, lastEmail, recipientsPerChunk)
    const drafts = recipients.map((recipient): DeliveryDraft => ({
      accountId: audience.accountId,
      kind: 'mail',
      recipient: recipient.email,
      bulk: true,
      cause: [about, id, ...(what === undefined ? [] : [what, atMs]), recipient.id].join(':'),
      message: mailFor(unsubscribeUrl(publicUrl, tokens.of(recipient.id))),
      expiresAtMs: now() + expiryMs,
    }))
    await insertDeliveries(tx, drafts, now())
    const excess = await dropExcess(tx, audience.accountId, waitingDeliveriesMax)
    dropped += excess.length
    written += recipients.length
    if (recipients.length < recipientsPerChunk) return { written, dropped }
    lastEmail = recipients.at(-1)?.email ?? ''
  }
}
