import type { Outcome } from './outcome.ts'
import type { Planned } from '../plan/plan-checks.ts'
import type { Plan } from '../plan/plan.ts'

/** "0: applied, nothing to do, or a dry run with no changes; 1; 2: a dry run found pending changes". */
export type ExitCode = 0 | 1 | 2

/** The flags of `apply` that decide whether a plan is carried out. */
export type ApplyFlags = { dryRun: boolean; yes: boolean; allowReplace: boolean }

/** What is to be done with a plan: carry it out, or end without a write and say what comes next. */
export type Decision = { kind: 'apply' } | { kind: 'end'; exitCode: ExitCode; next: string[] }

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
