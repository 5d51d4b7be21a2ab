import type { AnswerText } from '@probe-mesh/runtime/answer-text'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { Scope } from '@probe-mesh/contracts/account/api-key'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { Logger } from 'pino'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import type { Actor } from './audit-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { Freshen } from '../../status/live-states.ts'
import type { UptimeAt } from '../../status/uptime.ts'
import type { ExpiringCache } from '@probe-mesh/runtime/expiring-cache'

/** An API key and its account. */
export type KeyOwner = {
  readonly accountId: string
  readonly tier: Tier
  readonly scope: Scope
  readonly keyId: string
  readonly keyName: string
  /** The account has many keys, so their requests are also counted together. */
  readonly manyKeys?: boolean
}

export type RequestClaim = {
  readonly id: string
  /** The status of a successful answer. */
  readonly success: number
}

/** The account that a write changes, and the actor for the audit log. */
export type Writer = {
  readonly accountId: string
  readonly actor: Actor
  /** The claim on the request's `Idempotency-Key`, marked as executed together with the write. */
  readonly claim?: RequestClaim
}

/** The caller of a route. */
export type Caller = KeyOwner &
  Writer & {
    /** When the member of this session logged in, Unix ms; absent for keys. */
    readonly loggedInAtMs?: number
  }

/** The budgets of a key: its requests in a minute, and those that remain. */
type BudgetsLeft = {
  readonly perMinute: { readonly reads: number; readonly writes: number }
  left(owner: Pick<KeyOwner, 'keyId' | 'accountId' | 'manyKeys'>): Promise<{
    reads: number
    writes: number
    /** Until a used write is free again. */
    writesResetSeconds: number
  }>
}

/** A cached answer of `GET /checks/:id`, for callers with the same `answerScopeOf`. */
export type CheckAnswer = { readonly scope: string; readonly text: AnswerText }

/** Callers with the same value get the same answer. */
export const answerScopeOf = ({ accountId, scope }: Pick<KeyOwner, 'accountId' | 'scope'>): string =>
  `${accountId} ${scope}`

/** The configuration that operations use. */
export type AccountRules = {
  readonly regions: readonly Region[]
  readonly tiers: Readonly<Record<Tier, TierLimits>>
  readonly targetAllow: AllowList
  /** Private networks that notification channels may reach; null: see `channelAllowOf`. */
  readonly channelAllow: AllowList | null
  /** Targets that are never probed. */
  readonly blockedTargets: DenyList
  /** The limit of requests to one host by the checks of all accounts. */
  readonly targetRequestsPerMinute: number
  /** `local` if all regions are measured from one machine. */
  readonly vantage: 'local' | 'regional'
  /** Whether agents run and none of them can measure; absent: unknown. */
  readonly isNothingMeasured?: () => boolean
  /** For links, without a slash at its end. */
  readonly publicUrl: string
  /** Whether this server sends mail. */
  readonly sendsMail: boolean
  /** Whether this server tracks errors. Absent: yes. */
  readonly errorTracking?: boolean
  /** Whether this server asks the registries of domains. Absent: yes. */
  readonly asksRegistries?: boolean
}

/** The rules for saving a check. */
export type SaveRules = Pick<
  AccountRules,
  'regions' | 'tiers' | 'targetAllow' | 'blockedTargets' | 'targetRequestsPerMinute'
>

/** The capabilities of account operations. */
export type AccountContext = {
  /** Sees the rows of one account at a time. Read with `inAccount`, write with `write`. */
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  /** A state as it is stored, with what was measured since; absent: as it is stored. */
  readonly freshen?: Freshen
  /** By check id. */
  readonly answers: ExpiringCache<CheckAnswer>
  readonly uptimes: ExpiringCache<UptimeAt>
  readonly budgets: BudgetsLeft
  readonly rules: AccountRules
  /** Counts a write that is retried after a conflict. */
  readonly onWriteRepeated: () => void
  readonly now: () => number
  readonly log: Logger
}

/** The capabilities of the operator's actions, which need no key. `sql` sees every account. */
export type OperatorContext = { readonly sql: Sql; readonly now: () => number }

/** The operator on the machine as the actor of a write. */
export const operator: Pick<Writer, 'actor' | 'claim'> = { actor: { kind: 'operator' } }

/** The product by itself as the actor of a write. */
export const system: Pick<Writer, 'actor'> = { actor: { kind: 'system' } }
