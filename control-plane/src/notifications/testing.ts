import { allowNothing, parseAllowList } from '@probe-mesh/contracts/target/address'
import type { ChannelConfig } from '@probe-mesh/contracts/channel/channel'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { vi, expect } from 'vitest'
import { channelOwner, summaryOf } from './channels/sealed-config.ts'
import type { ChannelMessage } from './channels/forms/message.ts'
import type { MailMessage } from './mail/mail.ts'
import type { DeliveryDraft, DeliveryState } from './delivery-record.ts'
import type { Mailer } from './mail/mailer.ts'
import { createChannelSender } from './channels/channel-sender.ts'
import { createResolver } from './outgoing/resolve.ts'
import { insertAccount } from '../accounts/accounts-store.ts'
import { insertChannel } from './channels/channels-store.ts'
import { insertDeliveries } from './deliveries-store.ts'
import { createVault } from '../secrets/vault.ts'
import { startDeliverer, type Deliverer } from './deliverer.ts'

const yearMs = 365 * 86_400_000

export type StoredDelivery = {
  id: string
  state: DeliveryState
  attempts: number
  last_error: string | null
  claimed_until: Date | null
}

/** A database with channels and messages, and deliverers with a manual clock. */
export const createDeliveryBench = async () => {
  const database = await createTestDatabase()
  const sql = database.pool('probe_mesh_system')
  const accountSql = database.pool('probe_mesh_account')
  const vault = createVault('the secrets key of the tests, 32 characters')
  const allow = parseAllowList(['127.0.0.0/8'])
  if (!allow.ok) throw new Error('the allow list of the tests is wrong')
  let passedMs = 0
  const now = (): number => Date.now() + passedMs
  const rules = {
    targetAllow: allowNothing,
    channelAllow: allow.allow,
    blockedTargets: denyNothing,
  }
  const channelSender = createChannelSender({ rules, resolver: createResolver(), vault, now })
  const running: Deliverer[] = []
  const registry = new Registry()
  let started = 0

  const message = (title: string): ChannelMessage => ({
    event: 'alert',
    title,
    text: 'text',
    facts: [],
    url: 'https://example.org/',
    at: new Date(now()).toISOString(),
    alertKey: title,
  })

  return {
    message,
    writeDrafts: (drafts: readonly DeliveryDraft[]): Promise<void> => insertDeliveries(sql, drafts, now()),
    sql,
    accountSql,
    now,
    registry,
    channelSender,
    account: async (): Promise<string> => {
      const id = uuidv7(now())
      await insertAccount(sql, { id, name: 'Acme', tier: 'scale', createdAtMs: now() })
      return id
    },
    channel: async (
      accountId: string,
      channel: ChannelConfig,
      { isVerified = true } = {},
    ): Promise<string> => {
      const owner = { accountId, id: uuidv7(now()) }
      await insertChannel(sql, {
        ...owner,
        type: channel.type,
        name: 'ops',
        credential: vault.seal(JSON.stringify(channel.config), channelOwner(owner)),
        summary: summaryOf(channel),
        verifiedAtMs: isVerified ? now() : null,
        createdAtMs: now(),
        updatedAtMs: now(),
      })
      return owner.id
    },
    /** Writes messages for a channel. @returns their ids, in order */
    write: async (
      accountId: string,
      channelId: string,
      titles: readonly string[],
      expiresInMs = yearMs,
    ): Promise<string[]> => {
      const drafts = titles.map((title) => ({
        kind: 'channel' as const,
        accountId,
        channelId,
        cause: `${channelId} ${title}`,
        message: message(title),
        expiresAtMs: now() + expiresInMs,
      }))
      await insertDeliveries(sql, drafts, now())
      const rows = await sql<{ id: string }[]>`
        select id from deliveries where cause = any(${drafts.map(({ cause }) => cause)})
        order by sequence`
      return rows.map(({ id }) => id)
    },
    writeMail: async (
      accountId: string | null,
      recipient: string,
      mail: MailMessage,
      { bulk = false } = {},
    ): Promise<void> => {
      const draft = {
        kind: 'mail' as const,
        accountId,
        recipient,
        bulk,
        message: mail,
        cause: uuidv7(now()),
      }
      await insertDeliveries(sql, [{ ...draft, expiresAtMs: now() + yearMs }], now())
    },
    start: async (
      options: {
        mailer?: Mailer
        random?: () => number
        attemptMs?: { channel: number; mail: number }
        finishMs?: number
        waitingMax?: number
      } = {},
    ): Promise<Deliverer> => {
      const deliverer = await startDeliverer({
        sql,
        channelSender,
        mailer: null,
        publicUrl: 'https://probe.example.org',
        registry: started++ === 0 ? registry : new Registry(),
        log: pino({ level: 'silent' }),
        now,
        random: () => 0,
        ...options,
      })
      running.push(deliverer)
      return deliverer
    },
    /** Advances the clock and wakes the deliverers. */
    pass: async (ms: number): Promise<void> => {
      passedMs += ms
      await sql.notify('deliveries', '')
    },
    /** All messages in sending order. */
    stored: async (): Promise<StoredDelivery[]> =>
      await sql<StoredDelivery[]>`
        select id, state, attempts, last_error, claimed_until from deliveries order by sequence`,
    /** Waits until nothing is in flight and the condition holds. */
    until: (check: () => Promise<void> | void): Promise<void> =>
      vi.waitFor(
        async () => {
          const claimed = await sql`
            select from deliveries where state = 'pending' and claimed_until is not null`
          expect(claimed).toHaveLength(0)
          await check()
        },
        { interval: 20 },
      ),
    clear: async (): Promise<void> => {
      for (const deliverer of running.splice(0)) await deliverer.close()
      registry.clear()
      started = 0
      await sql`delete from notification_channels`
      await sql`delete from deliveries`
      await sql`delete from delivery_turns`
    },
    close: async (): Promise<void> => {
      await Promise.all([sql.end(), accountSql.end()])
      await database.close()
    },
  }
}
