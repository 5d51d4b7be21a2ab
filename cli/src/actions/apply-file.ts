import { fail, writeJson } from '../api/failure.ts'
import { openApi } from '../api/open-api.ts'
import type { Api } from '../api/open-api.ts'
import { applyPlan } from '../apply/apply-plan.ts'
import { formatOutcome, outcomeToJson } from '../apply/format-outcome.ts'
import type { Outcome } from '../apply/outcome.ts'
import type { Action, KeyOptions } from '../command-line/command-spec.ts'
import { formatPlan, formatPlanProblems, planProblemsToJson, planToJson } from '../plan/format-plan.ts'
import { printedPlan } from '../plan/print-plan.ts'
import { planChecks } from '../plan/plan-checks.ts'
import type { Planned } from '../plan/plan-checks.ts'
import type { Plan } from '../plan/plan.ts'
import { count } from '../plan/show-value.ts'
import type { Context, ExitCode } from '../terminal/context.ts'
import { readChecks } from './validate-file.ts'

type ApplyOptions = KeyOptions & ApplyFlags & { file: string; prune: boolean }

/**
 * Changes the account's http checks to match the file, or shows the changes. The whole file is
 * valid before the account is read, and the changes are printed before anything is sent.
 */
export const applyFile: Action<ApplyOptions> = async (context, options) => {
  const file = await readChecks(context, options)
  if (file === null) return 1
  const opened = await openApi(context, options)
  if (!opened.ok) return fail(context, options, opened.failures)
  const { api } = opened
  const read = await readAccount(api)
  if (!read.ok) return fail(context, options, read.failures)

  const planned = planChecks({ ...read.value, file: file.checks, prune: options.prune })
  if (!options.json) showPlan(context, planned)
  const decision = decide(planned, options)
  if (decision.kind === 'end') {
    if (options.json) writeJson(context.out, toJson(planned, decision.next))
    else for (const line of decision.next) context.err.write(`${line}\n`)
    return exitCodeOf(planned, options, null)
  }
  return planned.ok ? execute(context, api, planned.plan, options) : 1
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

const showPlan = ({ out, err }: Context, planned: Planned): void =>
  planned.ok
    ? out.write(`${printedPlan(formatPlan(planned.plan), out)}\n`)
    : err.write(`${formatPlanProblems(planned.problems)}\n`)

/** @param needs one sentence for each flag that is required to apply the plan */
const toJson = (planned: Planned, needs: readonly string[]) =>
  planned.ok ? { ...planToJson(planned.plan), needs } : planProblemsToJson(planned.problems)

const execute = async (context: Context, api: Api, plan: Plan, options: ApplyOptions): Promise<ExitCode> => {
  const { now, pause, signal, out, err } = context
  const report = (line: string): void => {
    if (!options.json) err.write(`${line}\n`)
  }
  const outcome = await applyPlan({ client: api.client, signal, now, pause, report }, plan)
  if (options.json) writeJson(out, outcomeToJson(plan, outcome))
  else (outcome.stop === null ? out : err).write(`${formatOutcome(outcome)}\n`)
  return exitCodeOf({ ok: true, plan }, options, outcome)
}

/** The flags of `apply` that decide whether a plan is applied. */
export type ApplyFlags = { dryRun: boolean; yes: boolean; allowReplace: boolean }

/** What to do with a plan: apply it, or end without a write and print the next steps. */
type Decision = { kind: 'apply' } | { kind: 'end'; exitCode: ExitCode; next: string[] }

/** Whether a plan is applied. A dry run ends before flags are judged. */
export const decide = (planned: Planned, flags: ApplyFlags): Decision => {
  if (!planned.ok) return { kind: 'end', exitCode: 1, next: [] }
  const { plan } = planned
  if (plan.steps.length === 0) return { kind: 'end', exitCode: 0, next: [] }
  const missing = missingFlags(plan, flags)
  if (flags.dryRun) return { kind: 'end', exitCode: 2, next: missing }
  return missing.length > 0 ? { kind: 'end', exitCode: 1, next: missing } : { kind: 'apply' }
}

/** The exit code: the decision's if nothing was applied, else the outcome's. */
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

/** One sentence for each flag that the plan needs and the command line lacks. */
const missingFlags = ({ steps }: Plan, flags: ApplyFlags): string[] => {
  const number = (kind: 'replace' | 'delete'): number => steps.filter((step) => step.kind === kind).length
  const [replaces, deletes] = [number('replace'), number('delete')]
  return [
    ...(replaces > 0 && !flags.allowReplace
      ? [
          `${count(replaces, 'check')} would be deleted and created again, losing history and id: add --allow-replace to accept that.`,
        ]
      : []),
    ...(deletes > 0 && !flags.yes
      ? [
          `${count(deletes, 'check')} would be deleted with their history: add --yes to --prune to accept that.`,
        ]
      : []),
  ]
}
