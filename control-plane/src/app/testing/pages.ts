import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import { expect, vi } from 'vitest'
import { findAudit } from '../../accounts/operations/audit-store.ts'
import { newRegionState } from '../../status/state.ts'
import type { Answer, TestAccount, TestApp } from './test-app.ts'

export const provider = { 'service-client': 'terraform-provider-service/1.2.3' }

/** An unused id. */
export const missing = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'

/** Calls for the pages of an account: reads with its read key, writes like the Terraform provider. */
export const ownerOf = (at: TestApp, account: TestAccount) => {
  const get = (path: string): Promise<Answer> => at.call('GET', `/v1${path}`, { key: account.readKey })
  const send = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer> =>
    at.call(method, `/v1${path}`, { key: account.writeKey, body, headers: provider })
  return {
    get,
    send,
    post: (path: string, body?: unknown) => send('POST', path, body),
    /** The id of the account's first page. */
    pageId: async (): Promise<string> => (await get('/status-pages')).json.statusPages[0].id,
    /** A new check's id. */
    checkId: async (body: object = {}): Promise<string> => {
      const check = { name: 'web', url: 'https://example.org/', ...body }
      return (await send('POST', '/checks', check)).json.id
    },
    /** The audit entries of writes with the account's keys, newest first. */
    auditEntries: async () =>
      (await findAudit(at.sql, account.id, { limit: 100 }))
        .filter(({ actor }) => actor.kind === 'key')
        .map(({ action, resourceId }) => [action, resourceId]),
  }
}

export type Owner = ReturnType<typeof ownerOf>

/** Sets the assessed status of a check, with a fresh reading. */
export const setStatus = async (at: TestApp, checkId: string, status: CheckStatus): Promise<void> => {
  const fresh = { ...newRegionState, verdict: 'up' as const, measuredAt: at.now() }
  await at.sql`
    update check_states set status = ${status}, regions = ${at.sql.json({ fra: fresh })}
    where check_id = ${checkId}`
}

/** Sends requests at the same time: locks a row until all of them wait for it. */
export const atOnce = async (
  at: TestApp,
  held: { table: 'accounts' | 'status_pages' | 'incidents' | 'maintenance_windows'; id: string },
  sends: readonly (() => Promise<Answer>)[],
): Promise<Answer[]> => {
  const { answers } = await at.sql.begin(async (tx) => {
    await tx`select from ${tx(held.table)} where id = ${held.id} for no key update`
    const answers = Promise.all(sends.map((send) => send()))
    await vi.waitFor(async () => {
      const waiting = await at.sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
      expect(waiting).toHaveLength(sends.length)
    })
    return { answers }
  })
  return answers
}

/** The rows of the outbox, oldest first. */
export const outboxOf = async (
  at: TestApp,
): Promise<{ kind: string; payload: ReturnType<typeof JSON.parse> }[]> =>
  at.sql`select kind, payload from outbox order by sequence`
