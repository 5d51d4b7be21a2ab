import type { Check } from '@probe-mesh/contracts/check/check'
import { toFileCheck, type FileCheck } from './checks-file.ts'

type Exported =
  | { ok: true; checks: FileCheck[]; comments: string[] }
  | { ok: false; problems: { message: string }[] }

/**
 * An account's http checks for a file; comments name checks of other types, and what
 * a file cannot carry of its own. Leaves regions out of
 * a check that follows the live ones. A shared name is a problem: it cannot be matched when the
 * file is applied.
 */
export const exportChecks = (account: readonly Check[]): Exported => {
  const problems = [...Map.groupBy(account, ({ name }) => name)].flatMap(([name, sharing]) =>
    sharing.length > 1 && sharing.some(({ type }) => type === 'http')
      ? [{ message: sharedBy(name, sharing) }]
      : [],
  )
  if (problems.length > 0) return { ok: false, problems }
  const others = account.filter(({ type }) => type !== 'http')
  const own = account.filter(({ type }) => type === 'http')
  return {
    ok: true,
    checks: own.map(({ regions, ...check }) => toFileCheck(check.allRegions ? check : { ...check, regions })),
    comments: [
      ...(others.length === 0
        ? []
        : ['Not in this file, since files declare http checks only, and never touched by it:']),
      ...others.map(({ type, name }) => `  ${type}: ${name}`),
      ...(own.length === 0 ? [] : [ofDashboard]),
      ...(own.some((check) => moreOf(check).length > 0) ? [ofChecks] : []),
      ...own.flatMap((check) => {
        const more = moreOf(check)
        return more.length === 0 ? [] : [`  ${check.name}: ${more.join(', ')}`]
      }),
    ],
  }
}

const ofDashboard =
  'Set in the dashboard, and kept when this file is applied: what a check depends on, what decides its status, its runbook, notes and owner, and when its pause ends.'

const ofChecks = 'Not in this file, and kept when it is applied to these checks:'

/** What a check has that a file cannot say. */
const moreOf = ({ hasRequest, tags, timeoutSeconds, refusedAs, paused }: Check): string[] =>
  [
    hasRequest === true && 'its request (method, headers, body, credentials, limits, how it connects)',
    tags.length > 0 && 'its tags',
    timeoutSeconds !== undefined && 'its timeout',
    refusedAs !== undefined && 'what a refusal means',
    paused && 'that it is paused',
  ].filter((each) => each !== false)

const sharedBy = (name: string, sharing: readonly Check[]): string => {
  const which = sharing.map(({ type, id }) => `${type} ${id}`).join(', ')
  return `${JSON.stringify(name)} is the name of ${sharing.length} checks (${which}): a file matches checks by name, rename or delete all but one.`
}
