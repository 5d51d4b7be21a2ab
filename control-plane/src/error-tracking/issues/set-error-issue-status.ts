import type { SetErrorIssueStatusInput } from '@probe-mesh/contracts/error-tracking/error-issue-acts'
import type { ErrorIssueStatus } from '@probe-mesh/contracts/error-tracking/error-tracking'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { updateErrorIssueStatus } from './error-issues-store.ts'
import type { AccountContext, Writer } from '../../operations/context.ts'
import { write } from '../../operations/write.ts'

/** Resolves, ignores or reopens an issue. Another account's is SV-3001. */
export const setErrorIssueStatus = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id }, body }: { params: { id: string }; body: SetErrorIssueStatusInput },
): Promise<{ id: string; status: ErrorIssueStatus } | Refusal> => {
  const name = { action: 'setErrorIssueStatus', resourceType: 'error_issue', resourceId: () => id }
  return write(context, writer, name, async (tx) => {
    const issue = { id, accountId: writer.accountId, ...body }
    if (!(await updateErrorIssueStatus(tx, issue, context.now()))) return refuse('SV-3001')
    return { id, status: body.status }
  })
}
