import type { Check } from '@probe-mesh/contracts/check/check'
import { toFileCheck } from './checks-file.ts'
import type { FileCheck } from './checks-file.ts'

export type Exported =
  | { ok: true; checks: FileCheck[]; comments: string[] }
  | { ok: false; problems: { message: string }[] }

/**
 * An account's http checks as a file declares them. "Other check types are named in a header
 * comment" (specification, Command-line tool). Regions are left out where a check follows the live
 * ones, and a name of several checks is a problem: it cannot be matched on the way back.
 */
export const exportChecks = (account: readonly Check[]): Exported => {
  const problems = [...Map.groupBy(account, ({ name }) => name)].flatMap(([name, sharing]) =>
    sharing.length > 1 && sharing.some(({ type }) => type === 'http')
      ? [{ message: sharedBy(name, sharing) }]
      : [],
  )
  if (problems.length > 0) return { ok: false, problems }
  const others = account.filter(({ type }) => type !== 'http')
  return {
    ok: true,
    checks: account
      .filter(({ type }) => type === 'http')
      .map(({ regions, ...check }) =>
        toFileCheck(check.allRegions ? check : { ...check, regions }),
      ),
    comments:
      others.length === 0
        ? []
        : [
            'Not in this file, since files declare http checks only, and never touched by it:',
            ...others.map(({ type, name }) => `  ${type}: ${name}`),
          ],
  }
}

const sharedBy = (name: string, sharing: readonly Check[]): string => {
  const which = sharing.map(({ type, id }) => `${type} ${id}`).join(', ')
  return `${JSON.stringify(name)} is the name of ${sharing.length} checks (${which}): a file matches checks by name, rename or delete all but one.`
}
