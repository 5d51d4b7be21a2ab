import type { Check } from '@probe-mesh/contracts/check/check'
import { CreateCheckInput } from '@probe-mesh/contracts/check/create-check-input'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { RouteCall } from '@probe-mesh/contracts/api/routes'
import { compareCheck } from './compare-check.ts'
import { applyOrder, type Plan, type PlanProblem, type Step } from './plan.ts'

/**
 * A check to plan for, validated and with a unique name: the body of POST /checks without `type`.
 * The file's reader returns less (`file/checks-file.ts`: unset is absent, values are text).
 */
export type FileCheck = Omit<RouteCall<'createCheck'>['body'], 'type'>

export type Planned = { ok: true; plan: Plan } | { ok: false; problems: PlanProblem[] }

/**
 * The plan that makes the account's http checks match the file. Checks are matched by name. Checks
 * of other types are never touched; checks that are not in the file only with `prune`.
 * @param account every check of the account, of every type
 * @returns all unmatchable names at once, if there are any
 * @throws for a check that was not validated
 */
export const planChecks = (from: {
  file: readonly FileCheck[]
  account: readonly Check[]
  liveRegions: readonly Region[]
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
    // the API's own schema, so that the compared values are those that would be stored
    const input = CreateCheckInput.parse(declared)
    const check = byName.get(input.name)?.[0]
    const step = check === undefined ? create(input) : compareCheck(input, check, liveRegions)
    if (step !== null) steps.push(step)
    else if (check !== undefined) unchanged.push(check)
  }
  const ordered = applyOrder.flatMap((kind) => steps.filter((step) => step.kind === kind))
  return {
    ok: true,
    plan: {
      steps: ordered,
      unchanged,
      absent: prune ? [] : lacking,
      renames: renamesOf(ordered, lacking),
      account,
    },
  }
}

const create = (input: CreateCheckInput): Step => ({ kind: 'create', input })

const renamesOf = (steps: readonly Step[], lacking: readonly Check[]): Map<string, Check> => {
  const byUrl = new Map(lacking.map((check) => [check.url, check]))
  const created = steps.flatMap((step) => (step.kind === 'create' ? [step.input] : []))
  return new Map(
    created.flatMap(({ name, url }) => {
      const former = byUrl.get(url)
      return former === undefined ? [] : [[name, former] as const]
    }),
  )
}

/** A name cannot be matched if a non-http check or two http checks have it. */
const problemsOf = (name: string, sharing: readonly Check[]): PlanProblem[] => {
  const others = sharing.filter(({ type }) => type !== 'http')
  const https = sharing.length - others.length
  const problems: PlanProblem[] = others.map(({ type, id }) => ({
    name,
    message: `a ${type} check of the account also has this name (${id}), and a file manages http checks only: use another name`,
  }))
  if (https < 2) return problems
  const ids = sharing.flatMap(({ type, id }) => (type === 'http' ? [id] : [])).join(', ')
  const message = `the account has ${https} http checks with this name (${ids}): delete or rename all but one`
  return [...problems, { name, message }]
}
