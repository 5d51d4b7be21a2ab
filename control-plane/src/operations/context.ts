import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { Scope } from '@probe-mesh/contracts/account/api-key'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { Logger } from 'pino'
import type { ClickHouse } from '../stores/clickhouse/connect.ts'
import type { Actor } from './audit-store.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import type { MeasuredUptime } from '../status/uptime.ts'
import type { ExpiringCache } from '@probe-mesh/runtime/expiring-cache'

/** The key that was sent and the account that it belongs to. */
export type KeyOwner = {
  readonly accountId: string
  readonly tier: Tier
  readonly scope: Scope
  readonly keyId: string
  readonly keyName: string
  /** The account has so many keys that what they ask together is counted too. */
  readonly manyKeys?: boolean
}

export type RequestClaim = {
  readonly id: string
  /** The status of the answer once the request is carried out. */
  readonly success: number
}

/** Whose account is written, by whom: what a write notes of itself (account/write). */
export type Writer = {
  readonly accountId: string
  readonly actor: Actor
  /** The request's claim on its `Idempotency-Key`, marked as carried out together with the write. */
  readonly claim?: RequestClaim
}

/** Who calls a route. */
export type Caller = KeyOwner & Writer

/** What a keyed budget still allows. */
export type BudgetsLeft = {
  left(
    owner: Pick<KeyOwner, 'keyId' | 'accountId' | 'manyKeys'>,
  ): Promise<{ reads: number; writes: number }>
}

/** An answer of `GET /checks/:id` as it goes out, and who may have it: `askerOf` a caller. */
export type CheckAnswer = { readonly asker: string; readonly json: string }

/** What callers must have in common to be given one answer. */
export const askerOf = ({ accountId, scope }: Pick<KeyOwner, 'accountId' | 'scope'>): string =>
  `${accountId} ${scope}`

/** The part of the configuration that verbs decide by. */
export type AccountRules = {
  readonly regions: readonly Region[]
  readonly tiers: Readonly<Record<Tier, TierLimits>>
  readonly targetAllow: AllowList
  /** What notification channels may reach although it is not public; null: see `channelAllowOf`. */
  readonly channelAllow: AllowList | null
  /** What does not want to be probed. */
  readonly blockedTargets: DenyList
  /** What the checks of all accounts may ask of one host. */
  readonly targetRequestsPerMinute: number
  /** `local` when every region is measured from one machine. */
  readonly vantage: 'local' | 'regional'
  /** Without a slash at its end: what goes into links. */
  readonly publicUrl: string
}

/** What a check that is saved or changed is held to. */
export type SaveRules = Pick<
  AccountRules,
  'regions' | 'tiers' | 'targetAllow' | 'blockedTargets' | 'targetRequestsPerMinute'
>

/** The capabilities of the verbs of an account. */
export type AccountContext = {
  /** Sees the rows of one account at a time: read by `inAccount`, write by `write`. */
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  /** By check id. */
  readonly answers: ExpiringCache<CheckAnswer>
  readonly uptimes: ExpiringCache<MeasuredUptime>
  readonly budgets: BudgetsLeft
  readonly rules: AccountRules
  /** Counts a write that is done again because another one was in its way. */
  readonly onWriteRepeated: () => void
  readonly now: () => number
  readonly log: Logger
}

/** The capabilities of the operator's acts: they need no key, only the database, all of it. */
export type OperatorContext = { readonly sql: Sql; readonly now: () => number }

/** Who acts where nobody else is named: the operator, at the machine. */
export const operator: Pick<Writer, 'actor' | 'claim'> = { actor: { kind: 'operator' } }
