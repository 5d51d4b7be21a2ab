import type { Check } from '@probe-mesh/contracts/check/check'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Writer } from '../operations/context.ts'
import { draftTypedCheck } from './draft-check.ts'
import { saveNewCheck } from './save-new-check.ts'
import type { SavingContext } from './save-new-check.ts'

/**
 * Creates a check of any type but http: an act of the dashboard and of the operator, which the REST
 * API refuses. Refused in this order, each with every problem: the input SV-2001, SV-2002 or
 * SV-2003, an unsafe target SV-5001, regions that are not live SV-2001, the interval SV-4002, the
 * allowance SV-4001.
 * @param body as it was sent, a `CreateTypedCheckInput`
 */
export const createTypedCheck = async (
  context: SavingContext,
  writer: Writer,
  body: unknown,
): Promise<Check | Refusal> => {
  const draft = draftTypedCheck(body, { rules: context.rules, accountId: writer.accountId })
  return isRefusal(draft) ? draft : saveNewCheck(context, writer, draft)
}
