import { noAssertions } from '@probe-mesh/contracts/assertions'
import type { Check } from '@probe-mesh/contracts/check'
import {
  CreateTypedCheckInput,
  parseCheckInput,
  toCheckConfig,
} from '@probe-mesh/contracts/check-input'
import { isRefusal, refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { describeTarget } from '../checks/describe-target.ts'
import { heartbeatIntervalSeconds } from '../checks/heartbeat-interval.ts'
import type { Writer } from './context.ts'
import { resolveRegions } from './live-regions.ts'
import { refuseConfig } from './refuse-config.ts'
import { saveNewCheck } from './save-new-check.ts'
import type { NewCheck, SavingContext } from './save-new-check.ts'

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
  const { rules } = context
  const input = parseCheckInput(CreateTypedCheckInput, body)
  if (isRefusal(input)) return input
  const config = toCheckConfig(input)
  const refused = refuseConfig(config, rules)
  if (refused !== null) return refused
  const schedule = scheduleOf(input, rules.regions)
  if (isRefusal(schedule)) return schedule
  return saveNewCheck(context, writer, {
    name: input.name,
    ...describeTarget(config),
    ...schedule,
    paused: input.paused ?? false,
    assertions: noAssertions,
    config,
  })
}

/** Where and how often: a heartbeat is probed nowhere, also when regions are added. */
const scheduleOf = (
  input: CreateTypedCheckInput,
  liveRegions: readonly string[],
): Pick<NewCheck, 'intervalSeconds' | 'regions' | 'allRegions'> | Refusal => {
  if (input.type === 'heartbeat') {
    const intervalSeconds = heartbeatIntervalSeconds(input.settings)
    return { intervalSeconds, regions: [], allRegions: false }
  }
  const resolved = resolveRegions(input.regions, liveRegions)
  if (!resolved.ok) return refuse('SV-2001', { errors: resolved.problems })
  const { regions, allRegions } = resolved
  return { intervalSeconds: input.intervalSeconds, regions, allRegions }
}
