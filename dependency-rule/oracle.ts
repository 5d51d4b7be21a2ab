import { ban, outer, programs, restricted, workspaces } from './ban.ts'

const alone = 'The oracle shares nothing with what it judges.'
const product = workspaces(['contracts', 'bus', 'runtime', ...programs, ...outer], alone)

/** What judges the product, and the world outside of it, know nothing of the product. */
export const oracleRules = [
  restricted(['acceptance/oracle/judging/**/*.ts'], [product, ban(['../*', '../**'], alone)]),
  restricted(
    ['acceptance/oracle/outside/**/*.ts'],
    [product, ban(['../../*', '../../**', '../stage/*'], alone)],
  ),
]
