import { fail, writeJson } from '../api/failure.ts'
import { openApi } from '../api/open-api.ts'
import type { Api } from '../api/open-api.ts'
import { applyPlan } from '../apply/apply-plan.ts'
import { formatOutcome, outcomeToJson } from '../apply/format-outcome.ts'
import type { Outcome } from '../apply/outcome.ts'
import type { Act, Keyed } from '../command-line/command-spec.ts'
import {
  formatPlan,
  formatPlanProblems,
  planProblemsToJson,
  planToJson,
} from '../plan/format-plan.ts'
import { planChecks } from '../plan/plan-checks.ts'
import type { Planned } from '../plan/plan-checks.ts'
import type { Plan } from '../plan/plan.ts'
import type { ExitCode, World } from '../terminal/world.ts'
import { readChecks } from './validate-file.ts'

type ApplyOptions = Keyed & ApplyFlags & { file: string; prune: boolean }

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

/** The flags of `apply` that decide whether a plan is carried out. */
export type ApplyFlags = { dryRun: boolean; yes: boolean; allowReplace: boolean }

/** What is to be done with a plan: carry it out, or end without a write and say what comes next. */
type Decision = { kind: 'apply' } | { kind: 'end'; exitCode: ExitCode; next: string[] }

/**
 * Whether a plan is carried out (specification, exit codes). A dry run ends before flags count:
 * it shows what they would allow.
 */
export const decide = (planned: Planned, flags: ApplyFlags): Decision => {
  if (!planned.ok) return { kind: 'end', exitCode: 1, next: [] }
  const { plan } = planned
  if (plan.steps.length === 0) return { kind: 'end', exitCode: 0, next: [] }
  const missing = missingFlags(plan, flags)
  if (flags.dryRun) return { kind: 'end', exitCode: 2, next: missing }
  return missing.length > 0 ? { kind: 'end', exitCode: 1, next: missing } : { kind: 'apply' }
}

/** The exit code of a run: the decision's where nothing was carried out, else the outcome's. */
export const exitCodeOf = (
  planned: Planned,
  flags: ApplyFlags,
  outcome: Pick<Outcome, 'stop'> | null,
): ExitCode => {
  if (outcome !== null) return outcome.stop === null ? 0 : 1
  const decision = decide(planned, flags)
  if (decision.kind === 'apply') throw new Error('a plan that may be applied has an outcome')
  return decision.exitCode
}

/** A sentence for each flag that the plan needs and the command line lacks. */
const missingFlags = ({ steps }: Plan, flags: ApplyFlags): string[] => {
  const count = (kind: 'replace' | 'delete'): number =>
    steps.filter((step) => step.kind === kind).length
  const [replaces, deletes] = [count('replace'), count('delete')]
  return [
    ...(replaces > 0 && !flags.allowReplace
      ? [
          `${checks(replaces)} would be deleted and created anew, losing history and id: add --allow-replace to accept that.`,
        ]
      : []),
    ...(deletes > 0 && !flags.yes
      ? [
          `${checks(deletes)} would be deleted with their history: add --yes to --prune to accept that.`,
        ]
      : []),
  ]
}

const checks = (count: number): string => `${count} ${count === 1 ? 'check' : 'checks'}`
