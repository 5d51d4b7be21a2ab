import { fail, writeJson } from '../api/failure.ts'
import { openApi } from '../api/open-api.ts'
import type { Api } from '../api/open-api.ts'
import { applyPlan } from '../apply/apply-plan.ts'
import { formatOutcome } from '../apply/format-outcome.ts'
import { outcomeToJson } from '../apply/outcome-json.ts'
import type { Act } from '../command-line/command-spec.ts'
import type { Keyed } from '../command-line/common-options.ts'
import { decide, exitCodeOf } from '../apply/exit-code.ts'
import type { ApplyFlags, ExitCode } from '../apply/exit-code.ts'
import { formatPlan, formatPlanProblems } from '../plan/format-plan.ts'
import { planChecks } from '../plan/plan-checks.ts'
import type { Planned } from '../plan/plan-checks.ts'
import { planProblemsToJson, planToJson } from '../plan/plan-json.ts'
import type { Plan } from '../plan/plan.ts'
import type { World } from '../terminal/world.ts'
import { readChecks } from './read-checks.ts'

export type ApplyOptions = Keyed & ApplyFlags & { file: string; prune: boolean }

/**
 * Makes the account's http checks those of the file, or shows what that would change (specification,
 * Plan rules). The file is whole and valid before the account is read, the plan is shown before
 * anything is sent.
 */
export const applyFile: Act<ApplyOptions> = async (world, options) => {
  const file = await readChecks(world, options)
  if (file === null) return 1
  const opened = await openApi(world, options)
  if (!opened.ok) return fail(world, options, opened.failures)
  const { api } = opened
  const read = await readAccount(api)
  if (!read.ok) return fail(world, options, read.failures)

  const planned = planChecks({ ...read.value, file: file.checks, prune: options.prune })
  if (!options.json) showPlan(world, planned)
  const decision = decide(planned, options)
  if (decision.kind === 'end') {
    if (options.json) writeJson(world.out, toJson(planned, decision.next))
    else for (const line of decision.next) world.err.write(`${line}\n`)
    return exitCodeOf(planned, options, null)
  }
  return planned.ok ? carryOut(world, api, planned.plan, options) : 1
}

const readAccount = async (api: Api) => {
  const listed = await api.read('Reading the checks', (client) => client.call('listChecks', {}))
  if (!listed.ok) return listed
  const me = await api.read('Reading the account', (client) => client.call('getMe', {}))
  if (!me.ok) return me
  const { regions: liveRegions, limits } = me.value
  const { minimumIntervalSeconds } = limits
  const account = listed.value.checks
  return { ok: true, value: { account, liveRegions, minimumIntervalSeconds } } as const
}

const showPlan = ({ out, err }: World, planned: Planned): void =>
  planned.ok
    ? out.write(`${formatPlan(planned.plan)}\n`)
    : err.write(`${formatPlanProblems(planned.problems)}\n`)

/** @param needs the flags without which it is not carried out, a sentence each */
const toJson = (planned: Planned, needs: readonly string[]) =>
  planned.ok ? { ...planToJson(planned.plan), needs } : planProblemsToJson(planned.problems)

const carryOut = async (
  world: World,
  api: Api,
  plan: Plan,
  options: ApplyOptions,
): Promise<ExitCode> => {
  const { now, pause, signal, out, err } = world
  const say = (line: string): void => {
    if (!options.json) err.write(`${line}\n`)
  }
  const outcome = await applyPlan({ client: api.client, signal, now, pause, say }, plan)
  if (options.json) writeJson(out, outcomeToJson(plan, outcome))
  else (outcome.stop === null ? out : err).write(`${formatOutcome(outcome)}\n`)
  return exitCodeOf({ ok: true, plan }, options, outcome)
}
