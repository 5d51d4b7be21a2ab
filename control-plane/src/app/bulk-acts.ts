import type { BulkInput, BulkResult } from '@probe-mesh/contracts/check/bulk'
import { isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { addChecksToRule } from '../alerts/add-checks-to-rule.ts'
import { deleteChecks, pauseChecks, tagChecks } from '../checks/change-checks.ts'
import { refusePauseEnd } from '../checks/pause-ends.ts'
import type { RevisingContext } from '../checks/revise-check.ts'
import type { AccountContext, Writer } from '../accounts/operations/context.ts'
import { writeMany } from '../accounts/operations/write-many.ts'
import { publishingOf } from '../status-pages/publish-checks.ts'

type BulkContext = RevisingContext &
  Partial<Pick<AccountContext, 'onWriteRepeated'>> & {
    readonly uptimes: Pick<AccountContext['uptimes'], 'drop'>
  }

/**
 * One act on many checks, from the list of the dashboard. Each check has its own outcome, and a repeated request
 * changes nothing again (S-230, S-231).
 */
export const changeChecks = async (
  context: BulkContext,
  writer: Writer,
  input: BulkInput,
): Promise<BulkResult | Refusal> => {
  const result = await act(context, writer, input)
  if (isRefusal(result)) return result
  for (const checkId of result.changed) {
    context.answers.drop(checkId)
    context.uptimes.drop(checkId)
  }
  return result
}

const act = (
  context: BulkContext,
  writer: Writer,
  { checkIds, act: chosen }: BulkInput,
): Promise<BulkResult | Refusal> => {
  const { accountId } = writer
  switch (chosen.kind) {
    case 'pause':
    case 'resume': {
      const paused = chosen.kind === 'pause'
      const untilMs = chosen.kind === 'pause' ? (chosen.until ?? null) : null
      const refused = refusePauseEnd('act.until', untilMs, context.now())
      if (refused !== null) return Promise.resolve(refused)
      const name = { action: paused ? 'pauseCheck' : 'resumeCheck', resourceType: 'check' }
      return writeMany(context, writer, name, checkIds, (tx, chunk) =>
        pauseChecks(context, tx, accountId, { checkIds: chunk, paused, untilMs }),
      )
    }
    case 'delete': {
      const name = { action: 'deleteCheck', resourceType: 'check' }
      return writeMany(context, writer, name, checkIds, (tx, chunk) =>
        deleteChecks(context, tx, accountId, { checkIds: chunk }),
      )
    }
    case 'add_tag':
    case 'remove_tag': {
      const name = { action: 'tagCheck', resourceType: 'check' }
      const [tag, isAdded] = [chosen.tag, chosen.kind === 'add_tag']
      return writeMany(context, writer, name, checkIds, (tx, chunk) =>
        tagChecks(context, tx, accountId, { checkIds: chunk, tag, isAdded }),
      )
    }
    case 'publish': {
      const { statusPageId } = chosen
      const name = { action: 'createComponent', resourceType: 'component' }
      const publish = publishingOf(accountId, { statusPageId, checkIds, nowMs: context.now() })
      return writeMany(context, writer, name, checkIds, publish)
    }
    case 'add_to_rule':
      return addChecksToRule(context, writer, { alertRuleId: chosen.alertRuleId, checkIds })
    default:
      return chosen satisfies never
  }
}
