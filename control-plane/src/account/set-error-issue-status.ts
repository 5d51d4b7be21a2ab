import type { SetErrorIssueStatusInput } from '@probe-mesh/contracts/error-issue-acts'
import type { ErrorIssueStatus } from '@probe-mesh/contracts/error-tracking'
import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { updateErrorIssueStatus } from '../postgres/error-issues.ts'
import type { AccountContext, Writer } from './context.ts'
import { write } from './write.ts'

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
