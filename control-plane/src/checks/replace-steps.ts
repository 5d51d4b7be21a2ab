import { parseCheckInput, ReplaceStepsInput } from '@probe-mesh/contracts/check/check-input'
import type { Check } from '@probe-mesh/contracts/check/check'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { toStep } from '@probe-mesh/contracts/check/step'
import { describeTarget } from '../targets/describe-target.ts'
import type { SaveRules, Writer } from '../operations/context.ts'
import { refuseConfig } from './refuse-config.ts'
import { reviseCheck } from './revise-check.ts'
import type { RevisingContext } from './revise-check.ts'

/**
 * Replaces the whole list of a journey's steps (S-414). Refused in this order, each with every problem: the
 * input SV-2001, SV-2002 or SV-2003, an unsafe target SV-5001, no such check SV-3001, a check of another type
 * SV-2001.
 * @param input.body as it was sent, a `ReplaceStepsInput`
 */
export const replaceSteps = async (
  context: RevisingContext & { readonly rules: Pick<SaveRules, 'targetAllow'> },
  writer: Writer,
  { checkId, body }: { checkId: string; body: unknown },
): Promise<Check | Refusal> => {
  const input = parseCheckInput(ReplaceStepsInput, body)
  if (isRefusal(input)) return input
  const config = { type: 'multistep' as const, steps: input.steps.map(toStep) }
  const refused = refuseConfig(config, {
    targetAllow: context.rules.targetAllow.ofAccount(writer.accountId),
  })
  if (refused !== null) return refused
  return reviseCheck(context, writer, 'replaceSteps', checkId, (check) =>
    check.type === 'multistep'
      ? { config: { ...check.config, ...config }, ...describeTarget(config) }
      : refuse('SV-2001', { message: `This is a ${check.type} check: it has no steps.` }),
  )
}
