import { toAssertions } from '@probe-mesh/contracts/assertions'
import type { Check } from '@probe-mesh/contracts/check'
import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RouteInput } from '@probe-mesh/contracts/routes'
import { targetProblem } from '@probe-mesh/contracts/target'
import type { Writer } from './context.ts'
import { resolveRegions } from './live-regions.ts'
import { refuseUnsafe } from './refuse-unsafe.ts'
import { saveNewCheck } from './save-new-check.ts'
import type { SavingContext } from './save-new-check.ts'

/**
 * Creates an http check and asks every region for a first reading. Refused in this order: regions
 * that are not live SV-2001, unsafe target SV-5001, interval SV-4002, allowance SV-4001.
 */
export const createCheck = async (
  context: SavingContext,
  writer: Writer,
  { body }: RouteInput<'createCheck'>,
): Promise<Check | Refusal> => {
  const { rules } = context
  const resolved = resolveRegions(body.regions, rules.regions)
  if (!resolved.ok) return refuse('SV-2001', { errors: resolved.problems })
  const problem = targetProblem(body.url, { allow: rules.targetAllow })
  const unsafe = refuseUnsafe(problem === null ? [] : [{ path: 'url', ...problem }])
  if (unsafe !== null) return unsafe
  return saveNewCheck(context, writer, {
    name: body.name,
    url: body.url,
    target: null,
    intervalSeconds: body.intervalSeconds,
    regions: resolved.regions,
    allRegions: resolved.allRegions,
    paused: false,
    assertions: toAssertions(body),
    config: { type: 'http' },
  })
}
