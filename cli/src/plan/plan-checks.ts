import { CreateCheckInput } from '@probe-mesh/contracts/check/create-check-input'
import type { Check } from '@probe-mesh/contracts/check/check'
import { isPrivateRegion } from '@probe-mesh/contracts/reading/regions'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { compareCheck } from './compare-check.ts'
import type { FileCheck } from './file-check.ts'
import { applyOrder } from './plan.ts'
import type { Plan, PlanProblem, Step } from './plan.ts'

export type Planned = { ok: true; plan: Plan } | { ok: false; problems: PlanProblem[] }

/**
 * What makes the account's http checks those of the file (specification, Plan rules). Checks are
 * matched by name; other types are never touched, and neither is what the file lacks unless `prune`.
 * @param account every check of the account, of every type
 * @returns all the names at once that cannot be matched, where there are any
 * @throws where a check of the file was not validated
 */
export const planChecks = (from: {
  file: readonly FileCheck[]
  account: readonly Check[]
  liveRegions: readonly Region[]
  /** What the account's tier allows. */
  minimumIntervalSeconds: number
  prune: boolean
}): Planned => {
  const { file, account, liveRegions, prune } = from
  const byName = Map.groupBy(account, ({ name }) => name)
  const problems = file.flatMap(({ name }) => problemsOf(name, byName.get(name) ?? []))
  if (problems.length > 0) return { ok: false, problems }

  const named = new Set(file.map(({ name }) => name))
  const lacking = account.filter(({ type, name }) => type === 'http' && !named.has(name))
  const steps: Step[] = prune ? lacking.map((check) => ({ kind: 'delete', check })) : []
  const unchanged: Check[] = []
  for (const declared of file) {
    // the same schema as the API's, so that what is compared is what would be stored
    const input = CreateCheckInput.parse(declared)
    const check = byName.get(input.name)?.[0]
    const step = check === undefined ? create(input) : compareCheck(input, check, liveRegions)
    if (step !== null) steps.push(step)
    else if (check !== undefined) unchanged.push(check)
  }
  const refused = steps.flatMap((step) => refusedReplacement(step, from))
  if (refused.length > 0) return { ok: false, problems: refused }
  const ordered = applyOrder.flatMap((kind) => steps.filter((step) => step.kind === kind))
  return {
    ok: true,
    plan: { steps: ordered, unchanged, absent: prune ? [] : lacking, account },
  }
}

const create = (input: CreateCheckInput): Step => ({ kind: 'create', input })

/** "A name shared with a non-http check, two account checks with one name" (specification, Errors). */
const problemsOf = (name: string, sharing: readonly Check[]): PlanProblem[] => {
  const others = sharing.filter(({ type }) => type !== 'http')
  const https = sharing.length - others.length
  const problems: PlanProblem[] = others.map(({ type, id }) => ({
    name,
    message: `a ${type} check of the account has this name (${id}), and only http checks are managed: use another name`,
  }))
  if (https < 2) return problems
  const ids = sharing.flatMap(({ type, id }) => (type === 'http' ? [id] : [])).join(', ')
  const message = `the account has ${https} http checks of this name (${ids}): delete or rename all but one`
  return [...problems, { name, message }]
}

/**
 * What the API would say to the new check of a replace, as far as that is known: the old one is
 * deleted before it is asked.
 */
const refusedReplacement = (
  step: Step,
  limits: { liveRegions: readonly Region[]; minimumIntervalSeconds: number },
): PlanProblem[] => {
  if (step.kind !== 'replace') return []
  const { name, intervalSeconds = limits.minimumIntervalSeconds, regions = [] } = step.input
  const unknown = regions.filter(
    (region) => !limits.liveRegions.includes(region) && !isPrivateRegion(region),
  )
  const problems = [
    ...(intervalSeconds < limits.minimumIntervalSeconds
      ? [
          `intervalSeconds ${intervalSeconds} is less than the account's ${limits.minimumIntervalSeconds}`,
        ]
      : []),
    ...(unknown.length > 0
      ? [`${unknown.join(', ')} is not live (${limits.liveRegions.join(', ')})`]
      : []),
  ]
  return problems.map((problem) => ({
    name,
    message: `${problem}: its replacement would be refused once the old check is deleted`,
  }))
}
