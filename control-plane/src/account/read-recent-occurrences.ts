import type { ErrorOccurrence } from '@probe-mesh/contracts/error-tracking'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { newestOccurrences } from '../clickhouse/occurrences.ts'
import { askClickHouse } from './ask-clickhouse.ts'
import type { AccountContext } from './context.ts'

/** Occurrences of an issue that are shown by itself. */
export const recentMax = 20

/**
 * The newest occurrences of these issues, by issue id; one without any has no entry. Whoever asks has
 * seen to it that the issues are the account's. Where ClickHouse is away: SV-9002.
 */
export const readRecentOccurrences = (
  context: Pick<AccountContext, 'clickhouse' | 'log'>,
  issues: readonly { id: string; projectId: string }[],
  perIssue: number,
): Promise<ReadonlyMap<string, readonly ErrorOccurrence[]> | Refusal> =>
  askClickHouse(context, () => newestOccurrences(context.clickhouse, issues, perIssue))
