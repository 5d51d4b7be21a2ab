import type { Check } from '@probe-mesh/contracts/check/check'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { Writer } from '../operations/context.ts'
import { draftHttpCheck } from './draft-check.ts'
import { saveNewCheck } from './save-new-check.ts'
import type { SavingContext } from './save-new-check.ts'

/**
 * Creates an http check and asks every region for a first reading. Refused in this order: regions
 * that are not live SV-2001, unsafe target SV-5001, interval SV-4002, allowance SV-4001 (S-214).
 */
export const createCheck = async (
  context: SavingContext,
  writer: Writer,
  { body }: RouteInput<'createCheck'>,
): Promise<Check | Refusal> => {
  const draft = draftHttpCheck(body, { rules: context.rules, accountId: writer.accountId })
  return isRefusal(draft) ? draft : saveNewCheck(context, writer, draft)
}
