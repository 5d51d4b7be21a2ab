import { fail, writeJson } from '../api/failure.ts'
import { openApi, type Api } from '../api/open-api.ts'
import { applyPlan } from '../apply/apply-plan.ts'
import { formatOutcome, outcomeToJson } from '../apply/format-outcome.ts'
import { judgePlan, placeRefusals, type Refused } from './judge-plan.ts'
import { aboutTime, secondsOfWrites } from '../apply/pace.ts'
import type { WriteBudget } from '../apply/capabilities.ts'
import { formatProblems, type Problem } from '../file/problems.ts'
import type { Outcome } from '../apply/outcome.ts'
import type { Action, KeyOptions } from '../command-line/command-spec.ts'
import { formatPlan, formatPlanProblems, planProblemsToJson, planToJson } from '../plan/format-plan.ts'
import { printedPlan } from '../plan/print-plan.ts'
import { planChecks, type Planned } from '../plan/plan-checks.ts'
import type { Plan } from '../plan/plan.ts'
import { count, showLine, showName } from '../plan/show-value.ts'
import type { Context, ExitCode } from '../terminal/context.ts'
import { writesOf } from '../plan/writes.ts'
import { nothingSent, readChecks, type ReadChecks } from './validate-file.ts'

type ApplyOptions = KeyOptions & ApplyFlags & { file: string; prune: boolean }

/**
 * Changes the account's http checks to match the file, or shows the changes. Before the changes are printed, the whole
 * file is valid, and the API has accepted each of them.
 */
export const applyFile: Action<ApplyOptions> = async (context, options) => {
  const read = await readChecks(context, options)
  if (read === null) return 1
  const opened = await openApi(context, options)
  if (!opened.ok) return fail(context, options, opened.failures)
  const { api } = opened
  const account = await readAccount(api)
  if (!account.ok) return fail(context, options, account.failures)

  const planned = planChecks({ ...account.value, file: read.file.checks, prune: options.prune })
  const judged = planned.ok ? await judgePlan(api, planned.plan, context.signal) : null
  if (judged?.ok === false) return fail(context, options, judged.failures)
  if (planned.ok && judged !== null && judged.refusals.length > 0) {
    const { placed, others } = placeRefusals(judged.refusals, planned.plan, read.file, read.placeOf)
    return showRefusals(context, options, read, placed, others)
  }
  const budget = judged?.budget ?? null
  if (!options.json) showPlan(context, planned, budget)
  const decision = decide(planned, options)
  if (decision.kind === 'end') {
    if (options.json) writeJson(context.out, toJson(planned, decision.next))
    else for (const line of decision.next) context.err.write(`${line}\n`)
    return exitCodeOf(planned, options, null)
  }
  return planned.ok ? execute(context, api, planned.plan, options, budget) : 1
}

const readAccount = async (api: Api) => {
  const listed = await api.read('Reading the checks', (client) => client.call('listChecks', {}))
  if (!listed.ok) return listed
  const me = await api.read('Reading the account', (client) => client.call('getMe', {}))
  if (!me.ok) return me
  return { ok: true, value: { account: listed.value.checks, liveRegions: me.value.regions } } as const
}

/** What the API would refuse: of the file at its line, of other checks by name. */
const showRefusals = (
  { out, err }: Context,
  { json }: ApplyOptions,
  { name, text }: ReadChecks,
  placed: readonly Problem[],
  others: readonly Refused[],
): ExitCode => {
  if (json) writeJson(out, { version: 1, problems: [...placed, ...others] })
  else {
    err.write(formatProblems(name, text, placed))
    for (const { name: check, code, message } of others) {
      err.write(`${showName(check)}: ${code}: ${showLine(message)}\n`)
    }
    err.write(`\n${nothingSent(placed.length + others.length)}\n`)
  }
  return 1
}

const showPlan = ({ out, err }: Context, planned: Planned, budget: WriteBudget | null): void => {
  if (!planned.ok) return err.write(`${formatPlanProblems(planned.problems)}\n`)
  out.write(`${printedPlan(formatPlan(planned.plan), out)}\n`)
  const writes = planned.plan.steps.flatMap(writesOf).length
  const seconds = budget === null ? 0 : secondsOfWrites(writes, budget)
  if (budget === null || seconds === 0) return
  out.write(`\n${count(writes, 'write')} at ${budget.perMinute} a minute: ${aboutTime(seconds)}.\n`)
}

/** @param needs one sentence for each flag that is required to apply the plan */
const toJson = (planned: Planned, needs: readonly string[]) =>
  planned.ok ? { ...planToJson(planned.plan), needs } : planProblemsToJson(planned.problems)

const execute = async (
  context: Context,
  api: Api,
  plan: Plan,
  options: ApplyOptions,
  budget: WriteBudget | null,
): Promise<ExitCode> => {
  const { now, pause, signal, out, err } = context
  const report = (line: string): void => {
    if (!options.json) err.write(`${line}\n`)
  }
  const outcome = await applyPlan({ client: api.client, budget, signal, now, pause, report }, plan)
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
          `${count(replaces, 'check')} would be replaced, losing history and id: add --allow-replace to accept that.`,
        ]
      : []),
    ...(deletes > 0 && !flags.yes
      ? [
          `${count(deletes, 'check')} would be deleted with their history: add --yes to --prune to accept that.`,
        ]
      : []),
  ]
}
