import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { defaultRule } from './alert-rule.ts'
import { insertAlertLink } from './alert-links-store.ts'
import { insertAlertRule } from './alert-rules-store.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import { transact } from '../stores/postgres/transact.ts'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import type { RuleContext } from './alert-addresses.ts'
import { newCheckState, newRegionState, type RegionState } from '../status/state.ts'
import { actOnAlert, type AlertAct } from './act-on-alert.ts'
import {
  observeFlip,
  observeTime,
  type Alert,
  type Notice,
  type RuleConditions,
  type SeenFlip,
} from './when-to-alert.ts'
import type { WatchedCheck } from './evidence.ts'
import type { HoldingWindow } from '../maintenance/maintenance-hold.ts'

/** What operations on rules need. By default it sends no mail, and counts none. */
export const ruleContext = (
  sql: Sql,
  more: Partial<RuleContext> & { sendsMail?: boolean } = {},
): RuleContext => ({
  sql,
  now: Date.now,
  throttle: { count: async () => null, uncount: async () => {} },
  rules: {
    sendsMail: more.sendsMail ?? false,
    publicUrl: 'https://mesh.example.org',
    blockedTargets: denyNothing,
  },
  ...more,
})

export const t0 = Date.parse('2026-11-20T12:00:00.000Z')
export const minuteMs = 60_000
export const hourMs = 3_600_000

/** The alert as stored: JSON. */
const stored = (alert: Alert | null): Alert | null => JSON.parse(JSON.stringify(alert))

/** Plays an alert as the loop does: each step starts from the stored state of the previous one. */
export const playAlert = (rule: Partial<RuleConditions> = {}, windows: readonly HoldingWindow[] = []) => {
  const terms: RuleConditions = { statuses: ['down'], unconfirmed: true, afterSeconds: 0, ...rule }
  const notices: Notice[] = []
  let alert: Alert | null = null
  let flips = 0
  return {
    notices,
    alert: () => alert,
    /** The notices sent, as words. */
    sent: (): string[] => notices.map(({ event, alert }) => `${event} ${alert.status}`),
    flip: (to: SeenFlip['to'], atMs: number, unconfirmed = false): void => {
      const flip = { id: `flip ${++flips}`, to, reason: null, unconfirmed, atMs }
      const step = observeFlip(alert, terms, flip, windows)
      alert = stored(step.alert)
      notices.push(...step.notices)
    },
    act: (act: AlertAct, atMs: number, by = 'Ada'): void => {
      if (alert === null) return
      const step = actOnAlert(alert, act, { by, atMs })
      alert = stored(step.alert)
      if (step.event !== null) notices.push({ event: step.event, alert: step.alert, atMs, wasHeld: false })
    },
    look: (nowMs: number): void => {
      if (alert === null) return
      const step = observeTime(alert, windows, nowMs)
      alert = stored(step.alert)
      notices.push(...step.notices)
    },
  }
}

/** A check whose regions recorded these verdicts a second before `nowMs`; null: no reading yet. */
export const watchedCheck = (
  verdicts: Record<string, RegionState['verdict']>,
  nowMs: number,
  more: Partial<WatchedCheck> = {},
): WatchedCheck => ({
  id: '01970000-0000-7000-8000-000000000001',
  accountId: '01970000-0000-7000-8000-000000000002',
  type: 'http',
  name: 'shop',
  url: 'https://shop.example.org/',
  target: null,
  regions: Object.keys(verdicts),
  intervalSeconds: 60,
  paused: false,
  state: {
    ...newCheckState,
    regions: Object.fromEntries(
      Object.entries(verdicts).map(([region, verdict]) => [
        region,
        { ...newRegionState, verdict, measuredAt: verdict === null ? 0 : nowMs - 1_000 },
      ]),
    ),
  },
  ...more,
})

/** The link of a mail that acknowledges an alert, for a member or another address. @returns the token */
export const insertTestAlertLink = (
  sql: Sql,
  {
    accountId,
    userId,
    address,
    flipId,
  }: { accountId: string; userId: string; address: string; flipId: string },
): Promise<string> =>
  transact(sql, (tx) =>
    insertAlertLink(
      tx,
      { id: userId, accountId, kind: 'mail' },
      { address, flipIds: [flipId], nowMs: Date.now() },
    ),
  )

/** An open alert of a new rule on a check, a minute old. @returns its id */
export const insertTestAlert = async (
  sql: Sql,
  {
    accountId,
    checkId,
    atMs = Date.now() - minuteMs,
    name = 'Test rule',
    takenBy,
  }: { accountId: string; checkId: string; atMs?: number; name?: string; takenBy?: string },
): Promise<string> => {
  const rule = { ...defaultRule(accountId, atMs), id: uuidv7(atMs), name }
  await insertAlertRule(sql, rule)
  const game = playAlert()
  game.flip('down', atMs)
  game.look(atMs)
  if (takenBy !== undefined) game.act({ kind: 'acknowledge' }, atMs, takenBy)
  const flipId = uuidv7(atMs)
  const state = { ...game.alert(), flipId }
  await sql`
    insert into alerts (rule_id, check_id, account_id, state, next_at)
    values (${rule.id}, ${checkId}, ${accountId}, ${sql.json(state as never)}, ${new Date(atMs + hourMs)})`
  return flipId
}
