import type { ErrorOccurrence } from '@probe-mesh/contracts/error-tracking'
import type { AccountContext } from './context.ts'

/**
 * The newest occurrences of these issues, by issue id; one without any has no entry. They are read
 * here, from ClickHouse, once error tracking stores them: until then there are none.
 */
export const readRecentOccurrences = async (
  _context: Pick<AccountContext, 'clickhouse'>,
  _accountId: string,
  _issueIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ErrorOccurrence[]>> => new Map()
